#include "storage/compression/decoder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/compression/gzip_decoder.h"
#include "storage/compression/xz_decoder.h"
#include "storage/compression/zstd_decoder.h"

namespace tidemill::storage {

namespace {

struct Compression {
  std::string_view magic;
  // The endings of names of such files, in small letters.
  std::array<std::string_view, 3> endings;
  absl::StatusOr<std::unique_ptr<StreamDecoder>> (*make)();
  // Whether frames that are skipped may come first, as parallel writers write them.
  bool has_skippable_frames = false;
};

// A new compression is its line here and its header above.
constexpr Compression kCompressions[] = {
    {"\x1f\x8b", {".gz", ".tgz"}, &NewGzipDecoder},
    {std::string_view("\xfd\x37zXZ\0", 6), {".xz", ".txz"}, &NewXzDecoder},
    {"\x28\xb5\x2f\xfd", {".zst", ".zstd", ".tzst"}, &NewZstdDecoder, true},
};

// The size of the file's beginning on which a decoder is tried: more than a block of zstd.
constexpr size_t kTrialBytes = size_t{256} << 10;
constexpr size_t kMaxMagic = 6;
constexpr std::string_view kPadding("\0 \t\r\n", 5);

bool IsSkippableFrame(std::string_view start) {
  return start.size() >= 4 && start.substr(1, 3) == "\x2a\x4d\x18" &&
         (static_cast<unsigned char>(start[0]) & 0xf0) == 0x50;
}

// Returns nullptr for a file that begins like none.
const Compression* CompressionByMagic(std::string_view start) {
  const auto* const found = std::ranges::find_if(kCompressions, [&](const Compression& known) {
    return start.starts_with(known.magic) ||
           (known.has_skippable_frames && IsSkippableFrame(start));
  });
  return found == std::end(kCompressions) ? nullptr : found;
}

bool EndsWithIgnoringCase(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() &&
         std::equal(
             ending.begin(), ending.end(), text.end() - std::ssize(ending),
             [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b); });
}

bool NameSays(const std::string& path, const Compression& compression) {
  return std::ranges::any_of(compression.endings, [&](std::string_view ending) {
    return !ending.empty() && EndsWithIgnoringCase(path, ending);
  });
}

// A skippable frame is sound whatever it holds, so that it proves nothing: another one follows.
bool IsFollowedByAFrame(const OpenFile& file, std::string_view start) {
  if (start.size() < 8) return false;
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i) {
    size |= uint32_t{static_cast<unsigned char>(start[4 + i])} << (8 * i);
  }
  std::array<char, kMaxMagic> next{};
  const auto count = file.ReadAt(int64_t{8} + size, next.data(), next.size());
  if (!count.ok()) return false;
  const Compression* const found = CompressionByMagic(std::string_view(next.data(), *count));
  return found != nullptr && found->has_skippable_frames;
}

absl::StatusOr<std::unique_ptr<Decoder>> Make(const Compression& compression) {
  ASSIGN_OR_RETURN(std::unique_ptr<StreamDecoder> streams, compression.make());
  return std::make_unique<Decoder>(
      std::move(streams), compression.magic.size(), [&compression](std::string_view start) {
        return start == compression.magic ||
               (compression.has_skippable_frames && IsSkippableFrame(start));
      });
}

// Whether the beginning of a file unpacks: it gives bytes, or a sound end.
absl::StatusOr<bool> FirstBlockUnpacks(const OpenFile& file, const Compression& compression) {
  std::vector<char> from(kTrialBytes), into(kTrialBytes);
  ASSIGN_OR_RETURN(const size_t count, file.ReadAt(0, from.data(), from.size()));
  std::string_view rest(from.data(), count);
  if (IsSkippableFrame(rest)) return IsFollowedByAFrame(file, rest);
  ASSIGN_OR_RETURN(const std::unique_ptr<Decoder> decoder, Make(compression));
  while (true) {
    const auto progress = decoder->Decode(rest, count < from.size(), into);
    if (!progress.ok()) return false;
    if (progress->made > 0 || decoder->at_end()) return true;
    if (progress->taken == 0) return false;
    rest.remove_prefix(progress->taken);
  }
}

// Returns nullptr for a file that is not compressed.
absl::StatusOr<const Compression*> CompressionOf(const OpenFile& file) {
  std::array<char, kMaxMagic> start{};
  ASSIGN_OR_RETURN(const size_t count, file.ReadAt(0, start.data(), start.size()));
  const Compression* const found = CompressionByMagic(std::string_view(start.data(), count));
  if (found == nullptr || NameSays(file.path(), *found)) return found;
  ASSIGN_OR_RETURN(const bool unpacks, FirstBlockUnpacks(file, *found));
  return unpacks ? found : nullptr;
}

}  // namespace

absl::StatusOr<Decoder::Progress> Decoder::Decode(std::string_view in, bool last,
                                                  std::span<char> out) {
  if (state_ == State::kBehind) {
    CountTrailing(in);
    return Progress{.taken = in.size()};
  }
  if (state_ == State::kBetween) return Continue(in, last, out);
  ASSIGN_OR_RETURN(const Progress progress, streams_->Decode(in, out));
  if (streams_->at_end()) {
    state_ = State::kBetween;
    ++num_ended_;
  }
  return progress;
}

absl::StatusOr<Decoder::Progress> Decoder::Continue(std::string_view in, bool last,
                                                    std::span<char> out) {
  size_t taken = 0;
  while (taken < in.size() && begin_.size() < magic_bytes_) {
    const char byte = in[taken++];
    if (byte == '\0' && begin_.empty()) {
      ++behind_.num_bytes;
    } else {
      begin_ += byte;
    }
  }
  const bool decided = begin_.size() == magic_bytes_ || (last && taken == in.size());
  if (!decided || begin_.empty()) return Progress{.taken = taken};
  const std::string begin = std::exchange(begin_, "");
  if (!may_begin_(begin)) {
    state_ = State::kBehind;
    CountTrailing(begin);
    return Progress{.taken = taken};
  }
  state_ = State::kInside;
  behind_ = {};
  ASSIGN_OR_RETURN(const Progress progress, streams_->Decode(begin, out));
  // No stream ends within its first bytes.
  if (progress.taken < begin.size()) return Internal("a stream does not take its beginning");
  return Progress{.taken = taken, .made = progress.made};
}

void Decoder::CountTrailing(std::string_view bytes) {
  behind_.num_bytes += std::ssize(bytes);
  behind_.is_padding =
      behind_.is_padding && bytes.find_first_not_of(kPadding) == std::string_view::npos;
}

absl::StatusOr<std::unique_ptr<Decoder>> NewDecoder(const OpenFile& file) {
  ASSIGN_OR_RETURN(const Compression* const compression, CompressionOf(file));
  if (compression == nullptr) return nullptr;
  return Make(*compression);
}

absl::StatusOr<bool> IsCompressed(const OpenFile& file) {
  ASSIGN_OR_RETURN(const Compression* const compression, CompressionOf(file));
  return compression != nullptr;
}

}  // namespace tidemill::storage
