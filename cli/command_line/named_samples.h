// The samples that a user names by keys, or by the places of their records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace tidemill::cli {

struct NamedSamples {
  std::vector<int64_t> keys;
  // The path below the dataset's folder, and the record in the file, from 0.
  std::vector<std::pair<std::string, int64_t>> places;
};

// Reads keys that are separated by commas. INVALID_ARGUMENT for a word that is not a key.
absl::StatusOr<NamedSamples> ReadKeys(std::string_view text);

// Reads a file of samples: the output of `tidemill datasets records --json`, or lines. A line is a
// key; or a path, a blank or tab, and the number of the record; or a JSON object with "key", or
// with "file" and "record". Empty lines, and lines that begin with #, are passed over.
// INVALID_ARGUMENT, with the line, for anything else.
absl::StatusOr<NamedSamples> ReadNamedSamples(std::string_view text);

// A file of samples is at most this large.
inline constexpr size_t kMaxSampleFileBytes = size_t{256} << 20;

// Reads such a file, or a pipe; "-" is stdin. RESOURCE_EXHAUSTED for one that is larger,
// INVALID_ARGUMENT for a device.
absl::StatusOr<NamedSamples> ReadSampleFile(const std::string& path);

// Removes what is named twice, and sorts.
void RemoveRepetitions(NamedSamples& samples);

}  // namespace tidemill::cli
