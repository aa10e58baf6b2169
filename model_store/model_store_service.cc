#include "model_store/model_store_service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rpc/callers/job_scope.h"
#include "rpc/grpc_status.h"

namespace tidemill::model_store {
namespace {

// The memory of a stream of a file or a part: a piece that is sent or received, and its message.
constexpr int64_t kPieceBytes = int64_t{2} << 20;
constexpr Duration kGrace{int64_t{3'600} * 1'000'000};

absl::StatusOr<ModelId> Put(ModelStore& store, rpc::StreamPermit& permit,
                            grpc::ServerReader<v1::PutModelRequest>& reader) {
  v1::PutModelRequest message;
  if (!permit.Read(reader, &message) || !message.has_header()) {
    return InvalidArgument("the first message has no header");
  }
  const v1::PutModelRequest::Header header = message.header();
  ASSIGN_OR_RETURN(const auto upload,
                   store.Begin(header.command(), header.model(), header.result()));
  if (upload->is_whole()) return upload->Finish();
  while (permit.Read(reader, &message)) {
    if (!message.has_bytes()) return InvalidArgument("received a second header");
    RETURN_IF_ERROR(upload->Append(message.bytes()));
  }
  return upload->Finish();
}

// A job that may read the models of its run may read no others, except for those that its token
// names.
absl::Status CheckRunOf(const v1::Model& model, const rpc::JobScope& scope) {
  if (!scope.is_job()) return absl::OkStatus();
  const rpc::v1::JobClaims& claims = *scope.claims();
  const auto& named = claims.model_ids();
  if (std::ranges::find(named, model.model_id()) != named.end()) return absl::OkStatus();
  if (claims.models_of_run() && model.run_id() == claims.run_id()) return absl::OkStatus();
  return rpc::BeyondScope(claims, fmt::format("model {}", model.model_id()));
}

// Returns nullptr when the file is stored already. One that has rotted is taken again.
absl::StatusOr<std::unique_ptr<IncomingFile>> Begin(const KeptFiles& files, KeptJobs& jobs,
                                                    const v1::PutFileRequest::Header& header) {
  if (header.of_run()) return jobs.Begin(header);
  if (files.IsSound(header.digest(), header.size_bytes())) return nullptr;
  return files.Begin(header.digest(), header.size_bytes());
}

absl::Status Put(const KeptFiles& files, KeptJobs& jobs, rpc::StreamPermit& permit,
                 grpc::ServerReader<v1::PutFileRequest>& reader) {
  v1::PutFileRequest message;
  if (!permit.Read(reader, &message) || !message.has_header()) {
    return InvalidArgument("the first message has no header");
  }
  ASSIGN_OR_RETURN(const auto incoming, Begin(files, jobs, message.header()));
  if (incoming == nullptr) return absl::OkStatus();
  while (permit.Read(reader, &message)) {
    if (!message.has_bytes()) return InvalidArgument("received a second header");
    RETURN_IF_ERROR(incoming->Append(message.bytes()));
  }
  return incoming->Finish();
}

}  // namespace

grpc::Status ModelStoreService::PutModel(grpc::ServerContext* context,
                                         grpc::ServerReader<v1::PutModelRequest>* reader,
                                         v1::PutModelResponse* response) {
  const auto put = [&](rpc::StreamPermit& permit) -> absl::Status {
    RETURN_IF_ERROR(permit.Hold(kPieceBytes));
    ASSIGN_OR_RETURN(const ModelId id, Put(store_, permit, *reader));
    response->set_model_id(id.value);
    return absl::OkStatus();
  };
  return rpc::WithPlace(streams_, *context, "PutModel", put);
}

grpc::Status ModelStoreService::GetModel(grpc::ServerContext* context,
                                         const v1::GetModelRequest* request,
                                         v1::GetModelResponse* response) {
  const rpc::JobScope scope = rpc::JobScope::OfCall(*context);
  RETURN_GRPC_IF_ERROR(scope.Check(*request));
  auto model = store_.Get(ModelId{request->model_id()});
  if (!model.ok()) return ToGrpc(model.status());
  RETURN_GRPC_IF_ERROR(CheckRunOf(*model, scope));
  *response->mutable_model() = *std::move(model);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::ListModels(grpc::ServerContext*,
                                           const v1::ListModelsRequest* request,
                                           v1::ListModelsResponse* response) {
  auto listed = store_.List(*request);
  if (!listed.ok()) return ToGrpc(listed.status());
  *response = *std::move(listed);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::ReadModel(grpc::ServerContext* context,
                                          const v1::ReadModelRequest* request,
                                          grpc::ServerWriter<v1::ReadModelResponse>* writer) {
  const rpc::JobScope scope = rpc::JobScope::OfCall(*context);
  RETURN_GRPC_IF_ERROR(scope.Check(*request));
  const auto send_all = [&](rpc::StreamPermit& permit) -> absl::Status {
    RETURN_IF_ERROR(permit.Hold(kPieceBytes));
    const ModelId id{request->model_id()};
    if (scope.is_job()) {
      ASSIGN_OR_RETURN(const v1::Model model, store_.Get(id));
      RETURN_IF_ERROR(CheckRunOf(model, scope));
    }
    return store_.Read(id, request->part(), [&](std::string_view bytes) {
      v1::ReadModelResponse response;
      response.set_bytes(std::string(bytes));
      return permit.Write(*writer, response) ? absl::OkStatus() : Cancelled("the reader is gone");
    });
  };
  return rpc::WithPlace(streams_, *context, "ReadModel", send_all);
}

grpc::Status ModelStoreService::FindModel(grpc::ServerContext*, const v1::FindModelRequest* request,
                                          v1::FindModelResponse* response) {
  auto found = store_.FindOfDigest(request->training_digest());
  if (!found.ok()) return ToGrpc(found.status());
  if (*found) *response->mutable_model() = **std::move(found);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::ReuseModel(grpc::ServerContext*,
                                           const v1::ReuseModelRequest* request,
                                           v1::ReuseModelResponse* response) {
  auto reused = store_.Reuse(*request);
  if (!reused.ok()) return ToGrpc(reused.status());
  if (!*reused) return grpc::Status::OK;
  *response->mutable_model() = std::move((*reused)->model);
  *response->mutable_result() = std::move((*reused)->result);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::RetireModels(grpc::ServerContext*,
                                             const v1::RetireModelsRequest* request,
                                             v1::RetireModelsResponse* response) {
  const auto num_removed =
      store_.Retire(request->command(), request->first_kept_trigger(),
                    {request->also_kept().begin(), request->also_kept().end()});
  if (!num_removed.ok()) return ToGrpc(num_removed.status());
  response->set_num_removed(*num_removed);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::PutFile(grpc::ServerContext* context,
                                        grpc::ServerReader<v1::PutFileRequest>* reader,
                                        v1::PutFileResponse*) {
  return rpc::WithPlace(streams_, *context, "PutFile",
                        [&](rpc::StreamPermit& permit) -> absl::Status {
                          RETURN_IF_ERROR(permit.Hold(kPieceBytes));
                          return Put(files_, jobs_, permit, *reader);
                        });
}

grpc::Status ModelStoreService::GetFile(grpc::ServerContext*, const v1::GetFileRequest* request,
                                        v1::GetFileResponse* response) {
  const auto size_bytes = files_.Find(request->digest());
  if (!size_bytes.ok()) return ToGrpc(size_bytes.status());
  response->set_size_bytes(*size_bytes);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::ReadFile(grpc::ServerContext* context,
                                         const v1::ReadFileRequest* request,
                                         grpc::ServerWriter<v1::ReadFileResponse>* writer) {
  RETURN_GRPC_IF_ERROR(rpc::JobScope::OfCall(*context).Check(*request));
  const auto send_all = [&](rpc::StreamPermit& permit) -> absl::Status {
    RETURN_IF_ERROR(permit.Hold(kPieceBytes));
    const auto send = [&](std::string_view bytes) {
      v1::ReadFileResponse response;
      response.set_bytes(std::string(bytes));
      return permit.Write(*writer, response) ? absl::OkStatus() : Cancelled("the reader is gone");
    };
    if (request->run_id() == 0) return files_.Read(request->digest(), send);
    return jobs_.Read(RunId{request->run_id()}, request->digest(), send);
  };
  return rpc::WithPlace(streams_, *context, "ReadFile", send_all);
}

grpc::Status ModelStoreService::RetireFiles(grpc::ServerContext*,
                                            const v1::RetireFilesRequest* request,
                                            v1::RetireFilesResponse* response) {
  const auto num_removed = files_.Retire({request->kept().begin(), request->kept().end()}, kGrace);
  if (!num_removed.ok()) return ToGrpc(num_removed.status());
  response->set_num_removed(*num_removed);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::KeepJob(grpc::ServerContext*, const v1::KeepJobRequest* request,
                                        v1::KeepJobResponse* response) {
  const auto is_latest = jobs_.Keep(*request);
  if (!is_latest.ok()) return ToGrpc(is_latest.status());
  response->set_is_latest(*is_latest);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::GetKeptJob(grpc::ServerContext*,
                                           const v1::GetKeptJobRequest* request,
                                           v1::GetKeptJobResponse* response) {
  auto job = jobs_.Get(RunId{request->run_id()}, request->trigger(), request->kind());
  if (!job.ok()) return ToGrpc(job.status());
  *response = *std::move(job);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::GetStoredBytes(grpc::ServerContext*,
                                               const v1::GetStoredBytesRequest*,
                                               v1::GetStoredBytesResponse* response) {
  auto bytes = jobs_.CountBytes();
  if (!bytes.ok()) return ToGrpc(bytes.status());
  const auto of_pipelines = files_.CountBytes();
  if (!of_pipelines.ok()) return ToGrpc(of_pipelines.status());
  *response = *std::move(bytes);
  response->set_pipelines(*of_pipelines);
  return grpc::Status::OK;
}

grpc::Status ModelStoreService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                          v1::DeleteRunResponse* response) {
  const auto num_deleted = store_.DeleteRun(request->command());
  if (!num_deleted.ok()) return ToGrpc(num_deleted.status());
  response->set_num_deleted(*num_deleted);
  return grpc::Status::OK;
}

}  // namespace tidemill::model_store
