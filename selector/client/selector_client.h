// Calls to the selector. Thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "rpc/channel.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"

namespace tidemill::selector {

// Every method is idempotent. A call that fails with UNAVAILABLE is retried until the peer's
// deadline. The errors are as in selector.proto.
class SelectorClient {
 public:
  static constexpr char kService[] = "selector";

  explicit SelectorClient(rpc::Peer peer);

  absl::StatusOr<v1::TrainingSet> SealTrainingSet(const v1::SealTrainingSetRequest& request);
  absl::StatusOr<v1::TrainingSet> GetTrainingSet(RunId run, int64_t trigger);
  // Returns the training sets of a run, ordered by trigger.
  absl::StatusOr<std::vector<v1::TrainingSet>> ListTrainingSets(RunId run);

  absl::StatusOr<v1::CompareTrainingSetsResponse> CompareTrainingSets(
      const v1::CompareTrainingSetsRequest& request);
  // Returns the training sets of a dataset that hold some of the samples, ordered by run and
  // trigger. Not retried.
  absl::StatusOr<std::vector<v1::FindTrainingSetsResponse::Match>> FindTrainingSets(
      const v1::FindTrainingSetsRequest& request);

  // Returns all entries in the order of ordinals. The columns are `key` and, unless every weight is
  // 1, `weight`. The selector verifies the digest first. DATA_LOSS when the set is damaged.
  absl::StatusOr<batch::Batch> ReadTrainingSet(RunId run, int64_t trigger);
  // Returns the entries [from_ordinal, to_ordinal). A `to_ordinal` of 0 means the end of the set.
  absl::StatusOr<batch::Batch> ReadTrainingSet(RunId run, int64_t trigger, int64_t from_ordinal,
                                               int64_t to_ordinal);

  // Returns the same as consecutive pieces, as they arrive, for a caller that copies them anyway.
  absl::StatusOr<std::vector<batch::Batch>> ReadTrainingSetInPieces(RunId run, int64_t trigger);

  // Returns the keys of the samples that came too late for the previous trigger, whether they were
  // candidates or not.
  absl::StatusOr<batch::Batch> ReadLateSamples(RunId run, int64_t trigger);

  absl::Status RetireTrainingSets(const rpc::v1::Command& command, int64_t first_kept_trigger);

  // Returns the number of training sets deleted.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  absl::StatusOr<batch::Batch> Read(const v1::ReadTrainingSetRequest& request);
  absl::StatusOr<std::vector<batch::Batch>> ReadPieces(const v1::ReadTrainingSetRequest& request);
  absl::StatusOr<std::vector<batch::Batch>> ReadOnce(const v1::ReadTrainingSetRequest& request);

  const rpc::Peer peer_;
  const std::shared_ptr<grpc::Channel> channel_;  // The stub shares it.
  const std::unique_ptr<v1::SelectorService::Stub> stub_;
};

}  // namespace tidemill::selector
