// How other services see the model store.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"

namespace tidemill::model_store {

// Thread-safe.
class ModelStoreClient {
 public:
  explicit ModelStoreClient(rpc::Peer peer);

  // Stores an artefact: `header.model.parts` names the parts, in order, whose files lie in `folder`
  // under their names; sizes and digests that the header leaves out are filled in from the files.
  // Idempotent by (run, trigger); the codes of PutModel, and NOT_FOUND for a missing file. Retries
  // while the store is UNAVAILABLE, for the peer's deadline.
  absl::StatusOr<ModelId> PutModel(v1::PutModelRequest::Header header, const std::string& folder);

  // NOT_FOUND for an unknown model.
  absl::StatusOr<v1::Model> GetModel(ModelId model);

  // In the order of triggers.
  absl::StatusOr<std::vector<v1::Model>> ListModels(RunId run);

  // The bytes of one part, their digest checked by the store and again here. NOT_FOUND; DATA_LOSS.
  // Retries while the store is UNAVAILABLE, for the peer's deadline.
  absl::StatusOr<std::string> ReadPart(ModelId model, const std::string& part);

  // The bytes of a file that a pipeline names, their digest checked by the store and again here.
  // NOT_FOUND; DATA_LOSS. Retries as ReadPart.
  absl::StatusOr<std::string> ReadFile(const std::string& digest);

  // Keeps a file by its digest. `next` gives the next bytes, std::nullopt at the end; another
  // status of its leaves nothing kept, and is the result. Not repeated.
  using NextBytes = std::function<absl::StatusOr<std::optional<std::string>>()>;
  absl::Status PutFile(const v1::PutFileRequest::Header& header, const NextBytes& next);

  // NOT_FOUND when no file of that digest is kept.
  absl::Status FindFile(const std::string& digest);

  // Removes the files of other digests, but new ones. Idempotent.
  absl::Status RetireFiles(const rpc::v1::Command& command, const std::vector<std::string>& kept);

  // Removes the parts of the models of the command's run before that trigger. Idempotent.
  absl::Status RetireModels(const rpc::v1::Command& command, int64_t first_kept_trigger);

  // Forgets the models of the command's run and returns how many there were. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::ModelStoreService::Stub> stub_;
};

}  // namespace tidemill::model_store
