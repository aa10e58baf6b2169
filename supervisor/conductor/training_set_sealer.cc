#include "supervisor/conductor/training_set_sealer.h"

#include <string>

#include "base/failpoints.h"
#include "config/config.h"
#include "supervisor/measuring/live_windows.h"
#include "supervisor/runs/label_delay.h"
#include "supervisor/runs/progress.h"
#include "supervisor/steps/skip_trigger.h"
#include "supervisor/steps/stopwatch.h"

namespace tidemill::supervisor {
namespace {

// Why nothing is in a training set.
std::string WhyNothing(const selector::v1::TrainingSet& set) {
  std::string why = fmt::format("none of {} candidates was selected", set.num_candidates());
  const int64_t num_unlabelled = set.summary().num_unlabelled();
  if (num_unlabelled > 0) {
    why += fmt::format("; {} samples without a label cannot be selected", num_unlabelled);
  }
  if (const int64_t num_filtered = set.summary().num_filtered(); num_filtered > 0) {
    why += fmt::format("; `where` left out {} samples", num_filtered);
  }
  return why;
}

v1::RunEvent SealedEvent(int64_t trigger, const selector::v1::TrainingSet& set, double seconds) {
  v1::RunEvent event;
  v1::TrainingSetSealed& sealed = *event.mutable_training_set_sealed();
  sealed.set_trigger(trigger);
  sealed.set_num_samples(set.num_samples());
  sealed.set_num_candidates(set.num_candidates());
  sealed.set_digest(set.digest());
  sealed.set_seconds(seconds);
  sealed.set_num_late(set.num_late());
  sealed.set_num_unlabelled(set.summary().num_unlabelled());
  sealed.set_num_new_unlabelled(set.summary().num_new_unlabelled());
  sealed.set_num_filtered(set.summary().num_filtered());
  sealed.set_num_fresh(set.summary().num_fresh());
  return event;
}

v1::RunEvent FaultedEvent(int64_t trigger, const selector::v1::TrainingSet& set) {
  v1::RunEvent event;
  v1::SelectionFaulted& faulted = *event.mutable_selection_faulted();
  faulted.set_trigger(trigger);
  faulted.mutable_fault()->set_what(set.summary().fault().what());
  faulted.mutable_fault()->set_traceback(set.summary().fault().traceback());
  faulted.set_num_samples(set.num_samples());
  faulted.set_num_candidates(set.num_candidates());
  return event;
}

v1::RunEvent DiedEvent(int64_t trigger, const selector::v1::SelectionSummary::Death& death) {
  v1::RunEvent event;
  v1::PluginDied& died = *event.mutable_plugin_died();
  died.set_trigger(trigger);
  died.set_plugin(death.plugin());
  died.set_what(death.what());
  return event;
}

absl::Status SkipWithoutSamples(RunRecord& record, const TriggerState& trigger,
                                const selector::v1::TrainingSet& set) {
  v1::TriggerSkipped counts;
  counts.set_num_candidates(set.num_candidates());
  counts.set_num_unlabelled(set.summary().num_unlabelled());
  counts.set_num_new_unlabelled(set.summary().num_new_unlabelled());
  counts.set_num_filtered(set.summary().num_filtered());
  return SkipTrigger(record, trigger, "select", WhyNothing(set), counts);
}

}  // namespace

absl::Status TrainingSetSealer::Seal(const TriggerState& trigger) {
  FAILPOINT("supervisor.before_select");
  const Stopwatch stopwatch;
  record_.Report(ProgressOf("select", 0, 0, "samples"));
  ASSIGN_OR_RETURN(const auto request, RequestFor(trigger));
  selector::v1::TrainingSet set;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(set, downstream_.SealTrainingSet(request));
    return absl::OkStatus();
  }));
  if (set.summary().has_usage()) {
    record_.step_usage().NoteJob(set.summary().usage(), record_.usage());
  }
  for (const selector::v1::SelectionSummary::Death& death : set.summary().deaths()) {
    RETURN_IF_ERROR(record_.Record(DiedEvent(trigger.trigger.number(), death)));
  }
  if (set.summary().has_fault()) {
    RETURN_IF_ERROR(record_.Record(FaultedEvent(trigger.trigger.number(), set)));
  }
  if (set.num_samples() == 0) return SkipWithoutSamples(record_, trigger, set);
  FAILPOINT("supervisor.after_select");
  return record_.Record(SealedEvent(trigger.trigger.number(), set, stopwatch.Seconds()));
}

absl::StatusOr<selector::v1::SealTrainingSetRequest> TrainingSetSealer::RequestFor(
    const TriggerState& trigger) const {
  const int64_t number = trigger.trigger.number();
  const PipelineSpec& spec = record_.spec();
  const v1::DatasetSynced& data = record_.TrainingData();
  selector::v1::SealTrainingSetRequest request;
  *request.mutable_command() = record_.CommandFor("select", number);
  request.set_trigger(number);
  *request.mutable_snapshot() = data.snapshot();
  if (data.has_replay_from()) *request.mutable_begin() = data.replay_from();
  ASSIGN_OR_RETURN(const Duration delay, record_.LabelDelay());
  if (spec.live) AddLateSamples(trigger, delay, request);
  AddCuts(trigger, delay, request);
  if (const TriggerState* active = record_.state().LastStoredBefore(number)) {
    request.set_model_id(active->trigger.model_id());
  }
  request.set_selection(config::Print(spec.selection));
  request.set_dataset_spec(data.spec());
  request.set_workers(spec.preprocess.WorkersText());
  request.set_seed(spec.training.seed);
  return request;
}

void TrainingSetSealer::AddCuts(const TriggerState& trigger, Duration label_delay,
                                selector::v1::SealTrainingSetRequest& request) const {
  const int64_t number = trigger.trigger.number();
  for (const TriggerState& before : record_.state().triggers()) {
    if (before.trigger.number() >= number) break;
    *request.add_ends() = KnownAt(before.trigger.at(), label_delay);
  }
  if (number > 1) *request.mutable_from() = KnownAt(trigger.from, label_delay);
  *request.mutable_to() = KnownAt(trigger.trigger.at(), label_delay);
}

void TrainingSetSealer::AddLateSamples(const TriggerState& trigger, Duration label_delay,
                                       selector::v1::SealTrainingSetRequest& request) const {
  const std::vector<TriggerState>& triggers = record_.state().triggers();
  const int64_t number = trigger.trigger.number();
  *request.mutable_snapshot() = *trigger.snapshot;
  const bool accept = record_.spec().live->late == LatePolicy::kAccept;
  request.set_accept_late(accept);
  // The trigger that selects is the last one.
  if (!accept) AddHorizons(triggers, label_delay, *request.mutable_snapshot());
  if (number == 1) return;
  const TriggerState& before = triggers.at(static_cast<size_t>(number - 2));
  request.set_late_after_key(before.snapshot->committed_key());
}

}  // namespace tidemill::supervisor
