#include "selector/selector.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "base/files.h"
#include "db/fencing.h"
#include "selector/policies/policies.h"
#include "selector/training_set_file.h"
#include "selector/training_sets_table.h"

namespace tidemill::selector {
namespace {

constexpr std::string_view kSchema = "selector";

// The candidate columns, whole.
struct Pulled {
  std::vector<int64_t> keys;
  std::vector<int64_t> event_times;
};

storage::v1::ListSamplesRequest CandidatesOf(const v1::SealTrainingSetRequest& request,
                                             const SelectionSpec& spec) {
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = request.snapshot();
  if (request.has_from() && !DrawsFromHistory(spec)) *list.mutable_from() = request.from();
  *list.mutable_to() = request.to();
  return list;
}

absl::StatusOr<Pulled> Pull(const SampleLister& list_samples,
                            const storage::v1::ListSamplesRequest& request) {
  Pulled pulled;
  RETURN_IF_ERROR(list_samples(request, [&](const batch::Batch& chunk) -> absl::Status {
    ASSIGN_OR_RETURN(const batch::Column* keys,
                     chunk.Get(batch::kKeyColumn, batch::DataType::kInt64));
    ASSIGN_OR_RETURN(const batch::Column* times,
                     chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    const auto key_values = keys->Values<int64_t>();
    const auto time_values = times->Values<int64_t>();
    pulled.keys.insert(pulled.keys.end(), key_values.begin(), key_values.end());
    pulled.event_times.insert(pulled.event_times.end(), time_values.begin(), time_values.end());
    return absl::OkStatus();
  }));
  return pulled;
}

absl::Status CheckRequest(const v1::SealTrainingSetRequest& request) {
  if (request.command().run_id() <= 0) return InvalidArgument("the command names no run");
  if (request.trigger() <= 0) return InvalidArgument("trigger {} is below 1", request.trigger());
  if (!request.has_to()) return InvalidArgument("the interval has no end");
  return absl::OkStatus();
}

}  // namespace

Selector::Selector(db::Database& database, std::string folder, SampleLister list_samples)
    : database_(database), folder_(std::move(folder)), list_samples_(std::move(list_samples)) {}

absl::StatusOr<v1::TrainingSet> Selector::Seal(const v1::SealTrainingSetRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  const RunId run{request.command().run_id()};
  absl::StatusOr<v1::TrainingSet> sealed = Get(run, request.trigger());
  if (sealed.ok() || !absl::IsNotFound(sealed.status())) return sealed;

  ASSIGN_OR_RETURN(const SelectionSpec spec,
                   config::Read<SelectionSpec>(request.selection(), "selection"));
  ASSIGN_OR_RETURN(const Pulled pulled, Pull(list_samples_, CandidatesOf(request, spec)));
  const RandomKey random{
      .seed = request.seed(), .purpose = "selection", .trigger = request.trigger()};
  const Choice choice =
      Choose(spec, {.keys = pulled.keys, .event_times = pulled.event_times}, random);
  std::vector<int64_t> keys;
  keys.reserve(choice.rows.size());
  for (const int64_t row : choice.rows) keys.push_back(pulled.keys[static_cast<size_t>(row)]);

  v1::TrainingSet set;
  set.set_run_id(run.value);
  set.set_trigger(request.trigger());
  set.set_dataset_id(request.snapshot().dataset_id());
  set.set_num_samples(static_cast<int64_t>(keys.size()));
  set.set_num_candidates(static_cast<int64_t>(pulled.keys.size()));
  set.set_weighted(!choice.weights.empty());
  return Commit(request, std::move(set), [&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(files::CreateFolder(FolderOf(run)));
    return WriteTrainingSet(PathOf(run, request.trigger()),
                            {.keys = keys, .weights = choice.weights});
  });
}

// Sealings of one training set follow one another, so that a set that has a row is never written
// again.
absl::StatusOr<v1::TrainingSet> Selector::Commit(
    const v1::SealTrainingSetRequest& request, v1::TrainingSet set,
    const std::function<absl::StatusOr<std::string>()>& write) {
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, kSchema, request.command()));
    LockTrainingSet(work, RunId{set.run_id()}, set.trigger());
    if (auto earlier = FindTrainingSet(work, RunId{set.run_id()}, set.trigger())) {
      set = *std::move(earlier);
      return absl::OkStatus();
    }
    RETURN_IF_FAILPOINT("selector.before_seal");
    ASSIGN_OR_RETURN(const std::string digest, write());
    RETURN_IF_FAILPOINT("selector.after_seal");
    set.set_digest(digest);
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
  absl::StatusOr<batch::Batch> entries = ReadTrainingSet(PathOf(run, trigger), set.digest());
  if (absl::IsNotFound(entries.status())) {
    return DataLoss("the file of trigger {} of run {} is gone", trigger, run.value);
  }
  return entries;
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

}  // namespace tidemill::selector
