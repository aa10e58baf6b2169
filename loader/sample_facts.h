// What is known of the samples of a training set without reading them: their classes and files.
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

  // By ordinal. Empty where no sample has a class.
  std::vector<std::optional<int64_t>> classes = {};
  // By ordinal: the place of the sample's file in `paths`; kNoFile for a sample that storage does
  // not know, which will be a hole in its batch.
  std::vector<int32_t> files = {};
  // Below the dataset's folder, ascending, each once.
  std::vector<std::string> paths = {};

  std::optional<int64_t> ClassOf(int64_t ordinal) const {
    return classes.empty() ? std::nullopt : classes[static_cast<size_t>(ordinal)];
  }
};

// Of every sample of the set; it may hold keys in any order and several times. A second call gives
// the same, whatever was ingested or deleted in between. Fails as storage does.
absl::StatusOr<SampleFacts> ReadSampleFacts(const storage::StorageClient& storage,
                                            DatasetId dataset, const TrainingSet& set);

}  // namespace tidemill::loader
