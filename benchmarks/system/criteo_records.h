// Records in the shape of the Criteo click logs: 160 bytes, of which 4 are a label, 52 are 13
// numbers (float32) and 104 are 26 categories (int32), all little-endian. What record i holds
// follows from i, so that whoever reads it can check it.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace tidemill::benchmarks {

struct CriteoRecord {
  static constexpr int kNumbers = 13;
  static constexpr int kCategories = 26;

  int32_t label = 0;
  float numbers[kNumbers] = {};
  int32_t categories[kCategories] = {};
};
static_assert(sizeof(CriteoRecord) == 160);

CriteoRecord MakeCriteoRecord(int64_t index);

// Files 000.bin, 001.bin ... of a million records each, below `folder`.
inline constexpr int64_t kCriteoRecordsInFile = 1'000'000;
absl::Status WriteCriteoRecords(const std::string& folder, int64_t count);

// The dataset, and the graph that makes of each record `input`, the logarithms of its numbers,
// `input_categories`, its categories as buckets of a hash, and `target`.
inline constexpr int64_t kCriteoBuckets = int64_t{1} << 18;
std::string CriteoDatasetSpec(const std::string& folder);
std::string CriteoGraph();

}  // namespace tidemill::benchmarks
