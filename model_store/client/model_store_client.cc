#include "model_store/client/model_store_client.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/paths/regular_file.h"
#include "base/whole_io.h"
#include "rpc/grpc_status.h"

namespace tidemill::model_store {
namespace {

constexpr size_t kMessageBytes = size_t{1} << 20;

using PutWriter = grpc::ClientWriter<v1::PutModelRequest>;

// Reads the next piece of a file, from `at` on, which then is its end. Empty at the end.
absl::StatusOr<std::string> ReadPiece(const Descriptor& file, const std::string& path, off_t& at) {
  std::string bytes(kMessageBytes, '\0');
  const ssize_t count = ReadWholeAt(file.number(), bytes, at);
  if (count < 0) return DataLoss("cannot read {}: {}", path, std::strerror(errno));
  bytes.resize(static_cast<size_t>(count));
  at += count;
  return bytes;
}

absl::Status NoPace(size_t) { return absl::OkStatus(); }

// The size and the digest of what a file holds.
absl::StatusOr<v1::JobFile> Describe(const Descriptor& file, const std::string& path,
                                     const ModelStoreClient::Pace& pace) {
  v1::JobFile described;
  Sha256Stream digest;
  for (off_t at = 0;;) {
    RETURN_IF_ERROR(pace(0));
    ASSIGN_OR_RETURN(const std::string piece, ReadPiece(file, path, at));
    if (piece.empty()) {
      described.set_name(path);
      described.set_size_bytes(at);
      described.set_digest(digest.Finish());
      return described;
    }
    digest.Add(piece);
  }
}

// Opens the parts of a model, and fills in what the header does not say about them. The process
// that has written them runs a user's network: a link must not bring other files into a model.
absl::StatusOr<std::vector<Descriptor>> OpenParts(v1::Model& model, const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) return NotFound("cannot open folder {}: {}", path, std::strerror(errno));
  std::vector<Descriptor> files;
  for (v1::ModelPart& part : *model.mutable_parts()) {
    absl::StatusOr<Descriptor> file = files::OpenRegular(folder.number(), part.name());
    RETURN_IF_ERROR(Annotate(file.status(), path));
    struct stat status = {};
    if (fstat(file->number(), &status) != 0) return NotFound("cannot examine {}", part.name());
    part.set_size_bytes(status.st_size);
    if (part.digest().empty()) {
      ASSIGN_OR_RETURN(const v1::JobFile described, Describe(*file, part.name(), NoPace));
      part.set_digest(described.digest());
    }
    files.push_back(*std::move(file));
  }
  return files;
}

// Returns false when the store has already answered and takes nothing more.
bool SendFile(const Descriptor& file, PutWriter& writer) {
  v1::PutModelRequest message;
  for (off_t at = 0;;) {
    absl::StatusOr<std::string> piece = ReadPiece(file, "a part", at);
    // The store finds that bytes are missing.
    if (!piece.ok() || piece->empty()) return true;
    message.set_bytes(*std::move(piece));
    if (!writer.Write(message)) return false;
  }
}

void Send(const v1::PutModelRequest::Header& header, const std::vector<Descriptor>& files,
          PutWriter& writer) {
  v1::PutModelRequest message;
  *message.mutable_header() = header;
  if (!writer.Write(message)) return;
  for (const Descriptor& file : files) {
    if (!SendFile(file, writer)) return;
  }
}

}  // namespace

ModelStoreClient::ModelStoreClient(rpc::Peer peer)
    : peer_(std::move(peer)),
      channel_(rpc::Connect(peer_)),
      stub_(v1::ModelStoreService::NewStub(channel_)) {}

absl::StatusOr<ModelId> ModelStoreClient::PutModel(v1::PutModelRequest::Header header,
                                                   const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<Descriptor> files, OpenParts(*header.mutable_model(), folder));
  v1::PutModelResponse response;
  RETURN_IF_ERROR(rpc::internal::Retry(peer_, "PutModel", [&](grpc::ClientContext& context) {
    const auto writer = stub_->PutModel(&context, &response);
    Send(header, files, *writer);
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
  ASSIGN_OR_RETURN(const v1::ListModelsResponse response, FindModels(request));
  return std::vector<v1::Model>(response.models().begin(), response.models().end());
}

absl::StatusOr<v1::ListModelsResponse> ModelStoreClient::FindModels(
    const v1::ListModelsRequest& request) {
  v1::ListModelsResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::ListModels, request, &response));
  return response;
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
  return Read(request);
}

absl::StatusOr<std::string> ModelStoreClient::ReadRunFile(RunId run, const std::string& digest) {
  v1::ReadFileRequest request;
  request.set_digest(digest);
  request.set_run_id(run.value);
  return Read(request);
}

absl::StatusOr<std::string> ModelStoreClient::Read(const v1::ReadFileRequest& request) {
  std::string bytes;
  RETURN_IF_ERROR(rpc::internal::Retry(peer_, "ReadFile", [&](grpc::ClientContext& context) {
    bytes.clear();
    const auto reader = stub_->ReadFile(&context, request);
    v1::ReadFileResponse response;
    while (reader->Read(&response)) bytes += response.bytes();
    return reader->Finish();
  }));
  const std::string found = Sha256(bytes);
  if (found == request.digest()) return bytes;
  return DataLoss("the file {} arrived with the SHA-256 {}", request.digest(), found);
}

absl::Status ModelStoreClient::PutFile(const v1::PutFileRequest::Header& header,
                                       const NextBytes& next) {
  // The bytes come once, so the call cannot be repeated: the store may be starting.
  rpc::AwaitConnected(*channel_, peer_.stop, std::chrono::steady_clock::now() + peer_.deadline);
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const std::stop_callback cancel(peer_.stop, [&context] { context.TryCancel(); });
  v1::PutFileResponse response;
  const auto writer = stub_->PutFile(&context, &response);
  v1::PutFileRequest message;
  *message.mutable_header() = header;
  // The answer explains why the rest cannot be written: the store may have the file already.
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

absl::StatusOr<v1::JobFile> ModelStoreClient::PutRunFile(const rpc::v1::Command& command,
                                                         const std::string& name,
                                                         const Descriptor& file, const Pace& pace) {
  ASSIGN_OR_RETURN(v1::JobFile described, Describe(file, name, pace));
  v1::PutFileRequest::Header header;
  *header.mutable_command() = command;
  header.set_of_run(true);
  header.set_size_bytes(described.size_bytes());
  header.set_digest(described.digest());
  off_t at = 0;
  RETURN_IF_ERROR(PutFile(header, [&]() -> absl::StatusOr<std::optional<std::string>> {
    ASSIGN_OR_RETURN(std::string piece, ReadPiece(file, name, at));
    RETURN_IF_ERROR(pace(piece.size()));
    if (piece.empty()) return std::nullopt;
    return std::optional(std::move(piece));
  }));
  return described;
}

absl::StatusOr<bool> ModelStoreClient::KeepJob(const v1::KeepJobRequest& request) {
  v1::KeepJobResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::KeepJob, request, &response));
  return response.is_latest();
}

absl::StatusOr<v1::GetKeptJobResponse> ModelStoreClient::GetKeptJob(RunId run, int64_t trigger,
                                                                    v1::JobKind kind) {
  v1::GetKeptJobRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  request.set_kind(kind);
  v1::GetKeptJobResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::GetKeptJob, request, &response));
  return response;
}

absl::StatusOr<v1::GetStoredBytesResponse> ModelStoreClient::GetStoredBytes() {
  v1::GetStoredBytesResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::GetStoredBytes,
                            v1::GetStoredBytesRequest(), &response));
  return response;
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

absl::StatusOr<std::optional<v1::Model>> ModelStoreClient::FindModel(
    const std::string& training_digest) {
  v1::FindModelRequest request;
  request.set_training_digest(training_digest);
  v1::FindModelResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::FindModel, request, &response));
  if (!response.has_model()) return std::nullopt;
  return std::move(*response.mutable_model());
}

absl::StatusOr<v1::ReuseModelResponse> ModelStoreClient::ReuseModel(
    const v1::ReuseModelRequest& request) {
  v1::ReuseModelResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ModelStoreService::Stub::ReuseModel, request, &response));
  return response;
}

absl::Status ModelStoreClient::RetireModels(const rpc::v1::Command& command,
                                            int64_t first_kept_trigger,
                                            const std::vector<int64_t>& also_kept) {
  v1::RetireModelsRequest request;
  *request.mutable_command() = command;
  request.set_first_kept_trigger(first_kept_trigger);
  request.mutable_also_kept()->Add(also_kept.begin(), also_kept.end());
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
