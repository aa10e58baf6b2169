#include "supervisor/grpc_downstream.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/logs/log.h"
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

// The callback that a client passes as `progress`. It never ends a call.
template <typename Message>
auto Told(const std::function<void(const Message&)>& progress) {
  return [&progress](const Message& message) {
    progress(message);
    return absl::OkStatus();
  };
}

// A client whose calls end when their caller stops, and when the job has lost its slots.
template <typename Client>
class ClientAt {
 public:
  ClientAt(rpc::Peer peer, const JobPlace& at)
      : with_caller_(peer.stop, EndCalls{end_}), with_job_(at.over, EndCalls{end_}) {
    peer.endpoint = at.endpoint;
    peer.stop = end_.get_token();
    client_.emplace(std::move(peer));
  }
  Client* operator->() { return &*client_; }

 private:
  struct EndCalls {
    std::stop_source end;
    void operator()() { end.request_stop(); }
  };
  std::stop_source end_;
  const std::stop_callback<EndCalls> with_caller_;
  const std::stop_callback<EndCalls> with_job_;
  std::optional<Client> client_;
};

// For questions that can do without an answer.
constexpr std::chrono::seconds kHasty{3};

rpc::Peer Hasty(rpc::Peer peer) {
  peer.deadline = kHasty;
  return peer;
}

template <typename Response>
void AddServer(const char* name, const absl::StatusOr<Response>& answer,
               v1::ListDevicesResponse& response) {
  v1::ServerSlots& added = *response.add_servers();
  added.set_server(name);
  if (!answer.ok()) {
    added.set_error(std::string(answer.status().message()));
    return;
  }
  *added.mutable_slots() = answer->slots();
  added.set_why_no_gpu(answer->why_no_gpu());
}

class GrpcDownstream final : public Downstream {
 public:
  GrpcDownstream(const DownstreamPeers& peers, const std::stop_token& stop)
      : stop_(stop),
        storage_(Stoppable(peers.storage, stop)),
        selector_(Stoppable(peers.selector, stop)),
        trainer_peer_(Stoppable(peers.trainer_server, stop)),
        model_store_(Stoppable(peers.model_store, stop)),
        evaluator_peer_(Stoppable(peers.evaluator, stop)),
        evaluator_(evaluator_peer_) {}

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

  v1::ListDevicesResponse ListDevices(const std::vector<std::string>& trainers) override {
    v1::ListDevicesResponse response;
    // The trainer server of a stack that has just started has not registered yet.
    std::vector<std::string> configured;
    if (!trainer_peer_.endpoint.empty()) configured = {trainer_peer_.endpoint};
    for (const std::string& endpoint : trainers.empty() ? configured : trainers) {
      rpc::Peer peer = Hasty(trainer_peer_);
      peer.endpoint = endpoint;
      trainer_server::TrainerClient trainer(std::move(peer));
      AddServer("trainer_server", trainer.ListDevices(), response);
    }
    evaluator::EvaluatorClient evaluator(Hasty(evaluator_peer_));
    AddServer("evaluator", evaluator.ListDevices(), response);
    return response;
  }

  absl::StatusOr<trainer_server::v1::FitGraphResponse> FitGraph(
      const JobPlace& at, const trainer_server::v1::FitGraphRequest& request) override {
    return TrainerAt(at)->FitGraph(request);
  }

  absl::StatusOr<trainer_server::v1::GetTrainingDigestResponse> GetTrainingDigest(
      const JobPlace& at, const trainer_server::v1::GetTrainingDigestRequest& request) override {
    return TrainerAt(at)->GetTrainingDigest(request);
  }

  absl::Status StartTraining(const JobPlace& at,
                             const trainer_server::v1::StartTrainingRequest& request) override {
    return TrainerAt(at)->StartTraining(request);
  }

  absl::Status WatchTraining(
      const JobPlace& at, RunId run, int64_t trigger,
      const std::function<void(const trainer_server::v1::WatchTrainingResponse&)>& progress)
      override {
    return TrainerAt(at)->WatchTraining(run, trigger, Told(progress)).status();
  }

  absl::Status StopTraining(const JobPlace& at, const rpc::v1::Command& command,
                            int64_t trigger) override {
    return TrainerAt(at)->StopTraining(command, trigger);
  }

  absl::StatusOr<trainer_server::v1::StoreModelResponse> StoreModel(
      const JobPlace& at, const trainer_server::v1::StoreModelRequest& request) override {
    return TrainerAt(at)->StoreModel(request);
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

  absl::Status StartEvaluation(const JobPlace& at,
                               const evaluator::v1::StartEvaluationRequest& request) override {
    return EvaluatorAt(at)->StartEvaluation(request);
  }

  absl::Status WatchEvaluation(
      const JobPlace& at, RunId run, int32_t evaluation,
      const std::function<void(const evaluator::v1::WatchEvaluationResponse&)>& progress) override {
    return EvaluatorAt(at)->WatchEvaluation(run, evaluation, Told(progress)).status();
  }

  absl::StatusOr<std::vector<evaluator::v1::Evaluation>> ListEvaluations(RunId run) override {
    return evaluator_.ListEvaluations(run);
  }

  absl::StatusOr<OutcomeSummary> SummariseOutcomes(RunId run, int32_t num_evaluations) override {
    return evaluator_.SummariseOutcomes(run, num_evaluations);
  }

  absl::Status ReadModelColumns(const evaluator::v1::ReadModelColumnsRequest& request,
                                const std::function<absl::Status(batch::Batch)>& sink) override {
    return evaluator_.ReadModelColumns(request, sink);
  }

  absl::Status Retire(const rpc::v1::Command& command, const v1::ModelsRetired& retired,
                      const std::vector<std::string>& trainers) override {
    RETURN_IF_ERROR(
        model_store_.RetireModels(command, retired.first_model(),
                                  {retired.kept_models().begin(), retired.kept_models().end()}));
    RETURN_IF_ERROR(AtAll(trainers, [&](trainer_server::TrainerClient& trainer) {
      return trainer.RetireTrainings(command, retired.first_model());
    }));
    return selector_.RetireTrainingSets(command, retired.first_training_set());
  }

  absl::Status DeleteRun(const rpc::v1::Command& command,
                         const std::vector<std::string>& trainers) override {
    RETURN_IF_ERROR(evaluator_.DeleteRun(command).status());
    RETURN_IF_ERROR(model_store_.DeleteRun(command).status());
    RETURN_IF_ERROR(AtAll(trainers, [&](trainer_server::TrainerClient& trainer) {
      return trainer.DeleteRun(command);
    }));
    return selector_.DeleteRun(command).status();
  }

 private:
  // How long a trainer server may take to remove files before it counts as one that is away.
  static constexpr std::chrono::seconds kRemovalDeadline{30};

  ClientAt<trainer_server::TrainerClient> TrainerAt(const JobPlace& at) const {
    return {trainer_peer_, at};
  }
  ClientAt<evaluator::EvaluatorClient> EvaluatorAt(const JobPlace& at) const {
    return {evaluator_peer_, at};
  }

  absl::Status AtAll(
      const std::vector<std::string>& trainers,
      const std::function<absl::Status(trainer_server::TrainerClient&)>& call) const {
    for (const std::string& endpoint : trainers) {
      rpc::Peer peer = trainer_peer_;
      peer.endpoint = endpoint;
      peer.deadline = kRemovalDeadline;
      trainer_server::TrainerClient trainer(std::move(peer));
      const absl::Status status = call(trainer);
      if (!absl::IsUnavailable(status)) {
        RETURN_IF_ERROR(status);
        continue;
      }
      log::Warn("a trainer server keeps files that nobody needs",
                {{"endpoint", endpoint}, {"error", status.ToString()}});
    }
    return absl::OkStatus();
  }

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
  const rpc::Peer trainer_peer_;
  model_store::ModelStoreClient model_store_;
  const rpc::Peer evaluator_peer_;
  evaluator::EvaluatorClient evaluator_;  // What belongs to no job.
};

}  // namespace

DownstreamFactory ConnectByGrpc(const DownstreamPeers& peers) {
  return [peers](const std::stop_token& stop) -> std::unique_ptr<Downstream> {
    return std::make_unique<GrpcDownstream>(peers, stop);
  };
}

}  // namespace tidemill::supervisor
