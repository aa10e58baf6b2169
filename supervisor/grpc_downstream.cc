#include "supervisor/grpc_downstream.h"

#include <utility>

#include "evaluator/client/evaluator_client.h"
#include "model_store/client/model_store_client.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "trainer_server/client/trainer_client.h"

namespace tidemill::supervisor {
namespace {

rpc::Peer Stoppable(rpc::Peer peer, const std::stop_token& stop) {
  peer.stop = stop;
  return peer;
}

// What a client gives to `progress`, which never ends a call.
template <typename Message>
auto Told(const std::function<void(const Message&)>& progress) {
  return [&progress](const Message& message) {
    progress(message);
    return absl::OkStatus();
  };
}

class GrpcDownstream final : public Downstream {
 public:
  GrpcDownstream(const DownstreamPeers& peers, const std::stop_token& stop)
      : stop_(stop),
        storage_(Stoppable(peers.storage, stop)),
        selector_(Stoppable(peers.selector, stop)),
        trainer_(Stoppable(peers.trainer_server, stop)),
        model_store_(Stoppable(peers.model_store, stop)),
        evaluator_(Stoppable(peers.evaluator, stop)) {}

  absl::StatusOr<storage::v1::RegisterDatasetResponse> RegisterDataset(
      const std::string& name, const std::string& spec, const rpc::v1::Command& command,
      storage::v1::OnOtherSpec on_other_spec) override {
    return storage_.RegisterDataset(name, spec, command, on_other_spec);
  }

  absl::StatusOr<storage::v1::ReadDatasetHeadResponse> PeekDataset(
      const std::string& spec) override {
    return storage_.ReadDatasetHead(spec);
  }

  absl::StatusOr<storage::v1::Dataset> GetDataset(const std::string& name) override {
    return storage_.GetDataset(name);
  }

  absl::StatusOr<rpc::v1::Snapshot> SyncDataset(
      DatasetId dataset, std::optional<Duration> max_wait,
      const std::function<void(const storage::v1::SyncDatasetResponse&)>& progress) override {
    if (max_wait) return storage_.SyncDatasetWithin(dataset, *max_wait, progress);
    return storage_.SyncDataset(dataset, progress);
  }

  absl::Status ListSamples(const storage::v1::ListSamplesRequest& request,
                           const std::function<absl::Status(batch::Batch)>& sink) override {
    return storage_.ListSamples(request, UnlessStopped(sink));
  }

  absl::Status ReadSamples(DatasetId dataset, std::span<const int64_t> keys,
                           const std::function<absl::Status(batch::Batch)>& sink) override {
    return storage_.ReadSamples(dataset, keys,
                                [take = UnlessStopped(sink)](batch::Batch batch, const auto&) {
                                  return take(std::move(batch));
                                });
  }

  absl::StatusOr<selector::v1::TrainingSet> SealTrainingSet(
      const selector::v1::SealTrainingSetRequest& request) override {
    return selector_.SealTrainingSet(request);
  }

  absl::StatusOr<trainer_server::v1::FitGraphResponse> FitGraph(
      const trainer_server::v1::FitGraphRequest& request) override {
    return trainer_.FitGraph(request);
  }

  absl::StatusOr<trainer_server::v1::GetTrainingDigestResponse> GetTrainingDigest(
      const trainer_server::v1::GetTrainingDigestRequest& request) override {
    return trainer_.GetTrainingDigest(request);
  }

  absl::Status StartTraining(const trainer_server::v1::StartTrainingRequest& request) override {
    return trainer_.StartTraining(request);
  }

  absl::Status WatchTraining(
      RunId run, int64_t trigger,
      const std::function<void(const trainer_server::v1::WatchTrainingResponse&)>& progress)
      override {
    return trainer_.WatchTraining(run, trigger, Told(progress)).status();
  }

  absl::Status StopTraining(const rpc::v1::Command& command, int64_t trigger) override {
    return trainer_.StopTraining(command, trigger);
  }

  absl::StatusOr<trainer_server::v1::StoreModelResponse> StoreModel(
      const trainer_server::v1::StoreModelRequest& request) override {
    return trainer_.StoreModel(request);
  }

  absl::StatusOr<std::optional<model_store::v1::Model>> FindModel(
      const std::string& training_digest) override {
    return model_store_.FindModel(training_digest);
  }

  absl::StatusOr<model_store::v1::ReuseModelResponse> ReuseModel(
      const model_store::v1::ReuseModelRequest& request) override {
    return model_store_.ReuseModel(request);
  }

  absl::Status KeepFile(const model_store::v1::PutFileRequest::Header& header,
                        const NextBytes& next) override {
    return model_store_.PutFile(header, next);
  }

  absl::Status FindFile(const std::string& digest) override {
    return model_store_.FindFile(digest);
  }

  absl::Status RetireFiles(const std::vector<std::string>& kept) override {
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    return model_store_.RetireFiles(command, kept);
  }

  absl::Status StartEvaluation(const evaluator::v1::StartEvaluationRequest& request) override {
    return evaluator_.StartEvaluation(request);
  }

  absl::Status WatchEvaluation(
      RunId run, int32_t evaluation,
      const std::function<void(const evaluator::v1::WatchEvaluationResponse&)>& progress) override {
    return evaluator_.WatchEvaluation(run, evaluation, Told(progress)).status();
  }

  absl::StatusOr<std::vector<evaluator::v1::Evaluation>> ListEvaluations(RunId run) override {
    return evaluator_.ListEvaluations(run);
  }

  absl::Status ReadModelColumns(const evaluator::v1::ReadModelColumnsRequest& request,
                                const std::function<absl::Status(batch::Batch)>& sink) override {
    return evaluator_.ReadModelColumns(request, sink);
  }

  absl::Status Retire(const rpc::v1::Command& command, const v1::ModelsRetired& retired) override {
    RETURN_IF_ERROR(model_store_.RetireModels(command, retired.first_model()));
    RETURN_IF_ERROR(trainer_.RetireTrainings(command, retired.first_model()));
    return selector_.RetireTrainingSets(command, retired.first_training_set());
  }

  absl::Status DeleteRun(const rpc::v1::Command& command) override {
    RETURN_IF_ERROR(evaluator_.DeleteRun(command).status());
    RETURN_IF_ERROR(model_store_.DeleteRun(command).status());
    RETURN_IF_ERROR(trainer_.DeleteRun(command));
    return selector_.DeleteRun(command).status();
  }

 private:
  using BatchSink = std::function<absl::Status(batch::Batch)>;

  BatchSink UnlessStopped(const BatchSink& sink) const {
    return [this, &sink](batch::Batch batch) -> absl::Status {
      if (stop_.stop_requested()) return Cancelled("the caller stopped");
      return sink(std::move(batch));
    };
  }

  const std::stop_token stop_;
  const storage::StorageClient storage_;
  selector::SelectorClient selector_;
  trainer_server::TrainerClient trainer_;
  model_store::ModelStoreClient model_store_;
  evaluator::EvaluatorClient evaluator_;
};

}  // namespace

DownstreamFactory ConnectByGrpc(const DownstreamPeers& peers) {
  return [peers](const std::stop_token& stop) -> std::unique_ptr<Downstream> {
    return std::make_unique<GrpcDownstream>(peers, stop);
  };
}

}  // namespace tidemill::supervisor
