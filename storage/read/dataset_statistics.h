// Counts a dataset's samples by class, over time and by file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "storage/index/dataset_index.h"

namespace tidemill::storage {

struct DatasetStatistics {
  struct Interval {
    int64_t from = 0;
    int64_t to = 0;
    int64_t num_samples = 0;
  };
  struct RealLabels {
    int64_t num_samples = 0;
    double min = 0;
    double max = 0;
    double mean = 0;
    double standard_deviation = 0;  // The standard deviation of the population, not of a sample.
  };
  struct File {
    FileId id;
    int64_t num_samples = 0;
  };

  // Empty when no sample has a class.
  std::map<int64_t, int64_t> classes;
  int64_t num_without_class = 0;
  // Intervals of equal length from the first event time on. Empty for an empty dataset.
  std::vector<Interval> intervals;
  // Absent when no sample has a real label.
  std::optional<RealLabels> real_labels;
  // The files with the most samples, the largest first, at most 100.
  std::vector<File> files;
};

// Deleted samples are not counted. Time: two passes over the columns; no data file is read. Memory:
// an entry per class, file and interval. INVALID_ARGUMENT unless 1 <= num_intervals <= 1,000.
// RESOURCE_EXHAUSTED beyond 100,000 classes.
absl::StatusOr<DatasetStatistics> CollectStatistics(const DatasetIndex& index, int num_intervals);

}  // namespace tidemill::storage
