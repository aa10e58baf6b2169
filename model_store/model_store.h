// Keeps models: their parts as files, their description and lineage in PostgreSQL.
//
//   <folder>/models/<run_id>/<sha256 of the part>
//
// Parts are content-addressed within their run, so a fitted graph that many models of a run share
// lies there once, and forgetting a run is removing one folder.
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

// A model on its way in: the bytes of its parts, one after another, then Finish(). Leaves nothing
// behind when dropped before. Thread-compatible; must not outlive its store.
class Upload {
 public:
  // The model's id when the store has it already: the bytes need not be sent.
  std::optional<ModelId> stored() const { return stored_; }

  // The next bytes, cut anywhere. DATA_LOSS as soon as a part does not match its digest, or for
  // more bytes than were announced.
  absl::Status Append(std::string_view bytes);

  // Makes the model durable and returns its id. DATA_LOSS when bytes are missing; ALREADY_EXISTS
  // when another upload gave (run, trigger) a different model meanwhile.
  absl::StatusOr<ModelId> Finish();

 private:
  friend class ModelStore;
  Upload(ModelStore& store, rpc::v1::Command command, v1::Model model);
  // Seals parts that are complete and opens the next one.
  absl::Status Advance();

  ModelStore& store_;
  const rpc::v1::Command command_;
  const v1::Model model_;
  std::optional<ModelId> stored_;
  // The parts begun so far; the last one is open while `missing_bytes_` is positive.
  std::vector<std::unique_ptr<PartFile>> parts_;
  int64_t missing_bytes_ = 0;
};

// Thread-safe.
class ModelStore {
 public:
  // Migrates the schema, makes the folder and removes what uploads cut short by a crash left.
  // `database` must outlive the store.
  static absl::StatusOr<std::unique_ptr<ModelStore>> Open(db::Database& database,
                                                          const std::string& folder);

  // Begins an upload. INVALID_ARGUMENT for a header that makes no sense; ALREADY_EXISTS when
  // (run, trigger) has a model of other digests; FAILED_PRECONDITION for a command of an earlier
  // epoch.
  absl::StatusOr<std::unique_ptr<Upload>> Begin(const rpc::v1::Command& command,
                                                const v1::Model& model);

  // NOT_FOUND for an unknown model.
  absl::StatusOr<v1::Model> Get(ModelId model);

  // Of one run, or of all, in the order (run, trigger).
  absl::StatusOr<std::vector<v1::Model>> List(std::optional<RunId> run);

  // Hands one part to `sink` in pieces, after having checked all of it. NOT_FOUND for an unknown or
  // removed model and for an unknown part; DATA_LOSS for a part that is gone or has changed.
  absl::Status Read(ModelId model, const std::string& part,
                    const std::function<absl::Status(std::string_view)>& sink);

  // Removes the parts of the run's models before a trigger, but for those that later models share;
  // returns of how many models. Idempotent.
  absl::StatusOr<int64_t> Retire(const rpc::v1::Command& command, int64_t first_kept_trigger);

  // Forgets the models of the command's run and returns how many there were. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  friend class Upload;
  ModelStore(db::Database& database, std::string folder);
  absl::Status RemoveLeftovers();
  std::string FolderOf(RunId run) const;
  absl::StatusOr<ModelId> Insert(const rpc::v1::Command& command, const v1::Model& model);

  db::Database& database_;
  const std::string folder_;
};

}  // namespace tidemill::model_store
