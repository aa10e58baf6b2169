#include "selector/selector.h"

#include <absl/strings/numbers.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "base/files.h"
#include "base/usage/account.h"
#include "db/fencing.h"
#include "rpc/usage/usage_message.h"
#include "selector/columns/temporary_file.h"
#include "selector/columns/training_set_file.h"
#include "selector/set_comparison.h"
#include "selector/training_sets_table.h"

namespace tidemill::selector {
namespace {

constexpr std::string_view kSchema = "selector";
constexpr std::string_view kChosenSuffix = ".chosen";
// The part of the memory budget for candidates that are kept for further passes.
constexpr int64_t kRememberedShare = 4;

absl::Status CheckRequest(const v1::SealTrainingSetRequest& request) {
  if (request.command().run_id() <= 0) return InvalidArgument("the command names no run");
  if (request.trigger() <= 0) return InvalidArgument("trigger {} is below 1", request.trigger());
  if (!request.has_to()) return InvalidArgument("the interval has no end");
  return absl::OkStatus();
}

// The size of those of the files that exist.
int64_t SizeOf(const std::vector<std::string>& paths) {
  int64_t size = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (!error) size += static_cast<int64_t>(bytes);
  }
  return size;
}

}  // namespace

// Two sealings of one set at once would do the same work twice: the second waits for the first and
// finds what it sealed.
class Selector::Turn {
 public:
  Turn(Selector& selector, const v1::SealTrainingSetRequest& request)
      : selector_(selector), name_(request.command().run_id(), request.trigger()) {
    MutexLock lock(selector_.mutex_);
    while (!selector_.under_way_.insert(name_).second) selector_.done_.wait(selector_.mutex_);
  }
  ~Turn() {
    MutexLock lock(selector_.mutex_);
    selector_.under_way_.erase(name_);
    selector_.done_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Selector& selector_;
  const std::pair<int64_t, int64_t> name_;
};

Selector::Selector(db::Database& database, std::string folder, Sources sources,
                   const SelectorConfig& config, std::string worker_program)
    : database_(database),
      folder_(std::move(folder)),
      sources_(std::move(sources)),
      // The caller's thread is one of them.
      pool_(config.num_threads > 1
                ? std::make_unique<WorkerPool>("selection", config.num_threads - 1)
                : nullptr),
      listings_(config.memory_budget.bytes / kRememberedShare),
      place_{.folder = folder_,
             .memory_budget = config.memory_budget.bytes,
             .listings = &listings_,
             .pool = pool_.get(),
             .worker_program = std::move(worker_program),
             .num_workers = config.num_workers,
             .worker_memory = config.worker_memory.bytes,
             .hosts = &hosts_} {}

absl::Status Selector::RemoveLeftovers() { return TemporaryFile::RemoveLeftovers(folder_); }

absl::StatusOr<v1::TrainingSet> Selector::Seal(const v1::SealTrainingSetRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  const Turn turn(*this, request);
  ASSIGN_OR_RETURN(const Found found, Find(request));
  if (found.sealed) return *found.sealed;
  const RunId run{request.command().run_id()};
  Unsealed unsealed(folder_);
  const auto paths_of = [&](int64_t trigger) { return PathsOfTrigger(run, trigger); };
  const auto account = std::make_shared<usage::Account>();
  const absl::Status written = [&] {
    const usage::Scope scope(account);
    return WriteTrainingSet(request, found.before, paths_of, sources_, place_, unsealed);
  }();
  // The cost of choosing is kept with the set. A failed call is charged to its caller.
  if (!written.ok()) usage::Add(account->Total());
  RETURN_IF_ERROR(written);
  rpc::v1::UsageTotal& used = *unsealed.set.mutable_summary()->mutable_usage();
  used.set_name(fmt::format("selection {}/{}", run.value, request.trigger()));
  *used.mutable_usage() = rpc::ToMessage(account->Total());
  ASSIGN_OR_RETURN(v1::TrainingSet set, Commit(request, unsealed));
  RETURN_IF_ERROR(RemoveChosenBefore(run, request.trigger()));
  return set;
}

// A supervisor that was replaced is refused before the work is done; Commit() checks again.
absl::StatusOr<Selector::Found> Selector::Find(const v1::SealTrainingSetRequest& request) {
  Found found;
  const RunId run{request.command().run_id()};
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    found.sealed = FindTrainingSet(work, run, request.trigger());
    if (found.sealed) return absl::OkStatus();
    found.before = TrainingSetsBefore(work, run, request.trigger());
    return db::CheckFence(work, kSchema, request.command());
  }));
  return found;
}

// Sealings of one training set follow one another, so that a set that has a row is never written
// again.
absl::StatusOr<v1::TrainingSet> Selector::Commit(const v1::SealTrainingSetRequest& request,
                                                 Unsealed& unsealed) {
  v1::TrainingSet set = unsealed.set;
  const RunId run{set.run_id()};
  const TriggerPaths paths = PathsOfTrigger(run, set.trigger());
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, kSchema, request.command()));
    LockTrainingSet(work, run, set.trigger());
    if (auto earlier = FindTrainingSet(work, run, set.trigger())) {
      set = *std::move(earlier);
      return absl::OkStatus();
    }
    RETURN_IF_FAILPOINT("selector.before_seal");
    RETURN_IF_ERROR(files::CreateFolder(FolderOf(run)));
    if (set.num_late() > 0) RETURN_IF_ERROR(unsealed.late.Publish(paths.late));
    if (unsealed.chosen) RETURN_IF_ERROR(unsealed.chosen->file->Publish(paths.chosen));
    RETURN_IF_ERROR(unsealed.entries.Publish(paths.entries));
    RETURN_IF_FAILPOINT("selector.after_seal");
    set.mutable_summary()->mutable_usage()->mutable_usage()->set_bytes_stored(
        SizeOf({paths.entries, paths.late}));
    InsertTrainingSet(
        work, {.set = set, .chosen_digest = unsealed.chosen ? unsealed.chosen->digest : ""});
    RETURN_IF_FAILPOINT("selector.before_commit");
    return absl::OkStatus();
  }));
  RETURN_IF_FAILPOINT("selector.after_commit");
  return set;
}

// Only the next trigger asks for what was chosen up to a trigger.
absl::Status Selector::RemoveChosenBefore(RunId run, int64_t trigger) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(FolderOf(run), error)) {
    int64_t of = 0;
    const std::string name = entry.path().filename().string();
    const bool is_chosen =
        name.ends_with(kChosenSuffix) && absl::SimpleAtoi(name.substr(0, name.find('.')), &of);
    if (is_chosen && of < trigger) RETURN_IF_ERROR(files::Remove(entry.path().string()));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::TrainingSet> Selector::Get(RunId run, int64_t trigger) {
  std::optional<v1::TrainingSet> set;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    set = FindTrainingSet(work, run, trigger);
    return absl::OkStatus();
  }));
  if (!set) return NotFound("run {} has no training set for trigger {}", run.value, trigger);
  return *std::move(set);
}

absl::StatusOr<std::vector<v1::TrainingSet>> Selector::List(RunId run) {
  std::vector<v1::TrainingSet> sets;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    for (TrainingSetRow& row : TrainingSetsBefore(work, run, std::numeric_limits<int64_t>::max())) {
      sets.push_back(std::move(row.set));
    }
    return absl::OkStatus();
  }));
  return sets;
}

absl::StatusOr<v1::CompareTrainingSetsResponse> Selector::Compare(
    const v1::CompareTrainingSetsRequest& request) {
  const RunId first{request.first_run_id()};
  const RunId second{request.second_run_id()};
  v1::CompareTrainingSetsResponse comparison;
  ASSIGN_OR_RETURN(*comparison.mutable_first(), Get(first, request.first_trigger()));
  ASSIGN_OR_RETURN(*comparison.mutable_second(), Get(second, request.second_trigger()));
  ASSIGN_OR_RETURN(const batch::Batch of_first, Read(first, request.first_trigger()));
  ASSIGN_OR_RETURN(const batch::Batch of_second, Read(second, request.second_trigger()));
  RETURN_IF_ERROR(CompareSets(of_first, of_second, sources_.list_samples, comparison));
  return comparison;
}

absl::StatusOr<batch::Batch> Selector::Read(RunId run, int64_t trigger) {
  ASSIGN_OR_RETURN(const v1::TrainingSet set, Get(run, trigger));
  if (set.removed()) {
    return NotFound("the training set of trigger {} of run {} was removed by the run's retention",
                    trigger, run.value);
  }
  absl::StatusOr<batch::Batch> entries =
      ReadTrainingSet(PathsOfTrigger(run, trigger).entries, set.digest());
  if (absl::IsNotFound(entries.status())) {
    return DataLoss("the file of trigger {} of run {} is gone", trigger, run.value);
  }
  return entries;
}

absl::StatusOr<batch::Batch> Selector::ReadLate(RunId run, int64_t trigger) {
  ASSIGN_OR_RETURN(const v1::TrainingSet set, Get(run, trigger));
  if (set.num_late() == 0) {
    batch::Batch none(0);
    RETURN_IF_ERROR(none.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, {})));
    return none;
  }
  absl::StatusOr<batch::Batch> keys =
      ReadTrainingSet(PathsOfTrigger(run, trigger).late, set.late_digest());
  if (absl::IsNotFound(keys.status())) {
    return DataLoss("the late samples of trigger {} of run {} are gone", trigger, run.value);
  }
  return keys;
}

absl::Status Selector::FindTrainingSets(DatasetId dataset, std::span<const int64_t> keys,
                                        const MatchSink& sink) {
  std::vector<TrainingSetRow> rows;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    rows = TrainingSetsOf(work, dataset);
    return absl::OkStatus();
  }));
  const auto paths_of = [&](RunId run) -> PathsOf {
    return [this, run](int64_t trigger) { return PathsOfTrigger(run, trigger); };
  };
  return FindSets(rows, keys, paths_of, sink);
}

// Files go before the rows say so: a repetition after a crash finds what is left.
absl::StatusOr<int64_t> Selector::Retire(const rpc::v1::Command& command,
                                         int64_t first_kept_trigger) {
  const RunId run{command.run_id()};
  int64_t num_removed = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, kSchema, command));
    const std::vector<int64_t> triggers = KeptTrainingSets(work, run, first_kept_trigger);
    for (const int64_t trigger : triggers) {
      RETURN_IF_ERROR(files::Remove(PathsOfTrigger(run, trigger).entries));
    }
    MarkRemoved(work, run, first_kept_trigger);
    num_removed = static_cast<int64_t>(triggers.size());
    return absl::OkStatus();
  }));
  return num_removed;
}

absl::StatusOr<int64_t> Selector::DeleteRun(const rpc::v1::Command& command) {
  const RunId run{command.run_id()};
  if (run.value <= 0) return InvalidArgument("the command names no run");
  int64_t num_deleted = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, kSchema, command));
    num_deleted = DeleteTrainingSets(work, run);
    return absl::OkStatus();
  }));
  hosts_.Forget(run.value);
  RETURN_IF_ERROR(files::Remove(FolderOf(run)));
  return num_deleted;
}

std::string Selector::FolderOf(RunId run) const {
  return files::Join(folder_, std::to_string(run.value));
}

TriggerPaths Selector::PathsOfTrigger(RunId run, int64_t trigger) const {
  const std::string stem = files::Join(FolderOf(run), std::to_string(trigger));
  return {.entries = stem + ".batch",
          .late = stem + ".late.batch",
          .chosen = stem + std::string(kChosenSuffix)};
}

}  // namespace tidemill::selector
