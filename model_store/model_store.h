// Stores models: their parts as files, their description and lineage in PostgreSQL.
//
//   <folder>/models/<run_id>/<sha256 of the part>
//
// The same folder holds the files with which jobs of the run can be continued (kept_jobs.h).
//
// Parts are content-addressed within their run. A fitted graph that many models of a run share is
// therefore stored once, and deleting a run means removing one folder. A part of a model that
// another run reuses is one file with a name in both folders: its bytes are deleted with its last
// name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "model_store/part_file.h"
#include "tidemill/model_store/v1/model_store.pb.h"

namespace tidemill::model_store {

class ModelStore;

// A model that is being received: the bytes of its parts, one after another, then Finish(). Leaves
// nothing on disk when it is destroyed earlier. Thread-compatible. Must not outlive its store.
class Upload {
 public:
  // Returns the model's id when the store has it already. The bytes need not be sent then.
  std::optional<ModelId> stored() const { return stored_; }
  // Whether all bytes are here: the model is stored, or its run has files of these digests.
  bool is_whole() const { return stored_ || (parts_.empty() && missing_bytes_ < 0); }

  // Takes the next bytes, cut anywhere. DATA_LOSS as soon as a part does not match its digest, and
  // for more bytes than announced.
  absl::Status Append(std::string_view bytes);

  // Makes the model durable and returns its id. DATA_LOSS when bytes are missing. ALREADY_EXISTS
  // when another upload has given (run, trigger) a different model in the meantime.
  absl::StatusOr<ModelId> Finish();

 private:
  friend class ModelStore;
  Upload(ModelStore& store, rpc::v1::Command command, v1::Model model,
         rpc::v1::TrainingResult result);
  // Seals the complete parts and opens the next one.
  absl::Status Advance();

  ModelStore& store_;
  const rpc::v1::Command command_;
  const v1::Model model_;
  const rpc::v1::TrainingResult result_;
  std::optional<ModelId> stored_;
  // The parts begun so far. The last one is open while `missing_bytes_` is positive.
  std::vector<std::unique_ptr<PartFile>> parts_;
  int64_t missing_bytes_ = 0;
};

// A model that a trigger received without a training, and the result of the training that made it.
struct ReusedModel {
  v1::Model model;
  rpc::v1::TrainingResult result;
};

// Thread-safe.
class ModelStore {
 public:
  // Migrates the schema, creates the folder, and removes files of uploads that a crash cut short.
  // `database` must outlive this object.
  static absl::StatusOr<std::unique_ptr<ModelStore>> Open(db::Database& database,
                                                          const std::string& folder);

  // Begins an upload. INVALID_ARGUMENT when the header is not valid. ALREADY_EXISTS when (run,
  // trigger) has a model with other digests. FAILED_PRECONDITION when the command is of an earlier
  // epoch. `result` is the result of the model's training, which is returned when the model is
  // reused.
  absl::StatusOr<std::unique_ptr<Upload>> Begin(const rpc::v1::Command& command,
                                                const v1::Model& model,
                                                const rpc::v1::TrainingResult& result = {});

  // Returns the oldest model of a digest whose parts exist. INVALID_ARGUMENT for an empty digest.
  absl::StatusOr<std::optional<v1::Model>> FindOfDigest(const std::string& training_digest);

  // Gives (run, trigger) the parts of a model of the digest. Passes over models whose parts are
  // damaged; std::nullopt when none is left. Idempotent: a trigger keeps the model that it was
  // given; with `only_given`, only such a model is returned. FAILED_PRECONDITION when the trigger
  // has trained a model itself, or when the command is of an earlier epoch. INVALID_ARGUMENT when
  // the request is not valid.
  absl::StatusOr<std::optional<ReusedModel>> Reuse(const v1::ReuseModelRequest& request);

  // NOT_FOUND when the model is unknown.
  absl::StatusOr<v1::Model> Get(ModelId model);

  // The errors are as in model_store.proto.
  absl::StatusOr<v1::ListModelsResponse> List(const v1::ListModelsRequest& request);

  // Passes one part to `sink` in pieces, after all of it was checked. NOT_FOUND for an unknown or
  // removed model, and for an unknown part. DATA_LOSS when the part is gone or has changed.
  absl::Status Read(ModelId model, const std::string& part,
                    const std::function<absl::Status(std::string_view)>& sink);

  // Removes the parts of the run's models before a trigger, except those of the triggers
  // `also_kept`, and what is kept of its jobs, except for files that models and jobs that stay
  // share. Returns the number of models. Idempotent.
  absl::StatusOr<int64_t> Retire(const rpc::v1::Command& command, int64_t first_kept_trigger,
                                 const std::vector<int64_t>& also_kept = {});

  // Deletes the models of the command's run, and what is kept of its jobs. Returns the number of
  // models. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  friend class Upload;
  ModelStore(db::Database& database, std::string folder);
  absl::Status RemoveLeftovers();
  std::string FolderOf(RunId run) const;
  // Whether the run has all parts of the model, and they are sound.
  bool HasParts(const v1::Model& model) const;
  absl::StatusOr<ModelId> Insert(const rpc::v1::Command& command, const v1::Model& model,
                                 const rpc::v1::TrainingResult& result);
  // Returns the model that a trigger was given before.
  absl::StatusOr<std::optional<ReusedModel>> FindReused(const v1::ReuseModelRequest& request);
  absl::StatusOr<std::vector<ReusedModel>> Candidates(const std::string& training_digest);
  // Gives the parts of a model, once they are checked, a name in the folder of another run.
  absl::Status ShareParts(const v1::Model& model, RunId run);

  db::Database& database_;
  const std::string folder_;
};

}  // namespace tidemill::model_store
