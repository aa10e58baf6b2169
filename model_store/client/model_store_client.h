// Calls of other services to the model store.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"

namespace tidemill::model_store {

// Thread-safe.
class ModelStoreClient {
 public:
  static constexpr char kService[] = "model_store";

  explicit ModelStoreClient(rpc::Peer peer);

  // Stores an artefact. `header.model.parts` names the parts in order; their files are in `folder`
  // under these names. Sizes and digests that the header leaves out are filled in from the files.
  // Idempotent by (run, trigger). The codes are as in PutModel, and NOT_FOUND when a file is
  // missing. Retries while the store is UNAVAILABLE, until the peer's deadline.
  absl::StatusOr<ModelId> PutModel(v1::PutModelRequest::Header header, const std::string& folder);

  // NOT_FOUND when the model is unknown.
  absl::StatusOr<v1::Model> GetModel(ModelId model);

  // Returns the models of a run in the order of triggers; for run 0, the models of all runs.
  absl::StatusOr<std::vector<v1::Model>> ListModels(RunId run);
  // Returns the models that match. INVALID_ARGUMENT for a bad limit.
  absl::StatusOr<v1::ListModelsResponse> FindModels(const v1::ListModelsRequest& request);

  // Returns the bytes of one part. The store checks their digest, and this client checks it again.
  // NOT_FOUND; DATA_LOSS. Retries while the store is UNAVAILABLE, until the peer's deadline.
  absl::StatusOr<std::string> ReadPart(ModelId model, const std::string& part);

  // Returns the bytes of a file that a pipeline names. The store checks their digest, and this
  // client checks it again. NOT_FOUND; DATA_LOSS. Retries as ReadPart().
  absl::StatusOr<std::string> ReadFile(const std::string& digest);

  // Stores a file by its digest, for pipelines or, if the header says so, for a run. `next` returns
  // the next bytes, and std::nullopt at the end. An error of `next` is returned, and nothing is
  // stored. Does not retry.
  using NextBytes = std::function<absl::StatusOr<std::optional<std::string>>()>;
  absl::Status PutFile(const v1::PutFileRequest::Header& header, const NextBytes& next);

  // Returns the bytes of a file of a run. Everything else is as in ReadFile().
  absl::StatusOr<std::string> ReadRunFile(RunId run, const std::string& digest);

  // Stores an open file as one of the command's run, unless the store has it. Returns its name, as
  // given, its size and its digest. `pace` is called before each piece is sent, with its size, and
  // before each piece is only read, with 0: it may wait, and its error ends the call. Does not
  // retry.
  using Pace = std::function<absl::Status(size_t bytes)>;
  absl::StatusOr<v1::JobFile> PutRunFile(const rpc::v1::Command& command, const std::string& name,
                                         const Descriptor& file, const Pace& pace);

  // Names the files with which a job can be continued, which must have been stored before. Returns
  // false when files of a later position are kept instead. The errors are as in KeepJob.
  // Idempotent.
  absl::StatusOr<bool> KeepJob(const v1::KeepJobRequest& request);

  // Returns what is kept of a job; empty when nothing is.
  absl::StatusOr<v1::GetKeptJobResponse> GetKeptJob(RunId run, int64_t trigger, v1::JobKind kind);

  absl::StatusOr<v1::GetStoredBytesResponse> GetStoredBytes();

  // NOT_FOUND when no file with that digest is stored.
  absl::Status FindFile(const std::string& digest);

  // Removes all files except these digests and new files. Idempotent.
  absl::Status RetireFiles(const rpc::v1::Command& command, const std::vector<std::string>& kept);

  // Returns a model whose parts exist and whose training has this digest, if there is one.
  absl::StatusOr<std::optional<v1::Model>> FindModel(const std::string& training_digest);

  // Gives a trigger the model of a training with the same digest. The answer has no model when
  // there is none. Idempotent. The errors are as in ReuseModel.
  absl::StatusOr<v1::ReuseModelResponse> ReuseModel(const v1::ReuseModelRequest& request);

  // Removes the parts of the models of the command's run before that trigger, except those of the
  // triggers `also_kept`. Idempotent.
  absl::Status RetireModels(const rpc::v1::Command& command, int64_t first_kept_trigger,
                            const std::vector<int64_t>& also_kept);

  // Deletes the models of the command's run. Returns their number. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  absl::StatusOr<std::string> Read(const v1::ReadFileRequest& request);

  const rpc::Peer peer_;
  const std::shared_ptr<grpc::Channel> channel_;  // The stub shares it.
  const std::unique_ptr<v1::ModelStoreService::Stub> stub_;
};

}  // namespace tidemill::model_store
