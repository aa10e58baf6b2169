#include "storage/compression/decoder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "storage/compression/gzip_decoder.h"
#include "storage/compression/xz_decoder.h"
#include "storage/compression/zstd_decoder.h"

namespace tidemill::storage {

namespace {

enum class Compression { kNone, kGzip, kXz, kZstd };

// What a file's beginning is tried on: more than a block of zstd.
constexpr size_t kTrialBytes = size_t{256} << 10;
constexpr size_t kMostMagic = 6;

struct Ending {
  std::string_view text;
  Compression compression;
};
constexpr Ending kEndings[] = {
    {".gz", Compression::kGzip},   {".tgz", Compression::kGzip}, {".xz", Compression::kXz},
    {".txz", Compression::kXz},    {".zst", Compression::kZstd}, {".zstd", Compression::kZstd},
    {".tzst", Compression::kZstd},
};

bool IsSkippableFrame(std::string_view start) {
  return start.size() >= 4 && start.substr(1, 3) == "\x2a\x4d\x18" &&
         (static_cast<unsigned char>(start[0]) & 0xf0) == 0x50;
}

Compression CompressionByMagic(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (start.starts_with(std::string_view("\xfd\x37zXZ\0", 6))) return Compression::kXz;
  if (start.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  // A frame that is to be skipped, with which parallel writers begin.
  return IsSkippableFrame(start) ? Compression::kZstd : Compression::kNone;
}

bool EndsWithIgnoringCase(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() &&
         std::equal(
             ending.begin(), ending.end(), text.end() - std::ssize(ending),
             [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b); });
}

bool NameSays(const std::string& path, Compression compression) {
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](const Ending& ending) {
    return ending.compression == compression && EndsWithIgnoringCase(path, ending.text);
  });
}

absl::StatusOr<std::unique_ptr<Decoder>> Make(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return NewGzipDecoder();
    case Compression::kXz:
      return NewXzDecoder();
    case Compression::kZstd:
      return NewZstdDecoder();
    case Compression::kNone:
      break;
  }
  return nullptr;
}

// A skippable frame is sound whatever it holds, so that it proves nothing: another one follows.
bool IsFollowedByAFrame(const OpenFile& file, std::string_view start) {
  if (start.size() < 8) return false;
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i) {
    size |= uint32_t{static_cast<unsigned char>(start[4 + i])} << (8 * i);
  }
  std::array<char, kMostMagic> next{};
  const auto count = file.ReadAt(int64_t{8} + size, next.data(), next.size());
  return count.ok() &&
         CompressionByMagic(std::string_view(next.data(), *count)) == Compression::kZstd;
}

// Whether the beginning of a file unpacks: it gives bytes, or a sound end.
absl::StatusOr<bool> FirstBlockUnpacks(const OpenFile& file, Compression compression) {
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

absl::StatusOr<Compression> CompressionOf(const OpenFile& file) {
  std::array<char, kMostMagic> start{};
  ASSIGN_OR_RETURN(const size_t count, file.ReadAt(0, start.data(), start.size()));
  const Compression compression = CompressionByMagic(std::string_view(start.data(), count));
  if (compression == Compression::kNone || NameSays(file.path(), compression)) return compression;
  ASSIGN_OR_RETURN(const bool unpacks, FirstBlockUnpacks(file, compression));
  return unpacks ? compression : Compression::kNone;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> NewDecoder(const OpenFile& file) {
  ASSIGN_OR_RETURN(const Compression compression, CompressionOf(file));
  return Make(compression);
}

absl::StatusOr<bool> IsCompressed(const OpenFile& file) {
  ASSIGN_OR_RETURN(const Compression compression, CompressionOf(file));
  return compression != Compression::kNone;
}

}  // namespace tidemill::storage
