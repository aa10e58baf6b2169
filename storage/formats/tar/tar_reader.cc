#include "storage/formats/tar/tar_reader.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

// An archive is a sequence of blocks of 512 bytes. A header block:
//
//   0        100    124     136   148    156    157      257     345      500  512
//   | name   | ...  | size  | ... | sum  | type | target | magic | prefix | ... |
//
//   header, its bytes padded to 512 | header, bytes | ... | blocks of zeros: the end mark
//
// Before the header of a member may be others that override it, whose bytes are text: x and X (pax:
// "length key=value\n"), L (GNU's long name), K (GNU's long target of a link). After damage, the
// reader searches for the next block whose sum fits.

namespace tidemill::storage {

namespace {

constexpr size_t kBlock = 512;
constexpr size_t kBuffer = size_t{1} << 20;
// The size of a header that only holds a name and the like.
constexpr int64_t kMaxExtension = 1 << 18;

// Fields of a header block: where they begin and their bytes.
constexpr size_t kName = 0, kNameBytes = 100;
constexpr size_t kSize = 124, kSizeBytes = 12;
constexpr size_t kSum = 148, kSumBytes = 8;
constexpr size_t kType = 156;
constexpr size_t kTarget = 157, kTargetBytes = 100;
constexpr size_t kMagic = 257;
constexpr std::string_view kMagicWord = "ustar";
constexpr size_t kPrefix = 345, kPrefixBytes = 155;
// GNU's old form for sparse files: whether a block of the map follows.
constexpr size_t kMapFollows = 482, kMapGoesOn = 504;

std::string_view Text(std::string_view block, size_t from, size_t size) {
  const std::string_view field = block.substr(from, size);
  return field.substr(0, field.find('\0'));
}

// An octal number, or GNU's binary one, which begins with a byte of 0x80.
std::optional<int64_t> Number(std::string_view field) {
  int64_t number = 0;
  if (static_cast<unsigned char>(field.front()) == 0x80) {
    for (const char byte : field.substr(1)) {
      if (number > INT64_MAX >> 8) return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(byte);
    }
    return number;
  }
  const size_t begin = std::min(field.find_first_not_of(' '), field.size());
  field = field.substr(begin);
  field = field.substr(0, field.find_first_of(std::string_view(" \0", 2)));
  if (field.empty()) return 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number, 8);
  if (error != std::errc() || end != field.data() + field.size() || number < 0) return std::nullopt;
  return number;
}

// The sum of a header's bytes with blanks for the sum itself. Some writers of old took bytes for
// signed.
bool SumFits(std::string_view header) {
  const std::optional<int64_t> stored = Number(header.substr(kSum, kSumBytes));
  int64_t bytes = 0, characters = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    const char byte = i >= kSum && i < kSum + kSumBytes ? ' ' : header[i];
    bytes += static_cast<unsigned char>(byte);
    characters += static_cast<signed char>(byte);
  }
  return stored && (*stored == bytes || *stored == characters);
}

bool IsZero(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

TarMember::Kind KindOf(char type, std::string_view path) {
  using Kind = TarMember::Kind;
  if (type == '1') return Kind::kHardLink;
  if (type == '2') return Kind::kSymbolicLink;
  const bool is_regular = type == '0' || type == '\0' || type == '7' || type == 'S';
  return is_regular && !path.ends_with('/') ? Kind::kFile : Kind::kOther;
}

// Links, devices and folders state sizes at times, and have no bytes.
bool HasBytes(char type) { return type < '1' || type > '6'; }

int64_t Padded(int64_t size) {
  return (size + static_cast<int64_t>(kBlock) - 1) / static_cast<int64_t>(kBlock) *
         static_cast<int64_t>(kBlock);
}

std::string PathOf(std::string_view header) {
  std::string path(Text(header, kName, kNameBytes));
  // GNU's own form has other things where the prefix is.
  if (header.substr(kMagic, 6) != std::string_view("ustar\0", 6)) return path;
  const std::string_view prefix = Text(header, kPrefix, kPrefixBytes);
  return prefix.empty() ? path : std::string(prefix) + "/" + path;
}

// One record of a pax header: "length key=value\n", the length being that of all of it.
struct PaxRecord {
  std::string_view key, value;
};
std::optional<PaxRecord> TakePaxRecord(std::string_view& text) {
  size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  const auto digits = static_cast<size_t>(end - text.data());
  if (error != std::errc() || length > text.size() || length < digits + 4) return std::nullopt;
  std::string_view record = text.substr(0, length);
  if (record[digits] != ' ' || record.back() != '\n') return std::nullopt;
  record = record.substr(digits + 1, length - digits - 2);
  const size_t equals = record.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  text.remove_prefix(length);
  return PaxRecord{record.substr(0, equals), record.substr(equals + 1)};
}

}  // namespace

TarReader::TarReader(const OpenFile& file, int64_t file_size)
    : file_(file), file_size_(file_size), buffer_(kBuffer) {}

absl::StatusOr<std::string_view> TarReader::View(int64_t offset, size_t size) {
  const int64_t ahead = offset - buffer_from_;
  if (ahead < 0 || ahead + static_cast<int64_t>(size) > static_cast<int64_t>(buffer_size_)) {
    buffer_size_ = 0;
    ASSIGN_OR_RETURN(buffer_size_, file_.ReadAt(offset, buffer_.data(), buffer_.size()));
    buffer_from_ = offset;
  }
  const auto begin = static_cast<size_t>(offset - buffer_from_);
  return std::string_view(buffer_.data() + begin, std::min(size, buffer_size_ - begin));
}

absl::Status TarReader::Read(const TarMember& member,
                             const std::function<void(std::string_view)>& take) {
  for (int64_t done = 0; done < member.size;) {
    const int64_t want = std::min<int64_t>(member.size - done, kBuffer);
    ASSIGN_OR_RETURN(const std::string_view bytes,
                     View(member.offset + done, static_cast<size_t>(want)));
    if (bytes.empty()) return DataLoss("the archive ends within {}", member.path);
    take(bytes);
    done += static_cast<int64_t>(bytes.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> TarReader::NextHeader() {
  while (true) {
    header_from_ = at_;
    ASSIGN_OR_RETURN(const std::string_view block, View(at_, kBlock));
    if (block.empty()) return block;
    const bool whole = block.size() == kBlock;
    if (whole && IsZero(block)) {
      // Concatenated archives continue after a mark.
      saw_end_mark_ = true;
      at_ += static_cast<int64_t>(kBlock);
      continue;
    }
    if (whole && SumFits(block)) {
      saw_end_mark_ = false;
      at_ += static_cast<int64_t>(kBlock);
      return block;
    }
    if (!whole && saw_end_mark_ && IsZero(block)) return std::string_view();
    if (!whole) return DataLoss("the archive ends within a header");
    return DataLoss("a header is damaged");
  }
}

absl::StatusOr<std::optional<TarMember>> TarReader::Next() {
  if (ends_in_last_) {
    // The member may be cut off, and more have been appended after the cut.
    ends_in_last_ = false;
    ASSIGN_OR_RETURN(const auto header, FindHeader(last_from_ + 1, last_from_));
    if (!header) return std::nullopt;
    at_ = *header;
    return TarMember{.kind = TarMember::Kind::kLost,
                     .offset = last_from_,
                     .size = *header - last_from_,
                     .problem = "a member is cut off",
                     .cuts_last = true};
  }
  absl::StatusOr<std::optional<TarMember>> member = TakeMember();
  if (!absl::IsDataLoss(member.status())) return member;
  ASSIGN_OR_RETURN(member, PassDamage(header_from_, std::string(member.status().message())));
  return member;
}

absl::StatusOr<std::optional<TarMember>> TarReader::TakeMember() {
  Overrides overrides;
  while (true) {
    ASSIGN_OR_RETURN(const std::string_view header, NextHeader());
    if (header.empty()) return std::nullopt;
    const char type = header[kType];
    const std::optional<int64_t> size = Number(header.substr(kSize, kSizeBytes));
    if (!size) return DataLoss("a header states no size");
    if (type == 'x' || type == 'X' || type == 'L' || type == 'K' || type == 'g') {
      RETURN_IF_ERROR(TakeOverrides(type, *size, overrides));
      continue;
    }
    ASSIGN_OR_RETURN(TarMember member, MakeMember(header, overrides));
    return member;
  }
}

absl::Status TarReader::TakeOverrides(char type, int64_t size, Overrides& overrides) {
  if (size > kMaxExtension || size > file_size_ - at_) return DataLoss("a header is too long");
  ASSIGN_OR_RETURN(const std::string_view text, View(at_, static_cast<size_t>(size)));
  if (static_cast<int64_t>(text.size()) < size) return DataLoss("the archive ends within a header");
  at_ += Padded(size);
  if (type == 'L') overrides.path = text.substr(0, text.find('\0'));
  if (type == 'K') overrides.target = text.substr(0, text.find('\0'));
  if (type == 'x' || type == 'X') TakePax(text, overrides);
  return absl::OkStatus();
}

void TarReader::TakePax(std::string_view text, Overrides& overrides) {
  while (!text.empty()) {
    const std::optional<PaxRecord> record = TakePaxRecord(text);
    if (!record) {
      overrides.damaged = true;
      break;
    }
    if (record->key == "path") overrides.path = record->value;
    if (record->key == "linkpath") overrides.target = record->value;
    if (record->key.starts_with("GNU.sparse.")) overrides.sparse = true;
    if (record->key != "size") continue;
    int64_t stated = 0;
    const char* const end = record->value.data() + record->value.size();
    const auto [stop, error] = std::from_chars(record->value.data(), end, stated);
    if (error != std::errc() || stop != end || stated < 0) {
      overrides.damaged = true;
    } else {
      overrides.size = stated;
    }
  }
}

absl::StatusOr<TarMember> TarReader::MakeMember(std::string_view header,
                                                const Overrides& overrides) {
  const char type = header[kType];
  TarMember member{.path = overrides.path.value_or(PathOf(header)),
                   .kind = KindOf(type, PathOf(header)),
                   .size = overrides.size.value_or(*Number(header.substr(kSize, kSizeBytes)))};
  if (member.is_link()) {
    member.target = overrides.target.value_or(std::string(Text(header, kTarget, kTargetBytes)));
  }
  if (overrides.damaged) member.problem = "the header with its name is damaged";
  if (overrides.sparse || type == 'S') member.problem = "it is stored with holes (sparse)";
  if (type == 'S' && header[kMapFollows] != 0) RETURN_IF_ERROR(SkipSparseMap());
  member.offset = last_from_ = at_;
  if (!HasBytes(type)) {
    member.size = 0;
  } else if (member.size > file_size_ - at_) {
    member.problem = "the archive ends within it";
    member.size = std::max<int64_t>(0, file_size_ - at_);
    at_ = file_size_;
    ends_in_last_ = true;
  } else {
    at_ += Padded(member.size);
  }
  last_to_ = at_;
  return member;
}

absl::StatusOr<TarMember> TarReader::PassDamage(int64_t from, std::string why) {
  // If no header follows a member, the member may be cut off, with the next header inside it. A
  // member that begins with a header is an archive itself.
  const bool is_behind_last = from == last_to_ && last_to_ > last_from_;
  ASSIGN_OR_RETURN(auto header, FindHeader(is_behind_last ? last_from_ : from + 1, from));
  // The header at `from` may have a sound sum, and yet be of no use.
  if (is_behind_last && (header == last_from_ || header == from)) {
    ASSIGN_OR_RETURN(header, FindHeader(from + 1, from));
  }
  if (!header) return PassRest(from, std::move(why));
  at_ = *header;
  saw_end_mark_ = false;
  TarMember lost{.kind = TarMember::Kind::kLost, .offset = from, .problem = std::move(why)};
  if (*header < from) {
    lost.offset = last_from_;
    lost.problem = "a member is cut off";
    lost.cuts_last = true;
  }
  lost.size = *header - lost.offset;
  return lost;
}

// No header follows.
absl::StatusOr<TarMember> TarReader::PassRest(int64_t from, std::string why) {
  at_ = file_size_;
  TarMember rest{.kind = saw_end_mark_ ? TarMember::Kind::kRest : TarMember::Kind::kLost,
                 .offset = from,
                 .size = file_size_ - from,
                 .problem = std::move(why)};
  ASSIGN_OR_RETURN(const int64_t zeros_from, FindLastZeros(from));
  if (file_size_ - zeros_from < 2 * static_cast<int64_t>(kBlock)) return rest;
  saw_end_mark_ = true;
  rest.size = zeros_from - from;
  return rest;
}

absl::StatusOr<std::optional<int64_t>> TarReader::FindHeader(int64_t from, int64_t grid) {
  constexpr auto kStep = static_cast<int64_t>(kBlock);
  while (file_size_ - from >= kStep) {
    // The bytes that were read already, if they are enough: damage may be next to damage.
    const int64_t held = buffer_from_ + static_cast<int64_t>(buffer_size_) - from;
    const bool enough = from >= buffer_from_ && held >= kStep;
    ASSIGN_OR_RETURN(const std::string_view bytes,
                     View(from, enough ? static_cast<size_t>(held) : kBuffer));
    if (bytes.size() < kBlock) break;
    size_t end = bytes.size() - kBlock + 1;
    for (size_t at = bytes.find(kMagicWord, kMagic); at != std::string_view::npos;
         at = bytes.find(kMagicWord, at + 1)) {
      if (at - kMagic >= end) break;
      if (!SumFits(bytes.substr(at - kMagic, kBlock))) continue;
      end = at - kMagic;
      break;
    }
    const bool found = end < bytes.size() - kBlock + 1;
    // Headers of older archives have no magic word.
    for (auto at = static_cast<size_t>(((grid - from) % kStep + kStep) % kStep); at < end;
         at += kBlock) {
      const std::string_view block = bytes.substr(at, kBlock);
      if (block.front() != '\0' && SumFits(block)) return from + static_cast<int64_t>(at);
    }
    if (found) return from + static_cast<int64_t>(end);
    from += static_cast<int64_t>(end);
  }
  return std::nullopt;
}

absl::StatusOr<int64_t> TarReader::FindLastZeros(int64_t from) {
  int64_t zeros_from = from;
  while (from < file_size_) {
    ASSIGN_OR_RETURN(const std::string_view bytes, View(from, kBuffer));
    if (bytes.empty()) break;
    const size_t last = bytes.find_last_not_of('\0');
    if (last != std::string_view::npos) zeros_from = from + static_cast<int64_t>(last) + 1;
    from += static_cast<int64_t>(bytes.size());
  }
  return zeros_from;
}

absl::Status TarReader::SkipSparseMap() {
  while (true) {
    ASSIGN_OR_RETURN(const std::string_view block, View(at_, kBlock));
    if (block.size() < kBlock) return DataLoss("the archive ends within a header");
    at_ += static_cast<int64_t>(kBlock);
    if (block[kMapGoesOn] == 0) return absl::OkStatus();
  }
}

}  // namespace tidemill::storage
