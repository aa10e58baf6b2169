#include "supervisor/grpc_downstream.h"

#include <utility>

#include "evaluator/client/evaluator_client.h"
#include "rpc/grpc_status.h"
#include "storage/client/storage_client.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.grpc.pb.h"

namespace tidemill::supervisor {
namespace {

using evaluator::v1::EvaluatorService;
using model_store::v1::ModelStoreService;
using selector::v1::SelectorService;
using storage::v1::StorageService;
using trainer_server::v1::TrainerService;

// A service's peer, whose calls end when `stop` is requested, and its stub.
template <typename Service>
struct Connection {
  Connection(rpc::Peer to, std::stop_token stop)
      : peer(std::move(to)), stub(Service::NewStub(rpc::Connect(peer))) {
    peer.stop = std::move(stop);
  }

  template <typename Method, typename Request, typename Response>
  absl::Status Call(Method method, const Request& request, Response* response) {
    return rpc::Call(peer, *stub, method, request, response);
  }

  // Reads a stream to its end.
  template <typename Response, typename Method, typename Request>
  absl::Status Read(Method method, const Request& request,
                    const std::function<void(const Response&)>& each) {
    grpc::ClientContext context;
    rpc::Prepare(peer, std::chrono::milliseconds{0}, context);
    const std::stop_callback cancel(peer.stop, [&context] { context.TryCancel(); });
    const auto reader = ((*stub).*method)(&context, request);
    Response response;
    while (reader->Read(&response)) each(response);
    return FromGrpc(reader->Finish());
  }

  rpc::Peer peer;
  std::unique_ptr<typename Service::Stub> stub;
};

rpc::Peer Stoppable(rpc::Peer peer, const std::stop_token& stop) {
  peer.stop = stop;
  return peer;
}

class GrpcDownstream final : public Downstream {
 public:
  GrpcDownstream(const DownstreamPeers& peers, const std::stop_token& stop)
      : stop_(stop),
        storage_(peers.storage, stop),
        selector_(peers.selector, stop),
        trainer_(peers.trainer_server, stop),
        model_store_(peers.model_store, stop),
        evaluator_(peers.evaluator, stop),
        samples_(Stoppable(peers.storage, stop)),
        models_(Stoppable(peers.evaluator, stop)) {}

  absl::StatusOr<storage::v1::RegisterDatasetResponse> RegisterDataset(
      const std::string& name, const std::string& spec, const rpc::v1::Command& command) override {
    storage::v1::RegisterDatasetRequest request;
    *request.mutable_command() = command;
    request.set_name(name);
    request.set_spec(spec);
    storage::v1::RegisterDatasetResponse response;
    RETURN_IF_ERROR(storage_.Call(&StorageService::Stub::RegisterDataset, request, &response));
    return response;
  }

  absl::StatusOr<storage::v1::ReadDatasetHeadResponse> PeekDataset(
      const std::string& spec) override {
    storage::v1::ReadDatasetHeadRequest request;
    request.set_spec(spec);
    storage::v1::ReadDatasetHeadResponse response;
    RETURN_IF_ERROR(storage_.Call(&StorageService::Stub::ReadDatasetHead, request, &response));
    return response;
  }

  absl::StatusOr<storage::v1::Dataset> GetDataset(const std::string& name) override {
    storage::v1::GetDatasetRequest request;
    request.set_name(name);
    storage::v1::GetDatasetResponse response;
    RETURN_IF_ERROR(storage_.Call(&StorageService::Stub::GetDataset, request, &response));
    return std::move(*response.mutable_dataset());
  }

  absl::StatusOr<rpc::v1::Snapshot> SyncDataset(
      DatasetId dataset,
      const std::function<void(const storage::v1::SyncDatasetResponse&)>& progress) override {
    storage::v1::SyncDatasetRequest request;
    request.set_dataset_id(dataset.value);
    rpc::v1::Snapshot snapshot;
    bool complete = false;
    RETURN_IF_ERROR(storage_.Read<storage::v1::SyncDatasetResponse>(
        &StorageService::Stub::SyncDataset, request,
        [&](const storage::v1::SyncDatasetResponse& update) {
          if (update.has_snapshot()) {
            snapshot = update.snapshot();
            complete = true;
          }
          progress(update);
        }));
    if (!complete) return Unavailable("storage ended the sync without a snapshot");
    return snapshot;
  }

  absl::Status ListSamples(const storage::v1::ListSamplesRequest& request,
                           const std::function<absl::Status(batch::Batch)>& sink) override {
    return samples_.ListSamples(request, [&](batch::Batch batch) -> absl::Status {
      if (stop_.stop_requested()) return Cancelled("the caller stopped");
      return sink(std::move(batch));
    });
  }

  absl::Status ReadSamples(DatasetId dataset, std::span<const int64_t> keys,
                           const std::function<absl::Status(batch::Batch)>& sink) override {
    return samples_.ReadSamples(dataset, keys,
                                [&](batch::Batch batch, const auto&) -> absl::Status {
                                  if (stop_.stop_requested())
                                    return Cancelled("the caller stopped");
                                  return sink(std::move(batch));
                                });
  }

  absl::StatusOr<selector::v1::TrainingSet> SealTrainingSet(
      const selector::v1::SealTrainingSetRequest& request) override {
    selector::v1::SealTrainingSetResponse response;
    RETURN_IF_ERROR(selector_.Call(&SelectorService::Stub::SealTrainingSet, request, &response));
    return std::move(*response.mutable_training_set());
  }

  absl::StatusOr<std::string> FitGraph(
      const trainer_server::v1::FitGraphRequest& request) override {
    trainer_server::v1::FitGraphResponse response;
    RETURN_IF_ERROR(trainer_.Call(&TrainerService::Stub::FitGraph, request, &response));
    return response.fitted_digest();
  }

  absl::Status StartTraining(const trainer_server::v1::StartTrainingRequest& request) override {
    trainer_server::v1::StartTrainingResponse response;
    return trainer_.Call(&TrainerService::Stub::StartTraining, request, &response);
  }

  absl::Status WatchTraining(
      RunId run, int64_t trigger,
      const std::function<void(const trainer_server::v1::WatchTrainingResponse&)>& progress)
      override {
    trainer_server::v1::WatchTrainingRequest request;
    request.set_run_id(run.value);
    request.set_trigger(trigger);
    return trainer_.Read<trainer_server::v1::WatchTrainingResponse>(
        &TrainerService::Stub::WatchTraining, request, progress);
  }

  absl::Status StopTraining(const rpc::v1::Command& command, int64_t trigger) override {
    trainer_server::v1::StopTrainingRequest request;
    *request.mutable_command() = command;
    request.set_trigger(trigger);
    trainer_server::v1::StopTrainingResponse response;
    return trainer_.Call(&TrainerService::Stub::StopTraining, request, &response);
  }

  absl::StatusOr<trainer_server::v1::StoreModelResponse> StoreModel(
      const trainer_server::v1::StoreModelRequest& request) override {
    trainer_server::v1::StoreModelResponse response;
    RETURN_IF_ERROR(trainer_.Call(&TrainerService::Stub::StoreModel, request, &response));
    return response;
  }

  absl::Status KeepFile(const model_store::v1::PutFileRequest::Header& header,
                        const NextBytes& next) override {
    grpc::ClientContext context;
    rpc::Prepare(model_store_.peer, std::chrono::milliseconds{0}, context);
    const std::stop_callback cancel(model_store_.peer.stop, [&context] { context.TryCancel(); });
    model_store::v1::PutFileResponse response;
    const auto writer = model_store_.stub->PutFile(&context, &response);
    model_store::v1::PutFileRequest message;
    *message.mutable_header() = header;
    // What cannot be written is explained by the answer: the store may have the file already.
    for (bool goes_on = writer->Write(message); goes_on; goes_on = writer->Write(message)) {
      auto bytes = next();
      if (!bytes.ok()) {
        context.TryCancel();
        writer->Finish();
        return bytes.status();
      }
      if (!*bytes) break;
      message.set_bytes(**std::move(bytes));
    }
    writer->WritesDone();
    return FromGrpc(writer->Finish());
  }

  absl::Status FindFile(const std::string& digest) override {
    model_store::v1::GetFileRequest request;
    request.set_digest(digest);
    model_store::v1::GetFileResponse response;
    return model_store_.Call(&ModelStoreService::Stub::GetFile, request, &response);
  }

  absl::Status RetireFiles(const std::vector<std::string>& kept) override {
    model_store::v1::RetireFilesRequest request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.mutable_kept()->Assign(kept.begin(), kept.end());
    model_store::v1::RetireFilesResponse response;
    return model_store_.Call(&ModelStoreService::Stub::RetireFiles, request, &response);
  }

  absl::Status StartEvaluation(const evaluator::v1::StartEvaluationRequest& request) override {
    evaluator::v1::StartEvaluationResponse response;
    return evaluator_.Call(&EvaluatorService::Stub::StartEvaluation, request, &response);
  }

  absl::Status WatchEvaluation(
      RunId run, int32_t evaluation,
      const std::function<void(const evaluator::v1::WatchEvaluationResponse&)>& progress) override {
    evaluator::v1::WatchEvaluationRequest request;
    request.set_run_id(run.value);
    request.set_evaluation(evaluation);
    return evaluator_.Read<evaluator::v1::WatchEvaluationResponse>(
        &EvaluatorService::Stub::WatchEvaluation, request, progress);
  }

  absl::StatusOr<std::vector<evaluator::v1::Evaluation>> ListEvaluations(RunId run) override {
    evaluator::v1::ListEvaluationsRequest request;
    request.set_run_id(run.value);
    std::vector<evaluator::v1::Evaluation> evaluations;
    RETURN_IF_ERROR(evaluator_.Read<evaluator::v1::ListEvaluationsResponse>(
        &EvaluatorService::Stub::ListEvaluations, request,
        [&](const evaluator::v1::ListEvaluationsResponse& response) {
          evaluations.push_back(response.evaluation());
        }));
    return evaluations;
  }

  absl::Status ReadModelColumns(const evaluator::v1::ReadModelColumnsRequest& request,
                                const std::function<absl::Status(batch::Batch)>& sink) override {
    return models_.ReadModelColumns(request, sink);
  }

  absl::Status Retire(const rpc::v1::Command& command, const v1::ModelsRetired& retired) override {
    model_store::v1::RetireModelsRequest models;
    *models.mutable_command() = command;
    models.set_first_kept_trigger(retired.first_model());
    model_store::v1::RetireModelsResponse models_response;
    RETURN_IF_ERROR(
        model_store_.Call(&ModelStoreService::Stub::RetireModels, models, &models_response));
    trainer_server::v1::RetireTrainingsRequest trainings;
    *trainings.mutable_command() = command;
    trainings.set_first_kept_trigger(retired.first_model());
    trainer_server::v1::RetireTrainingsResponse trainings_response;
    RETURN_IF_ERROR(
        trainer_.Call(&TrainerService::Stub::RetireTrainings, trainings, &trainings_response));
    selector::v1::RetireTrainingSetsRequest sets;
    *sets.mutable_command() = command;
    sets.set_first_kept_trigger(retired.first_training_set());
    selector::v1::RetireTrainingSetsResponse sets_response;
    return selector_.Call(&SelectorService::Stub::RetireTrainingSets, sets, &sets_response);
  }

  absl::Status DeleteRun(const rpc::v1::Command& command) override {
    RETURN_IF_ERROR((Delete<evaluator::v1::DeleteRunRequest, evaluator::v1::DeleteRunResponse>(
        evaluator_, &EvaluatorService::Stub::DeleteRun, command)));
    RETURN_IF_ERROR((Delete<model_store::v1::DeleteRunRequest, model_store::v1::DeleteRunResponse>(
        model_store_, &ModelStoreService::Stub::DeleteRun, command)));
    RETURN_IF_ERROR(
        (Delete<trainer_server::v1::DeleteRunRequest, trainer_server::v1::DeleteRunResponse>(
            trainer_, &TrainerService::Stub::DeleteRun, command)));
    return Delete<selector::v1::DeleteRunRequest, selector::v1::DeleteRunResponse>(
        selector_, &SelectorService::Stub::DeleteRun, command);
  }

 private:
  template <typename Request, typename Response, typename Service, typename Method>
  static absl::Status Delete(Connection<Service>& connection, Method method,
                             const rpc::v1::Command& command) {
    Request request;
    *request.mutable_command() = command;
    Response response;
    return connection.Call(method, request, &response);
  }

  const std::stop_token stop_;
  Connection<StorageService> storage_;
  Connection<SelectorService> selector_;
  Connection<TrainerService> trainer_;
  Connection<ModelStoreService> model_store_;
  Connection<EvaluatorService> evaluator_;
  const storage::StorageClient samples_;
  evaluator::EvaluatorClient models_;
};

}  // namespace

DownstreamFactory ConnectByGrpc(const DownstreamPeers& peers) {
  return [peers](const std::stop_token& stop) -> std::unique_ptr<Downstream> {
    return std::make_unique<GrpcDownstream>(peers, stop);
  };
}

}  // namespace tidemill::supervisor
