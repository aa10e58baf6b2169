// Records in the shape of the Criteo click logs. A record has 160 little-endian bytes: a label (4),
// 13 numbers (52, float32) and 26 categories (104, int32). The content of record i follows from i,
// so that readers can check it.
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

// Writes files 000.bin, 001.bin ... with a million records each, below `folder`.
inline constexpr int64_t kCriteoRecordsInFile = 1'000'000;
absl::Status WriteCriteoRecords(const std::string& folder, int64_t count);

// The dataset and its graph. From each record, the graph makes `input`, the logarithms of its
// numbers; `input_categories`, its categories as buckets of a hash; and `target`.
inline constexpr int64_t kCriteoBuckets = int64_t{1} << 18;
std::string CriteoDatasetSpec(const std::string& folder);
std::string CriteoGraph();

}  // namespace tidemill::benchmarks
