// Answers FindSamples: which keys and places are samples, and in which files these samples are.
#pragma once

#include "base/status.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/index/sample_index.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::storage {

// Thread-safe.
class SampleFinder {
 public:
  // Both must outlive this object.
  SampleFinder(DatasetCatalog& catalog, SampleIndex& indexes)
      : catalog_(catalog), indexes_(indexes) {}

  // A sample that is named several times, even once by key and once by place, counts once.
  // NOT_FOUND when the dataset is unknown.
  absl::StatusOr<v1::FindSamplesResponse> Find(const v1::FindSamplesRequest& request) const;

 private:
  // Adds the keys of the places to `keys`, and the places without a sample to `response`.
  absl::Status AddPlaces(const v1::FindSamplesRequest& request, const DatasetSpec& spec,
                         std::vector<int64_t>& keys, v1::FindSamplesResponse& response) const;

  DatasetCatalog& catalog_;
  SampleIndex& indexes_;
};

}  // namespace tidemill::storage
