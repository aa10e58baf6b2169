#include "storage/formats/tar_reader.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace tidemill::storage {

namespace {

constexpr size_t kBlock = 512;
constexpr size_t kBuffer = size_t{1} << 20;
// Of a header that only holds a name and the like.
constexpr int64_t kMaxExtension = 1 << 18;

// Fields of a header block: where they begin and their bytes.
constexpr size_t kName = 0, kNameBytes = 100;
constexpr size_t kSize = 124, kSizeBytes = 12;
constexpr size_t kSum = 148, kSumBytes = 8;
constexpr size_t kType = 156;
constexpr size_t kMagic = 257;
constexpr size_t kPrefix = 345, kPrefixBytes = 155;
// Of GNU's old form for sparse files: whether a block of the map follows.
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

bool IsRegular(char type) { return type == '0' || type == '\0' || type == '7' || type == 'S'; }

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
    ASSIGN_OR_RETURN(const std::string_view block, View(at_, kBlock));
    if (block.empty()) return block;
    const bool whole = block.size() == kBlock;
    if (whole && IsZero(block)) {
      // Archives that were put one behind the other go on behind a mark.
      saw_end_mark_ = true;
      at_ += static_cast<int64_t>(kBlock);
      continue;
    }
    if (whole && SumFits(block)) {
      saw_end_mark_ = false;
      at_ += static_cast<int64_t>(kBlock);
      return block;
    }
    if (saw_end_mark_) return std::string_view();
    if (!whole) return DataLoss("the archive ends within a header");
    return DataLoss("the header at byte {} is damaged", at_);
  }
}

absl::StatusOr<std::optional<TarMember>> TarReader::Next() {
  Overrides overrides;
  while (true) {
    ASSIGN_OR_RETURN(const std::string_view header, NextHeader());
    if (header.empty()) return std::nullopt;
    const char type = header[kType];
    const std::optional<int64_t> size = Number(header.substr(kSize, kSizeBytes));
    if (!size) return DataLoss("the header before byte {} states no size", at_);
    if (type == 'x' || type == 'X' || type == 'L' || type == 'K' || type == 'g') {
      RETURN_IF_ERROR(TakeOverrides(type, *size, overrides));
      continue;
    }
    ASSIGN_OR_RETURN(TarMember member, MakeMember(header, overrides));
    return member;
  }
}

absl::Status TarReader::TakeOverrides(char type, int64_t size, Overrides& overrides) {
  if (size > kMaxExtension || size > file_size_ - at_) {
    return DataLoss("the header before byte {} is too long", at_);
  }
  ASSIGN_OR_RETURN(std::string_view text, View(at_, static_cast<size_t>(size)));
  if (static_cast<int64_t>(text.size()) < size) return DataLoss("the archive ends within a header");
  at_ += Padded(size);
  if (type == 'L') overrides.path = text.substr(0, text.find('\0'));
  if (type != 'x' && type != 'X') return absl::OkStatus();
  while (!text.empty()) {
    const std::optional<PaxRecord> record = TakePaxRecord(text);
    if (!record) {
      overrides.damaged = true;
      break;
    }
    if (record->key == "path") overrides.path = record->value;
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
  return absl::OkStatus();
}

absl::StatusOr<TarMember> TarReader::MakeMember(std::string_view header,
                                                const Overrides& overrides) {
  const char type = header[kType];
  TarMember member{.path = overrides.path.value_or(PathOf(header)),
                   .is_file = IsRegular(type) && !PathOf(header).ends_with('/'),
                   .offset = 0,
                   .size = overrides.size.value_or(*Number(header.substr(kSize, kSizeBytes))),
                   .problem = {}};
  if (overrides.damaged) member.problem = "the header with its name is damaged";
  if (overrides.sparse || type == 'S') member.problem = "it is stored with holes (sparse)";
  if (type == 'S' && header[kMapFollows] != 0) RETURN_IF_ERROR(SkipSparseMap());
  member.offset = at_;
  if (!HasBytes(type)) {
    member.size = 0;
  } else if (member.size > file_size_ - at_) {
    member.problem = "the archive ends within it";
    member.size = std::max<int64_t>(0, file_size_ - at_);
    at_ = file_size_;
  } else {
    at_ += Padded(member.size);
  }
  return member;
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
