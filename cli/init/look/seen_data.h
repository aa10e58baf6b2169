// Samples of the files that a user names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::cli {

enum class DataKind { kCsv, kJsonLines, kImages };

// The sampled bytes of a file: its front, and its end unless the front contains it.
struct SeenFile {
  std::string path = {};  // Below the folder.
  std::string front = {};
  std::string end = {};
  int64_t size = 0;     // The bytes of its content; for a packed file, of the known part.
  bool is_cut = false;  // There are more bytes between front and end.
  bool is_packed = false;
};

struct SeenData {
  DataKind kind = DataKind::kCsv;
  std::string folder = {};  // Absolute.
  std::string files = {};   // The pattern of `datasets.NAME.files`.
  // The files that the pattern matches, in the byte order of their paths.
  std::vector<std::string> paths = {};
  // When each of them was modified, in nanoseconds since 1970; of images only.
  std::vector<int64_t> modified = {};
  int64_t num_bytes = 0;  // The bytes of all files on disk.
  // Files of the folder that the pattern does not match.
  int64_t num_others = 0;
  // The first file, the last one, and some between them; all when there are few. Empty for images.
  std::vector<SeenFile> seen = {};

  // "3.1 KiB of 58 KiB in 12 files", "3.1 KiB of 58 KiB in 64 of 100 files"
  std::string Describe() const;
};

// The most bytes that are read at the front and at the end of the first file and of the last one,
// and at the front of the files between them.
inline constexpr size_t kMaxFrontBytes = size_t{4} << 20;
inline constexpr size_t kMaxEndBytes = size_t{256} << 10;
inline constexpr size_t kMaxBetweenBytes = size_t{64} << 10;

// The most files that are looked at, and the most of them that are unpacked.
inline constexpr size_t kMostSeenFiles = 64;
inline constexpr size_t kMostUnpackedFiles = 8;

// Samples a file, or the files of a folder. When a folder has several kinds, the most frequent one
// counts. NOT_FOUND when there is no file. INVALID_ARGUMENT when the kind of the data cannot be
// guessed; the message names the remedy.
absl::StatusOr<SeenData> LookAtData(const std::string& path);

}  // namespace tidemill::cli
