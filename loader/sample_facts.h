// The facts that storage knows about the samples of a training set without reading them: their
// classes, files and event times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "loader/training_set.h"

namespace tidemill::loader {

struct SampleFacts {
  static constexpr int32_t kNoFile = -1;

  // The class of each ordinal. Empty when no sample has a class.
  std::vector<std::optional<int64_t>> classes = {};
  // For each ordinal, the index of the sample's file in `paths`. kNoFile for a sample that storage
  // does not know; it will be a hole in its batch.
  std::vector<int32_t> files = {};
  // For each ordinal, in microseconds. 0 for a sample that storage does not know.
  std::vector<int64_t> event_times = {};
  // Paths below the dataset's folder, ascending, without duplicates.
  std::vector<std::string> paths = {};

  std::optional<int64_t> ClassOf(int64_t ordinal) const {
    return classes.empty() ? std::nullopt : classes[static_cast<size_t>(ordinal)];
  }
};

// Reads the facts of every sample of the set, whose keys may be in any order and repeated. A second
// call returns the same, even when samples were ingested or deleted in between. Returns the errors
// of the storage service.
absl::StatusOr<SampleFacts> ReadSampleFacts(const storage::StorageClient& storage,
                                            DatasetId dataset, const TrainingSet& set);

}  // namespace tidemill::loader
