#include "model_store/model_store.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/usage/account.h"
#include "db/fencing.h"
#include "db/migrations.h"
#include "model_store/kept_files.h"
#include "model_store/kept_jobs_table.h"
#include "model_store/migrations.h"
#include "model_store/models_table.h"

// How a model becomes one. A crash at a bar leaves what is above it:
//
//   Append()            <digest>.partial        grows; dropped with the upload
//                       ----------------------  before_rename
//   Finish()            <digest>                each part has its name; the folder is synced
//                       ----------------------  before_commit
//                       the row in `models`     the model exists
//                       ----------------------  after_commit
//
// What is left costs room only. The next start removes `.partial` files, and the next try for the
// same trigger writes the same bytes under the same names.

namespace tidemill::model_store {
namespace {

constexpr int kMaxParts = 16;

bool IsPartName(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                  c == '-';
         });
}

absl::Status CheckPart(const v1::ModelPart& part) {
  if (!IsPartName(part.name())) {
    return InvalidArgument("\"{}\" cannot be the name of a model's part", part.name());
  }
  if (!IsDigest(part.digest())) {
    return InvalidArgument("the digest of part {} is not a SHA-256 in hexadecimal", part.name());
  }
  if (part.size_bytes() < 0) {
    return InvalidArgument("part {} has a size of {} bytes", part.name(), part.size_bytes());
  }
  return absl::OkStatus();
}

absl::Status CheckHeader(const rpc::v1::Command& command, const v1::Model& model) {
  if (model.run_id() != command.run_id()) {
    return InvalidArgument("a model of run {} came with a command of run {}", model.run_id(),
                           command.run_id());
  }
  if (model.run_id() <= 0 || model.trigger() <= 0) {
    return InvalidArgument("run {}, trigger {}: both numbers start at 1", model.run_id(),
                           model.trigger());
  }
  if (model.parts_size() == 0 || model.parts_size() > kMaxParts) {
    return InvalidArgument("a model has 1 to {} parts; this one has {}", kMaxParts,
                           model.parts_size());
  }
  std::set<std::string> names;
  for (const v1::ModelPart& part : model.parts()) {
    RETURN_IF_ERROR(CheckPart(part));
    if (!names.insert(part.name()).second) {
      return InvalidArgument("part {} is announced twice", part.name());
    }
  }
  return absl::OkStatus();
}

// The id of the stored model when it has the parts of the new one.
absl::StatusOr<ModelId> SameModel(const v1::Model& stored, const v1::Model& model) {
  const auto same = [](const v1::ModelPart& a, const v1::ModelPart& b) {
    return a.name() == b.name() && a.digest() == b.digest();
  };
  if (!std::equal(stored.parts().begin(), stored.parts().end(), model.parts().begin(),
                  model.parts().end(), same)) {
    return AlreadyExists("trigger {} of run {} already has model {}, with other digests",
                         model.trigger(), model.run_id(), stored.model_id());
  }
  return ModelId{stored.model_id()};
}

absl::Status CheckTrainingDigest(const std::string& digest) {
  if (IsDigest(digest)) return absl::OkStatus();
  return InvalidArgument("\"{}\" is not the digest of a training", digest);
}

absl::Status CheckReuse(const v1::ReuseModelRequest& request) {
  if (!request.only_given()) RETURN_IF_ERROR(CheckTrainingDigest(request.training_digest()));
  if (request.command().run_id() > 0 && request.trigger() > 0) return absl::OkStatus();
  return InvalidArgument("run {}, trigger {}: both numbers start at 1", request.command().run_id(),
                         request.trigger());
}

// Copies another run's model for the request's trigger.
v1::Model GivenTo(const v1::ReuseModelRequest& request, const v1::Model& from) {
  v1::Model model = from;
  if (!from.has_reused_from()) {
    rpc::v1::FirstTraining& first = *model.mutable_reused_from();
    first.set_run_id(from.run_id());
    first.set_trigger(from.trigger());
    first.set_model_id(from.model_id());
  }
  model.clear_model_id();
  model.set_run_id(request.command().run_id());
  model.set_trigger(request.trigger());
  model.set_parent_model_id(request.parent_model_id());
  return model;
}

}  // namespace

Upload::Upload(ModelStore& store, rpc::v1::Command command, v1::Model model,
               rpc::v1::TrainingResult result)
    : store_(store),
      command_(std::move(command)),
      model_(std::move(model)),
      result_(std::move(result)) {}

absl::Status Upload::Advance() {
  while (missing_bytes_ == 0) {
    if (!parts_.empty()) {
      const v1::ModelPart& part = model_.parts(static_cast<int>(parts_.size()) - 1);
      RETURN_IF_ERROR(Annotate(parts_.back()->Seal(part.size_bytes(), part.digest()),
                               fmt::format("taking part {}", part.name())));
    }
    if (static_cast<int>(parts_.size()) == model_.parts_size()) {
      missing_bytes_ = -1;  // Everything is sealed.
      return absl::OkStatus();
    }
    const v1::ModelPart& next = model_.parts(static_cast<int>(parts_.size()));
    ASSIGN_OR_RETURN(auto file, PartFile::Create(files::Join(
                                    store_.FolderOf(RunId{model_.run_id()}), next.digest())));
    parts_.push_back(std::move(file));
    missing_bytes_ = next.size_bytes();
  }
  return absl::OkStatus();
}

absl::Status Upload::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (missing_bytes_ < 0) return DataLoss("received {} bytes after the last part", bytes.size());
    const size_t size = std::min(bytes.size(), static_cast<size_t>(missing_bytes_));
    RETURN_IF_ERROR(parts_.back()->Append(bytes.substr(0, size)));
    bytes.remove_prefix(size);
    missing_bytes_ -= static_cast<int64_t>(size);
    RETURN_IF_ERROR(Advance());
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelId> Upload::Finish() {
  if (stored_) return *stored_;
  if (missing_bytes_ >= 0) {
    return DataLoss("part {} ended {} bytes early",
                    model_.parts(static_cast<int>(parts_.size()) - 1).name(), missing_bytes_);
  }
  RETURN_IF_FAILPOINT("model_store.before_rename");
  for (const auto& part : parts_) RETURN_IF_ERROR(part->Publish());
  RETURN_IF_ERROR(SyncFolder(store_.FolderOf(RunId{model_.run_id()})));
  RETURN_IF_FAILPOINT("model_store.before_commit");
  ASSIGN_OR_RETURN(const ModelId id, store_.Insert(command_, model_, result_));
  RETURN_IF_FAILPOINT("model_store.after_commit");
  int64_t num_bytes = 0;
  for (const v1::ModelPart& part : model_.parts()) num_bytes += part.size_bytes();
  usage::Add({.bytes_stored = num_bytes});
  log::Info("model stored", {{"run", std::to_string(model_.run_id())},
                             {"trigger", std::to_string(model_.trigger())},
                             {"model", std::to_string(id.value)}});
  return id;
}

ModelStore::ModelStore(db::Database& database, std::string folder)
    : database_(database), folder_(std::move(folder)) {}

absl::StatusOr<std::unique_ptr<ModelStore>> ModelStore::Open(db::Database& database,
                                                             const std::string& folder) {
  RETURN_IF_ERROR(db::Migrate(database, "model_store", kMigrations));
  std::unique_ptr<ModelStore> store(new ModelStore(database, files::Join(folder, "models")));
  RETURN_IF_ERROR(files::CreateFolder(store->folder_));
  RETURN_IF_ERROR(store->RemoveLeftovers());
  return store;
}

absl::Status ModelStore::RemoveLeftovers() {
  std::error_code error;
  std::vector<std::string> leftovers;
  for (auto entry = std::filesystem::recursive_directory_iterator(folder_, error);
       !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (path.ends_with(kPartialSuffix)) leftovers.push_back(path);
  }
  if (error) return Unavailable("cannot list {}: {}", folder_, error.message());
  for (const std::string& path : leftovers) RETURN_IF_ERROR(files::Remove(path));
  return absl::OkStatus();
}

std::string ModelStore::FolderOf(RunId run) const {
  return files::Join(folder_, std::to_string(run.value));
}

absl::StatusOr<std::unique_ptr<Upload>> ModelStore::Begin(const rpc::v1::Command& command,
                                                          const v1::Model& model,
                                                          const rpc::v1::TrainingResult& result) {
  RETURN_IF_ERROR(CheckHeader(command, model));
  if (!model.training_digest().empty()) {
    RETURN_IF_ERROR(CheckTrainingDigest(model.training_digest()));
  }
  std::unique_ptr<Upload> upload(new Upload(*this, command, model, result));
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, "model_store", command));
    const auto stored = ModelsTable(work).Find(RunId{model.run_id()}, model.trigger());
    if (!stored) return absl::OkStatus();
    ASSIGN_OR_RETURN(upload->stored_, SameModel(*stored, model));
    return absl::OkStatus();
  }));
  if (upload->stored_) return upload;
  RETURN_IF_ERROR(files::CreateFolder(FolderOf(RunId{model.run_id()})));
  RETURN_IF_ERROR(SyncFolder(folder_));
  if (HasParts(model)) {
    upload->missing_bytes_ = -1;
    return upload;
  }
  RETURN_IF_ERROR(upload->Advance());
  return upload;
}

bool ModelStore::HasParts(const v1::Model& model) const {
  const KeptFiles files = KeptFiles::OfRun(FolderOf(RunId{model.run_id()}));
  return std::ranges::all_of(model.parts(), [&](const v1::ModelPart& part) {
    return files.IsSound(part.digest(), part.size_bytes());
  });
}

absl::StatusOr<ModelId> ModelStore::Insert(const rpc::v1::Command& command, const v1::Model& model,
                                           const rpc::v1::TrainingResult& result) {
  ModelId id;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, "model_store", command));
    KeptJobsTable(work).LockFiles(RunId{model.run_id()});
    for (const v1::ModelPart& part : model.parts()) {
      // A job that had the same file may have lost it in the meantime.
      if (files::Exists(files::Join(FolderOf(RunId{model.run_id()}), part.digest()))) continue;
      return Unavailable("part {} was removed before its model was stored", part.name());
    }
    ModelsTable models(work);
    if (const auto inserted = models.Insert(model, result); inserted) {
      id = *inserted;
      return absl::OkStatus();
    }
    const auto stored = models.Find(RunId{model.run_id()}, model.trigger());
    if (!stored) return Unavailable("trigger {} was deleted in the meantime", model.trigger());
    ASSIGN_OR_RETURN(id, SameModel(*stored, model));
    return absl::OkStatus();
  }));
  return id;
}

absl::StatusOr<std::optional<v1::Model>> ModelStore::FindOfDigest(
    const std::string& training_digest) {
  RETURN_IF_ERROR(CheckTrainingDigest(training_digest));
  ASSIGN_OR_RETURN(std::vector<ReusedModel> found, Candidates(training_digest));
  if (found.empty()) return std::nullopt;
  return std::move(found.front().model);
}

absl::StatusOr<std::vector<ReusedModel>> ModelStore::Candidates(
    const std::string& training_digest) {
  std::vector<ReusedModel> candidates;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    candidates.clear();
    ModelsTable models(work);
    for (v1::Model& model : models.WithDigest(training_digest)) {
      rpc::v1::TrainingResult result = models.ResultOf(ModelId{model.model_id()});
      candidates.push_back({std::move(model), std::move(result)});
    }
    return absl::OkStatus();
  }));
  return candidates;
}

absl::StatusOr<std::optional<ReusedModel>> ModelStore::FindReused(
    const v1::ReuseModelRequest& request) {
  std::optional<ReusedModel> found;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    found.reset();
    RETURN_IF_ERROR(db::CheckFence(work, "model_store", request.command()));
    ModelsTable models(work);
    auto model = models.Find(RunId{request.command().run_id()}, request.trigger());
    if (!model) return absl::OkStatus();
    if (!model->has_reused_from()) {
      return FailedPrecondition("trigger {} of run {} has trained model {} itself",
                                request.trigger(), request.command().run_id(), model->model_id());
    }
    rpc::v1::TrainingResult result = models.ResultOf(ModelId{model->model_id()});
    found = {*std::move(model), std::move(result)};
    return absl::OkStatus();
  }));
  return found;
}

absl::Status ModelStore::ShareParts(const v1::Model& model, RunId run) {
  const auto ignore = [](std::string_view) { return absl::OkStatus(); };
  for (const v1::ModelPart& part : model.parts()) {
    const std::string from = files::Join(FolderOf(RunId{model.run_id()}), part.digest());
    RETURN_IF_ERROR(ReadVerified(from, part.size_bytes(), part.digest(), ignore));
    RETURN_IF_ERROR(ShareFile(from, files::Join(FolderOf(run), part.digest())));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<ReusedModel>> ModelStore::Reuse(const v1::ReuseModelRequest& request) {
  RETURN_IF_ERROR(CheckReuse(request));
  ASSIGN_OR_RETURN(std::optional<ReusedModel> before, FindReused(request));
  if (before || request.only_given()) return before;
  ASSIGN_OR_RETURN(std::vector<ReusedModel> candidates, Candidates(request.training_digest()));
  if (candidates.empty()) return std::nullopt;
  const RunId run{request.command().run_id()};
  RETURN_IF_ERROR(files::CreateFolder(FolderOf(run)));
  RETURN_IF_ERROR(SyncFolder(folder_));
  for (ReusedModel& candidate : candidates) {
    if (const absl::Status shared = ShareParts(candidate.model, run); !shared.ok()) {
      // It may be damaged, or its run is being deleted.
      log::Warn("a model cannot be reused", {{"model", std::to_string(candidate.model.model_id())},
                                             {"error", std::string(shared.message())}});
      continue;
    }
    RETURN_IF_ERROR(SyncFolder(FolderOf(run)));
    RETURN_IF_FAILPOINT("model_store.before_reuse");
    const v1::Model model = GivenTo(request, candidate.model);
    RETURN_IF_ERROR(Insert(request.command(), model, candidate.result).status());
    return FindReused(request);
  }
  return std::nullopt;
}

absl::StatusOr<v1::Model> ModelStore::Get(ModelId model) {
  std::optional<v1::Model> found;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    found = ModelsTable(work).Find(model);
    return absl::OkStatus();
  }));
  if (!found) return NotFound("model {} is unknown", model.value);
  return *std::move(found);
}

absl::StatusOr<v1::ListModelsResponse> ModelStore::List(const v1::ListModelsRequest& request) {
  if (request.limit() < 0) return InvalidArgument("the limit {} is negative", request.limit());
  if (!v1::ModelOrder_IsValid(request.order()) || !v1::ModelState_IsValid(request.state())) {
    return InvalidArgument("the order {} or the state {} of models is unknown",
                           static_cast<int>(request.order()), static_cast<int>(request.state()));
  }
  v1::ListModelsResponse response;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    response.Clear();
    ModelsTable::Page page = ModelsTable(work).List(request);
    const auto num_listed = static_cast<int64_t>(page.models.size());
    response.set_num_left_out(page.num_matching - num_listed);
    for (v1::Model& model : page.models) *response.add_models() = std::move(model);
    return absl::OkStatus();
  }));
  return response;
}

absl::Status ModelStore::Read(ModelId model, const std::string& part,
                              const std::function<absl::Status(std::string_view)>& sink) {
  ASSIGN_OR_RETURN(const v1::Model found, Get(model));
  if (found.has_removed_at()) {
    return NotFound("model {}, of trigger {} of run {}, was removed by the run's retention",
                    model.value, found.trigger(), found.run_id());
  }
  for (const v1::ModelPart& candidate : found.parts()) {
    if (candidate.name() != part) continue;
    const absl::Status status =
        ReadVerified(files::Join(FolderOf(RunId{found.run_id()}), candidate.digest()),
                     candidate.size_bytes(), candidate.digest(), sink);
    return Annotate(status, fmt::format("reading part {} of model {}", part, model.value));
  }
  return NotFound("model {} has no part {}", model.value, part);
}

// Files go before the transaction ends: a repetition after a crash finds what is left.
absl::StatusOr<int64_t> ModelStore::Retire(const rpc::v1::Command& command,
                                           int64_t first_kept_trigger,
                                           const std::vector<int64_t>& also_kept) {
  const RunId run{command.run_id()};
  int64_t num_removed = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, "model_store", command));
    KeptJobsTable jobs(work);
    jobs.LockFiles(run);
    const KeptJobsTable::Named before = jobs.FindNamed(run);
    jobs.Retire(run, first_kept_trigger);
    num_removed = ModelsTable(work).MarkRemoved(run, first_kept_trigger, also_kept);
    const KeptJobsTable::Named kept = jobs.FindNamed(run);
    for (const std::set<std::string>* const digests : {&before.by_models, &before.by_jobs}) {
      for (const std::string& digest : *digests) {
        if (kept.contains(digest)) continue;
        RETURN_IF_ERROR(files::Remove(files::Join(FolderOf(run), digest)));
      }
    }
    return absl::OkStatus();
  }));
  return num_removed;
}

absl::StatusOr<int64_t> ModelStore::DeleteRun(const rpc::v1::Command& command) {
  const RunId run{command.run_id()};
  int64_t num_deleted = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, "model_store", command));
    KeptJobsTable jobs(work);
    jobs.LockFiles(run);
    jobs.DeleteRun(run);
    num_deleted = ModelsTable(work).DeleteRun(run);
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(files::Remove(FolderOf(run)));
  return num_deleted;
}

}  // namespace tidemill::model_store
