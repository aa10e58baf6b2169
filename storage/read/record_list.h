// Answers ListRecords: the samples that match a condition, in messages.
#pragma once

#include <functional>

#include "base/status.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/index/sample_index.h"
#include "storage/read/record_search.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::storage {

// Thread-safe.
class RecordList {
 public:
  // A failure ends the list and is its result.
  using Sink = std::function<absl::Status(const v1::ListRecordsResponse&)>;

  // All must outlive this object.
  RecordList(DatasetCatalog& catalog, SampleIndex& indexes, UnpackedCache& files,
             int64_t block_bytes)
      : catalog_(catalog), indexes_(indexes), files_(files), block_bytes_(block_bytes) {}

  // Sends at least one message after some thousands of samples each. Returns the errors of
  // RecordSearch and SampleIndex::RefreshWhole.
  absl::Status Send(const v1::ListRecordsRequest& request, const Sink& sink) const;

 private:
  absl::Status SendStep(const RecordSearch& search, const RecordSearch::Step& step,
                        v1::ListRecordsResponse& response, const Sink& sink) const;
  absl::Status AddRecords(
      const RecordSearch& search, std::span<const RecordSearch::Match> matches,
      google::protobuf::RepeatedPtrField<v1::ListRecordsResponse::Record>& records) const;

  DatasetCatalog& catalog_;
  SampleIndex& indexes_;
  UnpackedCache& files_;
  const int64_t block_bytes_;
};

}  // namespace tidemill::storage
