#include "supervisor/model_use/model_use.h"

#include "fmt/format.h"

namespace tidemill::supervisor {
namespace {

constexpr char kSelectIsTrial[] = "SELECT is_trial FROM supervisor.runs WHERE run_id = $1";

bool HasModel(const std::optional<ModelChangeRow>& last) {
  return last && last->change.model_id() != 0;
}

// A change after which the same model, or none, is in use as before.
ModelChangeRow Same(const std::optional<ModelChangeRow>& last, v1::ModelChangeKind kind) {
  ModelChangeRow row;
  row.change.set_kind(kind);
  if (!last) return row;
  row.change.set_model_id(last->change.model_id());
  row.change.set_run_id(last->change.run_id());
  row.change.set_trigger(last->change.trigger());
  row.change.set_pinned(last->change.pinned());
  row.since = last->since;
  row.before = last->before;
  return row;
}

// A change that puts a model to use. One that is in use already stays in its place.
ModelChangeRow Next(const std::optional<ModelChangeRow>& last, const KeptModel& model,
                    v1::ModelChangeKind kind) {
  if (last && last->change.model_id() == model.model_id) return Same(last, kind);
  ModelChangeRow row;
  row.change.set_kind(kind);
  row.change.set_model_id(model.model_id);
  row.change.set_run_id(model.run.value);
  row.change.set_trigger(model.trigger);
  if (last) row.before = HasModel(last) ? last->change.number() : last->before;
  return row;
}

KeptModel ModelOf(const TrainedModel& trained) {
  return {.pipeline = trained.pipeline,
          .run = trained.run,
          .trigger = trained.trigger,
          .model_id = trained.model_id};
}

void SetCause(const TrainedModel& trained, ModelChangeRow& row) {
  row.change.set_caused_by_run(trained.run.value);
  row.change.set_caused_by_trigger(trained.trigger);
}

// The model in use stays, although another was trained.
void Keep(pqxx::work& work, const std::optional<ModelChangeRow>& last, const TrainedModel& trained,
          const std::string& reason,
          const std::optional<v1::ModelComparison>& comparison = std::nullopt) {
  ModelChangeRow row = Same(last, v1::MODEL_CHANGE_KIND_KEPT);
  row.change.set_text(reason);
  row.change.set_other_model_id(trained.model_id);
  if (comparison) *row.change.mutable_comparison() = *comparison;
  SetCause(trained, row);
  AddModelChange(work, trained.pipeline, row);
}

std::string PinnedText(const v1::ModelChange& in_use, const TrainedModel& trained) {
  return fmt::format("model {} was trained at trigger {} of run {}; model {} is pinned",
                     trained.model_id, trained.trigger, trained.run.value, in_use.model_id());
}

// The nearest change before the last one whose model is kept and not in use. Adds the models that
// are gone to `passed_over`.
std::optional<ModelChangeRow> FindBefore(pqxx::work& work, PipelineId pipeline,
                                         const std::optional<ModelChangeRow>& last,
                                         std::vector<int64_t>& passed_over) {
  std::optional<int64_t> number = last ? last->before : std::nullopt;
  while (number) {
    std::optional<ModelChangeRow> found = FindModelChange(work, pipeline, *number);
    const int64_t model = found->change.model_id();
    if (model != last->change.model_id()) {
      if (FindKeptModel(work, model)) return found;
      passed_over.push_back(model);
    }
    number = found->before;
  }
  return std::nullopt;
}

}  // namespace

bool IsTrial(pqxx::work& work, RunId run) {
  const pqxx::result rows = work.exec_params(kSelectIsTrial, run.value);
  return !rows.empty() && rows[0][0].as<bool>();
}

void NoteTrained(pqxx::work& work, const TrainedModel& trained) {
  if (IsTrial(work, trained.run)) return;
  LockModelUse(work, trained.pipeline);
  if (IsDecided(work, trained.run, trained.trigger)) return;
  const std::optional<ModelChangeRow> last = LastModelChange(work, trained.pipeline);
  if (trained.must_be_better && HasModel(last)) return;
  if (last && last->change.pinned()) {
    return Keep(work, last, trained, PinnedText(last->change, trained));
  }
  if (const auto newer = NewerRunWithModel(work, trained.pipeline, trained.run)) {
    return Keep(work, last, trained,
                fmt::format("model {} was trained at trigger {} of run {}, and run {} is newer",
                            trained.model_id, trained.trigger, trained.run.value, newer->value));
  }
  ModelChangeRow row = Next(last, ModelOf(trained), v1::MODEL_CHANGE_KIND_TRAINED);
  row.change.set_text(
      fmt::format("trained at trigger {} of run {}", trained.trigger, trained.run.value));
  SetCause(trained, row);
  AddModelChange(work, trained.pipeline, row);
}

void NoteJudged(pqxx::work& work, const JudgedModel& judged) {
  const TrainedModel& model = judged.model;
  if (IsTrial(work, model.run)) return;
  LockModelUse(work, model.pipeline);
  if (IsDecided(work, model.run, model.trigger)) return;
  const std::optional<ModelChangeRow> last = LastModelChange(work, model.pipeline);
  if (!judged.is_better) return Keep(work, last, model, judged.text, judged.comparison);
  if (last && last->change.pinned()) {
    return Keep(work, last, model, PinnedText(last->change, model) + "; " + judged.text,
                judged.comparison);
  }
  if (!last || last->change.model_id() != judged.champion) {
    return Keep(work, last, model,
                fmt::format("model {} was compared with model {}, which was no longer in use then; "
                            "{}",
                            model.model_id, judged.champion, judged.text),
                judged.comparison);
  }
  ModelChangeRow row = Next(last, ModelOf(model), v1::MODEL_CHANGE_KIND_BETTER);
  row.change.set_text(judged.text);
  row.change.set_other_model_id(judged.champion);
  if (judged.comparison) *row.change.mutable_comparison() = *judged.comparison;
  SetCause(model, row);
  AddModelChange(work, model.pipeline, row);
}

void NotePromoted(pqxx::work& work, PipelineId pipeline, RunId run) {
  LockModelUse(work, pipeline);
  const std::optional<KeptModel> newest = NewestKeptModel(work, run);
  const std::optional<ModelChangeRow> last = LastModelChange(work, pipeline);
  if (!newest || NewerRunWithModel(work, pipeline, run)) return;
  if (last && (last->change.pinned() || last->change.model_id() == newest->model_id)) return;
  ModelChangeRow row = Next(last, *newest, v1::MODEL_CHANGE_KIND_PROMOTED);
  row.change.set_text(fmt::format("run {} is a trial no more", run.value));
  row.change.set_command("run --promote");
  AddModelChange(work, pipeline, row);
}

std::optional<v1::ModelChange> FindModelInUse(pqxx::work& work, PipelineId pipeline) {
  const std::optional<ModelChangeRow> last = LastModelChange(work, pipeline);
  return HasModel(last) ? std::optional(last->change) : std::nullopt;
}

absl::StatusOr<v1::ModelChange> UseModel(pqxx::work& work, int64_t model_id, bool pin) {
  const auto unlocked = FindKeptModel(work, model_id);
  if (unlocked) LockModelUse(work, unlocked->pipeline);
  // Retention may have removed it before the lock was there.
  const auto model = unlocked ? FindKeptModel(work, model_id) : std::nullopt;
  if (!model) {
    return NotFound(
        "model {} does not exist, or its weights have been removed; `tidemill models list` lists "
        "models",
        model_id);
  }
  ModelChangeRow row =
      Next(LastModelChange(work, model->pipeline), *model, v1::MODEL_CHANGE_KIND_USED);
  row.change.set_pinned(pin);
  row.change.set_command(pin ? "models use --pin" : "models use");
  row.change.set_text(pin ? "chosen and pinned by a user" : "chosen by a user");
  return AddModelChange(work, model->pipeline, row);
}

absl::StatusOr<v1::ModelChange> UnpinModel(pqxx::work& work, PipelineId pipeline) {
  LockModelUse(work, pipeline);
  const std::optional<ModelChangeRow> last = LastModelChange(work, pipeline);
  if (!last || !last->change.pinned()) {
    return FailedPrecondition(
        "the pipeline has no pinned model, so later trainings take its place");
  }
  ModelChangeRow row = Same(last, v1::MODEL_CHANGE_KIND_UNPINNED);
  row.change.set_pinned(false);
  row.change.set_command("models use --unpin");
  row.change.set_text("the pin was taken away by a user");
  return AddModelChange(work, pipeline, row);
}

absl::StatusOr<v1::ModelChange> UseNoModel(pqxx::work& work, PipelineId pipeline) {
  LockModelUse(work, pipeline);
  const std::optional<ModelChangeRow> last = LastModelChange(work, pipeline);
  if (!HasModel(last)) return FailedPrecondition("the pipeline has no model in use already");
  ModelChangeRow row;
  row.change.set_kind(v1::MODEL_CHANGE_KIND_NONE);
  row.change.set_other_model_id(last->change.model_id());
  row.change.set_command("models use --none");
  row.change.set_text("a user took the place from the model");
  row.before = last->change.number();
  return AddModelChange(work, pipeline, row);
}

absl::StatusOr<v1::RollBackModelResponse> RollBackModel(pqxx::work& work, PipelineId pipeline,
                                                        bool pin) {
  LockModelUse(work, pipeline);
  const std::optional<ModelChangeRow> last = LastModelChange(work, pipeline);
  std::vector<int64_t> passed_over;
  const auto before = FindBefore(work, pipeline, last, passed_over);
  if (!before) {
    return FailedPrecondition(
        "no model was in use before{}; `tidemill models use PIPELINE/N` puts any kept model to use",
        passed_over.empty()
            ? ""
            : fmt::format(" whose weights still exist ({} are gone)", passed_over.size()));
  }
  ModelChangeRow row = Same(before, v1::MODEL_CHANGE_KIND_ROLLED_BACK);
  row.since = 0;
  row.change.set_pinned(pin);
  row.change.set_other_model_id(last->change.model_id());
  row.change.set_command(pin ? "models rollback --pin" : "models rollback");
  row.change.set_text(
      last->change.model_id() == 0
          ? "rolled back by a user"
          : fmt::format("rolled back by a user from model {}", last->change.model_id()));
  v1::RollBackModelResponse response;
  *response.mutable_change() = AddModelChange(work, pipeline, row);
  response.mutable_passed_over()->Add(passed_over.begin(), passed_over.end());
  return response;
}

std::vector<int64_t> TriggersInUse(pqxx::work& work, PipelineId pipeline, RunId run) {
  LockModelUse(work, pipeline);
  const std::optional<ModelChangeRow> last = LastModelChange(work, pipeline);
  std::vector<int64_t> passed_over;
  std::vector<int64_t> triggers;
  for (const auto& row : {last, FindBefore(work, pipeline, last, passed_over)}) {
    if (row && row->change.run_id() == run.value) triggers.push_back(row->change.trigger());
  }
  return triggers;
}

absl::Status CheckNotInUse(pqxx::work& work, PipelineId pipeline, std::optional<RunId> run) {
  LockModelUse(work, pipeline);
  const std::optional<v1::ModelChange> in_use = FindModelInUse(work, pipeline);
  if (!in_use || (run && in_use->run_id() != run->value)) return absl::OkStatus();
  return FailedPrecondition(
      "pipeline {0} has model {1} of run {2} in use; {3}let no model answer for it: `tidemill "
      "models "
      "use {0} --none`",
      in_use->pipeline_name(), in_use->model_id(), in_use->run_id(),
      run ? "put another one to use first: `tidemill models use RUN/TRIGGER`, or " : "first ");
}

}  // namespace tidemill::supervisor
