// The calls of the supervisor to the services below it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/time.h"
#include "batch/batch.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"
#include "tidemill/supervisor/v1/devices.pb.h"
#include "tidemill/supervisor/v1/run_event.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::supervisor {

// Where a job runs: a trainer server or an evaluator. Calls end with CANCELLED once `over` says
// that the job has lost its slots there.
struct JobPlace {
  std::string endpoint;
  // The device that it has there: "cpu", "cuda:1".
  std::string slot = {};
  // Grows with each place that the job gets.
  int64_t attempt = 0;
  std::stop_token over = {};
};

// Every method is idempotent. It waits for an unreachable service, and returns UNAVAILABLE when
// that takes too long. The errors are as in the services' protos. Thread-safe.
class Downstream {
 public:
  virtual ~Downstream() = default;

  virtual absl::StatusOr<storage::v1::RegisterDatasetResponse> RegisterDataset(
      const std::string& name, const std::string& spec, const rpc::v1::Command& command,
      storage::v1::OnOtherSpec on_other_spec) = 0;
  // `spec` is a DatasetSpec as canonical YAML.
  virtual absl::StatusOr<storage::v1::ReadDatasetHeadResponse> PeekDataset(
      const std::string& spec) = 0;
  virtual absl::StatusOr<storage::v1::Dataset> GetDataset(const std::string& name) = 0;
  // Waits for files that still change, at most `max_wait` if that is given, and otherwise as long
  // as storage's configuration says. The last progress names those that were not taken.
  virtual absl::StatusOr<rpc::v1::Snapshot> SyncDataset(
      DatasetId dataset, std::optional<Duration> max_wait,
      const std::function<void(const storage::v1::SyncDatasetResponse&)>& progress) = 0;
  // A status of `sink` other than OK ends the call and is its result.
  virtual absl::Status ListSamples(const storage::v1::ListSamplesRequest& request,
                                   const std::function<absl::Status(batch::Batch)>& sink) = 0;
  // Reads samples with payload and labels, in the order of the keys. Samples that cannot be read
  // are left out. `sink` is as above.
  virtual absl::Status ReadSamples(DatasetId dataset, std::span<const int64_t> keys,
                                   const std::function<absl::Status(batch::Batch)>& sink) = 0;

  virtual absl::StatusOr<selector::v1::TrainingSet> SealTrainingSet(
      const selector::v1::SealTrainingSetRequest& request) = 0;

  // Returns the devices of the servers that run jobs. A server that does not answer within seconds
  // has its reason there. `trainers` are the endpoints of the trainer servers.
  virtual v1::ListDevicesResponse ListDevices(const std::vector<std::string>& trainers) = 0;

  virtual absl::StatusOr<trainer_server::v1::FitGraphResponse> FitGraph(
      const JobPlace& at, const trainer_server::v1::FitGraphRequest& request) = 0;
  virtual absl::StatusOr<trainer_server::v1::GetTrainingDigestResponse> GetTrainingDigest(
      const JobPlace& at, const trainer_server::v1::GetTrainingDigestRequest& request) = 0;
  virtual absl::Status StartTraining(const JobPlace& at,
                                     const trainer_server::v1::StartTrainingRequest& request) = 0;
  // Returns when the training is DONE, FAILED or STOPPED, or when the stream broke. `progress` gets
  // the last state seen.
  virtual absl::Status WatchTraining(
      const JobPlace& at, RunId run, int64_t trigger,
      const std::function<void(const trainer_server::v1::WatchTrainingResponse&)>& progress) = 0;
  virtual absl::Status StopTraining(const JobPlace& at, const rpc::v1::Command& command,
                                    int64_t trigger) = 0;
  virtual absl::StatusOr<trainer_server::v1::StoreModelResponse> StoreModel(
      const JobPlace& at, const trainer_server::v1::StoreModelRequest& request) = 0;

  // Returns a model whose training has this digest, if there is one.
  virtual absl::StatusOr<std::optional<model_store::v1::Model>> FindModel(
      const std::string& training_digest) = 0;
  // Gives a trigger such a model. The answer is empty when there is none.
  virtual absl::StatusOr<model_store::v1::ReuseModelResponse> ReuseModel(
      const model_store::v1::ReuseModelRequest& request) = 0;

  // Stores a file by its digest. `next` returns the next bytes, and std::nullopt at the end. Any
  // other status of `next` is the result, and nothing is stored. Not repeated.
  using NextBytes = std::function<absl::StatusOr<std::optional<std::string>>()>;
  virtual absl::Status KeepFile(const model_store::v1::PutFileRequest::Header& header,
                                const NextBytes& next) = 0;
  // NOT_FOUND when no file with that digest is stored.
  virtual absl::Status FindFile(const std::string& digest) = 0;
  // Removes the files of other digests.
  virtual absl::Status RetireFiles(const std::vector<std::string>& kept) = 0;

  virtual absl::Status StartEvaluation(const JobPlace& at,
                                       const evaluator::v1::StartEvaluationRequest& request) = 0;
  // Behaves as WatchTraining().
  virtual absl::Status WatchEvaluation(
      const JobPlace& at, RunId run, int32_t evaluation,
      const std::function<void(const evaluator::v1::WatchEvaluationResponse&)>& progress) = 0;
  virtual absl::StatusOr<std::vector<evaluator::v1::Evaluation>> ListEvaluations(RunId run) = 0;
  using OutcomeSummary = evaluator::v1::SummariseOutcomesResponse;
  virtual absl::StatusOr<OutcomeSummary> SummariseOutcomes(RunId run, int32_t num_evaluations) = 0;
  // Behaves as ListSamples().
  virtual absl::Status ReadModelColumns(const evaluator::v1::ReadModelColumnsRequest& request,
                                        const std::function<absl::Status(batch::Batch)>& sink) = 0;

  // Removes the models and sets that retention does not keep. `trainers` are the endpoints of the
  // trainer servers. One that cannot be reached is left out. Idempotent.
  virtual absl::Status Retire(const rpc::v1::Command& command, const v1::ModelsRetired& retired,
                              const std::vector<std::string>& trainers) = 0;

  // Deletes everything that the services keep for the command's run. `trainers` are as above.
  virtual absl::Status DeleteRun(const rpc::v1::Command& command,
                                 const std::vector<std::string>& trainers) = 0;
};

// Makes the connections of one user. A stop requested from `stop` ends their calls with CANCELLED.
using DownstreamFactory = std::function<std::unique_ptr<Downstream>(std::stop_token stop)>;

}  // namespace tidemill::supervisor
