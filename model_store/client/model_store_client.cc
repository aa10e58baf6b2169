#include "model_store/client/model_store_client.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "rpc/grpc_status.h"

namespace tidemill::model_store {
namespace {

constexpr size_t kMessageBytes = size_t{1} << 20;

using PutWriter = grpc::ClientWriter<v1::PutModelRequest>;

// Fills in what the header does not say about its parts.
absl::Status Complete(v1::Model& model, const std::string& folder) {
  for (v1::ModelPart& part : *model.mutable_parts()) {
    const std::string path = files::Join(folder, part.name());
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) return NotFound("cannot read {}: {}", path, error.message());
    part.set_size_bytes(static_cast<int64_t>(size));
    if (part.digest().empty()) {
      ASSIGN_OR_RETURN(*part.mutable_digest(), Sha256OfFile(path));
    }
  }
  return absl::OkStatus();
}

// Returns false when the store takes no more: it has answered.
bool SendFile(const std::string& path, PutWriter& writer) {
  std::ifstream file(path, std::ios::binary);
  v1::PutModelRequest message;
  for (;;) {
    std::string& bytes = *message.mutable_bytes();
    bytes.resize(kMessageBytes);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(file.gcount()));
    if (bytes.empty()) return true;
    if (!writer.Write(message)) return false;
  }
}

void Send(const v1::PutModelRequest::Header& header, const std::string& folder, PutWriter& writer) {
  v1::PutModelRequest message;
  *message.mutable_header() = header;
  if (!writer.Write(message)) return;
  for (const v1::ModelPart& part : header.model().parts()) {
    if (!SendFile(files::Join(folder, part.name()), writer)) return;
  }
}

}  // namespace

ModelStoreClient::ModelStoreClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::ModelStoreService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<ModelId> ModelStoreClient::PutModel(v1::PutModelRequest::Header header,
                                                   const std::string& folder) {
  RETURN_IF_ERROR(Complete(*header.mutable_model(), folder));
  v1::PutModelResponse response;
  RETURN_IF_ERROR(rpc::internal::Retry(peer_, "PutModel", [&](grpc::ClientContext& context) {
    const auto writer = stub_->PutModel(&context, &response);
    Send(header, folder, *writer);
    writer->WritesDone();
    return writer->Finish();
  }));
  return ModelId{response.model_id()};
}

absl::StatusOr<v1::Model> ModelStoreClient::GetModel(ModelId model) {
  v1::GetModelRequest request;
  request.set_model_id(model.value);
  v1::GetModelResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::GetModel, request, &response));
  return std::move(*response.mutable_model());
}

absl::StatusOr<std::vector<v1::Model>> ModelStoreClient::ListModels(RunId run) {
  v1::ListModelsRequest request;
  request.set_run_id(run.value);
  v1::ListModelsResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::ListModels, request, &response));
  return std::vector<v1::Model>(response.models().begin(), response.models().end());
}

absl::StatusOr<std::string> ModelStoreClient::ReadPart(ModelId model, const std::string& part) {
  ASSIGN_OR_RETURN(const v1::Model header, GetModel(model));
  v1::ReadModelRequest request;
  request.set_model_id(model.value);
  request.set_part(part);
  std::string bytes;
  RETURN_IF_ERROR(rpc::internal::Retry(peer_, "ReadModel", [&](grpc::ClientContext& context) {
    bytes.clear();
    const auto reader = stub_->ReadModel(&context, request);
    v1::ReadModelResponse response;
    while (reader->Read(&response)) bytes += response.bytes();
    return reader->Finish();
  }));
  const std::string digest = Sha256(bytes);
  for (const v1::ModelPart& known : header.parts()) {
    if (known.name() != part) continue;
    if (known.digest() == digest) return bytes;
    return DataLoss("part {} of model {} arrived with the SHA-256 {} instead of {}", part,
                    model.value, digest, known.digest());
  }
  return NotFound("model {} has no part {}", model.value, part);
}

absl::StatusOr<std::string> ModelStoreClient::ReadFile(const std::string& digest) {
  v1::ReadFileRequest request;
  request.set_digest(digest);
  std::string bytes;
  RETURN_IF_ERROR(rpc::internal::Retry(peer_, "ReadFile", [&](grpc::ClientContext& context) {
    bytes.clear();
    const auto reader = stub_->ReadFile(&context, request);
    v1::ReadFileResponse response;
    while (reader->Read(&response)) bytes += response.bytes();
    return reader->Finish();
  }));
  const std::string found = Sha256(bytes);
  if (found == digest) return bytes;
  return DataLoss("the file {} arrived with the SHA-256 {}", digest, found);
}

absl::Status ModelStoreClient::PutFile(const v1::PutFileRequest::Header& header,
                                       const NextBytes& next) {
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const std::stop_callback cancel(peer_.stop, [&context] { context.TryCancel(); });
  v1::PutFileResponse response;
  const auto writer = stub_->PutFile(&context, &response);
  v1::PutFileRequest message;
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

absl::Status ModelStoreClient::FindFile(const std::string& digest) {
  v1::GetFileRequest request;
  request.set_digest(digest);
  v1::GetFileResponse response;
  return rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::GetFile, request, &response);
}

absl::Status ModelStoreClient::RetireFiles(const rpc::v1::Command& command,
                                           const std::vector<std::string>& kept) {
  v1::RetireFilesRequest request;
  *request.mutable_command() = command;
  request.mutable_kept()->Assign(kept.begin(), kept.end());
  v1::RetireFilesResponse response;
  return rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::RetireFiles, request, &response);
}

absl::Status ModelStoreClient::RetireModels(const rpc::v1::Command& command,
                                            int64_t first_kept_trigger) {
  v1::RetireModelsRequest request;
  *request.mutable_command() = command;
  request.set_first_kept_trigger(first_kept_trigger);
  v1::RetireModelsResponse response;
  return rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::RetireModels, request, &response);
}

absl::StatusOr<int64_t> ModelStoreClient::DeleteRun(const rpc::v1::Command& command) {
  v1::DeleteRunRequest request;
  *request.mutable_command() = command;
  v1::DeleteRunResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::DeleteRun, request, &response));
  return response.num_deleted();
}

}  // namespace tidemill::model_store
