#include "selector/selector.h"

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "base/files.h"
#include "db/fencing.h"
#include "selector/policies/policies.h"
#include "selector/temporary_file.h"
#include "selector/training_set_file.h"
#include "selector/training_sets_table.h"

namespace tidemill::selector {
namespace {

constexpr std::string_view kSchema = "selector";

auto Place(const rpc::v1::Cut& cut) { return std::tuple(cut.event_time(), cut.sample_key()); }

storage::v1::ListSamplesRequest CandidatesOf(const v1::SealTrainingSetRequest& request,
                                             const SelectionSpec& spec) {
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = request.snapshot();
  const bool from_begin = !request.has_from() || DrawsFromHistory(spec);
  // Of its new data a trigger knows all that the snapshot knows.
  if (!from_begin) list.mutable_snapshot()->clear_horizons();
  if (request.has_begin()) *list.mutable_from() = request.begin();
  if (!from_begin && (!list.has_from() || Place(list.from()) < Place(request.from()))) {
    *list.mutable_from() = request.from();
  }
  *list.mutable_to() = request.to();
  return list;
}

// What became known after the trigger before and lies before its cut; std::nullopt where nothing
// can be late.
std::optional<storage::v1::ListSamplesRequest> LateOf(const v1::SealTrainingSetRequest& request) {
  if (request.late_after_key() <= 0 || !request.has_from()) return std::nullopt;
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = request.snapshot();
  list.mutable_snapshot()->clear_horizons();
  if (request.has_begin()) *list.mutable_from() = request.begin();
  *list.mutable_to() = request.from();
  list.set_after_key(request.late_after_key());
  return list;
}

// Hands the candidates over as they come.
absl::Status Pull(const SampleLister& list_samples, const storage::v1::ListSamplesRequest& request,
                  const std::function<absl::Status(const Candidates&)>& take) {
  return list_samples(request, [&](const batch::Batch& chunk) -> absl::Status {
    ASSIGN_OR_RETURN(const batch::Column* keys,
                     chunk.Get(batch::kKeyColumn, batch::DataType::kInt64));
    ASSIGN_OR_RETURN(const batch::Column* times,
                     chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    return take({.keys = keys->Values<int64_t>(), .event_times = times->Values<int64_t>()});
  });
}

absl::Status CheckRequest(const v1::SealTrainingSetRequest& request) {
  if (request.command().run_id() <= 0) return InvalidArgument("the command names no run");
  if (request.trigger() <= 0) return InvalidArgument("trigger {} is below 1", request.trigger());
  if (!request.has_to()) return InvalidArgument("the interval has no end");
  return absl::OkStatus();
}

}  // namespace

struct Selector::Unsealed {
  explicit Unsealed(const std::string& folder) : entries(folder), late(folder) {}

  v1::TrainingSet set;
  TrainingSetWriter entries;
  TrainingSetWriter late;
};

Selector::Selector(db::Database& database, std::string folder, SampleLister list_samples,
                   const SelectorConfig& config)
    : database_(database),
      folder_(std::move(folder)),
      list_samples_(std::move(list_samples)),
      memory_budget_(config.memory_budget.bytes),
      // The caller's thread is one of them.
      pool_(config.num_threads > 1
                ? std::make_unique<WorkerPool>("selection", config.num_threads - 1)
                : nullptr) {}

absl::Status Selector::RemoveLeftovers() { return TemporaryFile::RemoveLeftovers(folder_); }

absl::StatusOr<v1::TrainingSet> Selector::Seal(const v1::SealTrainingSetRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  ASSIGN_OR_RETURN(const std::optional<v1::TrainingSet> sealed, FindSealed(request));
  if (sealed) return *sealed;
  Unsealed unsealed(folder_);
  RETURN_IF_ERROR(Write(request, unsealed));
  return Commit(request, unsealed);
}

// A supervisor that was replaced is told so before the work is done; Commit() asks again.
absl::StatusOr<std::optional<v1::TrainingSet>> Selector::FindSealed(
    const v1::SealTrainingSetRequest& request) {
  std::optional<v1::TrainingSet> sealed;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    sealed = FindTrainingSet(work, RunId{request.command().run_id()}, request.trigger());
    if (sealed) return absl::OkStatus();
    return db::CheckFence(work, kSchema, request.command());
  }));
  return sealed;
}

absl::Status Selector::Write(const v1::SealTrainingSetRequest& request, Unsealed& unsealed) {
  ASSIGN_OR_RETURN(const SelectionSpec spec,
                   config::Read<SelectionSpec>(request.selection(), "selection"));
  const RandomKey random{
      .seed = request.seed(), .purpose = "selection", .trigger = request.trigger()};
  const Workplace workplace{
      .folder = folder_, .memory_budget = memory_budget_, .pool = pool_.get()};
  const std::unique_ptr<Chooser> chooser = MakeChooser(spec, random, workplace, unsealed.entries);
  int64_t num_candidates = 0;
  const auto choose = [&](const Candidates& candidates) {
    num_candidates += std::ssize(candidates.keys);
    return chooser->Add(candidates);
  };
  if (const auto list = LateOf(request)) {
    RETURN_IF_ERROR(unsealed.late.Open(/*weighted=*/false));
    // All that is known so far holds the late ones, or leaves them out by its horizons. Else they
    // are earlier than all others, so the order stays that of time.
    const bool take_part = request.accept_late() && !DrawsFromHistory(spec);
    RETURN_IF_ERROR(Pull(list_samples_, *list, [&](const Candidates& candidates) -> absl::Status {
      RETURN_IF_ERROR(unsealed.late.AddKeys(candidates.keys));
      return take_part ? choose(candidates) : absl::OkStatus();
    }));
  }
  RETURN_IF_ERROR(Pull(list_samples_, CandidatesOf(request, spec), choose));
  RETURN_IF_ERROR(chooser->Finish());

  v1::TrainingSet& set = unsealed.set;
  set.set_run_id(request.command().run_id());
  set.set_trigger(request.trigger());
  set.set_dataset_id(request.snapshot().dataset_id());
  set.set_num_samples(unsealed.entries.num_keys());
  set.set_num_candidates(num_candidates);
  set.set_weighted(unsealed.entries.weighted());
  set.set_num_late(unsealed.late.num_keys());
  ASSIGN_OR_RETURN(*set.mutable_digest(), unsealed.entries.Seal());
  if (set.num_late() == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(*set.mutable_late_digest(), unsealed.late.Seal());
  return absl::OkStatus();
}

// Sealings of one training set follow one another, so that a set that has a row is never written
// again.
absl::StatusOr<v1::TrainingSet> Selector::Commit(const v1::SealTrainingSetRequest& request,
                                                 Unsealed& unsealed) {
  v1::TrainingSet set = unsealed.set;
  const RunId run{set.run_id()};
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, kSchema, request.command()));
    LockTrainingSet(work, run, set.trigger());
    if (auto earlier = FindTrainingSet(work, run, set.trigger())) {
      set = *std::move(earlier);
      return absl::OkStatus();
    }
    RETURN_IF_FAILPOINT("selector.before_seal");
    RETURN_IF_ERROR(files::CreateFolder(FolderOf(run)));
    if (set.num_late() > 0) {
      RETURN_IF_ERROR(unsealed.late.Publish(LatePathOf(run, set.trigger())));
    }
    RETURN_IF_ERROR(unsealed.entries.Publish(PathOf(run, set.trigger())));
    RETURN_IF_FAILPOINT("selector.after_seal");
    InsertTrainingSet(work, set);
    RETURN_IF_FAILPOINT("selector.before_commit");
    return absl::OkStatus();
  }));
  RETURN_IF_FAILPOINT("selector.after_commit");
  return set;
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

absl::StatusOr<batch::Batch> Selector::Read(RunId run, int64_t trigger) {
  ASSIGN_OR_RETURN(const v1::TrainingSet set, Get(run, trigger));
  if (set.removed()) {
    return NotFound("the training set of trigger {} of run {} was removed by the run's retention",
                    trigger, run.value);
  }
  absl::StatusOr<batch::Batch> entries = ReadTrainingSet(PathOf(run, trigger), set.digest());
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
  absl::StatusOr<batch::Batch> keys = ReadTrainingSet(LatePathOf(run, trigger), set.late_digest());
  if (absl::IsNotFound(keys.status())) {
    return DataLoss("the late samples of trigger {} of run {} are gone", trigger, run.value);
  }
  return keys;
}

// Files go before the rows say so: a repetition after a crash finds what is left.
absl::StatusOr<int64_t> Selector::Retire(const rpc::v1::Command& command,
                                         int64_t first_kept_trigger) {
  const RunId run{command.run_id()};
  int64_t num_removed = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, kSchema, command));
    const std::vector<int64_t> triggers = KeptTrainingSets(work, run, first_kept_trigger);
    for (const int64_t trigger : triggers) RETURN_IF_ERROR(files::Remove(PathOf(run, trigger)));
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
  RETURN_IF_ERROR(files::Remove(FolderOf(run)));
  return num_deleted;
}

std::string Selector::FolderOf(RunId run) const {
  return files::Join(folder_, std::to_string(run.value));
}

std::string Selector::PathOf(RunId run, int64_t trigger) const {
  return files::Join(FolderOf(run), std::to_string(trigger) + ".batch");
}

std::string Selector::LatePathOf(RunId run, int64_t trigger) const {
  return files::Join(FolderOf(run), std::to_string(trigger) + ".late.batch");
}

}  // namespace tidemill::selector
