#include "supervisor/runs/event_text.h"

#include "fmt/format.h"

#include "base/time.h"
#include "storage/client/left_out_text.h"

namespace tidemill::supervisor {
namespace {

std::string Extent(const v1::DatasetSynced& event) {
  if (event.num_samples() == 0) return fmt::format("dataset {} is empty", event.name());
  std::string text =
      fmt::format("dataset {} pinned: {} samples", event.name(), event.num_samples());
  if (event.has_replay_from() || event.has_replay_to()) {
    text += ", replayed";
    if (event.has_replay_from()) {
      text += " from " + FormatTimestampShort({event.replay_from().event_time()});
    }
    if (event.has_replay_to()) {
      text += " to before " + FormatTimestampShort({event.replay_to().event_time()});
    }
    return text;
  }
  return text + fmt::format(" from {} to {}", FormatTimestampShort({event.from().event_time()}),
                            FormatTimestampShort({event.to().event_time() - 1}));
}

std::string Text(const v1::DatasetSynced& event) {
  const std::string left_out = storage::LeftOutText(event.left_out());
  return left_out.empty() ? Extent(event) : fmt::format("{}; {}", Extent(event), left_out);
}

std::string Text(const v1::RunStarted& event) {
  std::string text = "run started";
  for (const std::string& plugin : event.plugins()) text += "; with the plug-in " + plugin;
  for (const v1::SetValue& set : event.set_values()) {
    text += fmt::format("; set: {} = {}", set.key(), set.value());
  }
  return text;
}

std::string Text(const v1::TriggerFired& event) {
  std::string text =
      fmt::format("trigger {} fired at {} after {} new samples", event.trigger(),
                  FormatTimestampShort({event.at().event_time()}), event.num_samples());
  if (event.num_late() > 0) {
    text += fmt::format("; {} more are from before the previous trigger and came late",
                        event.num_late());
  }
  return text;
}

std::string Text(const v1::EvaluationFinished& event) {
  std::string text = fmt::format("evaluation {}: {} windows measured in {:.1f} s",
                                 event.evaluation() + 1, event.num_windows(), event.seconds());
  if (event.has_num_prepared_at_workers()) {
    text += fmt::format("; workers prepared {} samples, and the evaluator {}",
                        event.num_prepared_at_workers(), event.num_prepared_here());
  }
  if (event.num_found() > 0) {
    text += fmt::format("; {} of the samples were found prepared", event.num_found());
  }
  if (event.num_removed_models() > 0) {
    text +=
        fmt::format("; {} models were removed and are not measured", event.num_removed_models());
  }
  for (const rpc::v1::MeasureFault& fault : event.faults()) {
    text +=
        fmt::format("; {} lacks {} values: {}", fault.measure(), fault.num_values(), fault.what());
    if (!fault.traceback().empty()) text += "\n" + fault.traceback();
  }
  return text;
}

std::string Text(const v1::TrainingSetSealed& event) {
  std::string text = fmt::format("trigger {}: {} of {} samples selected", event.trigger(),
                                 event.num_samples(), event.num_candidates());
  if (event.num_filtered() > 0) {
    text += fmt::format("; `where` left out {}", event.num_filtered());
  }
  if (event.num_unlabelled() > 0) {
    text += fmt::format("; {} without a label left out", event.num_unlabelled());
  }
  return text;
}

std::string Text(const v1::ModelTrained& event) {
  const rpc::v1::TrainingResult& result = event.result();
  std::string text =
      event.has_reused_from()
          ? fmt::format(
                "trigger {}: reused the model that trigger {} of run {} has trained in "
                "{:.1f} s, loss {:.4f}",
                event.trigger(), event.reused_from().trigger(), event.reused_from().run_id(),
                event.seconds(), result.loss())
          : fmt::format("trigger {}: trained in {:.1f} s on {}, loss {:.4f}", event.trigger(),
                        event.seconds(), result.device(), result.loss());
  const int64_t num_bad = result.has_num_bad() ? result.num_bad() : result.num_skipped();
  if (num_bad > 0) text += fmt::format(", {} samples could not be used", num_bad);
  for (const std::string& warning : result.fit_warnings()) text += "; " + warning;
  for (const rpc::v1::UnknownValues& unknown : result.unknown()) {
    text += fmt::format("; {} did not know {} of {} values", unknown.op(), unknown.num_unknown(),
                        unknown.num_samples());
  }
  if (!event.why_not_reusable().empty()) {
    text += "; no model can be reused: " + event.why_not_reusable();
  }
  if (!result.verdict().empty() && !event.has_reused_from()) text += "; " + result.verdict();
  return text;
}

std::string Text(const v1::TriggerSkipped& event) {
  return fmt::format(
      "trigger {} is skipped: {}; {}", event.trigger(), event.reason(),
      event.active_trigger() == 0
          ? "there is no model yet"
          : fmt::format("the model of trigger {} stays in use", event.active_trigger()));
}

std::string Text(const v1::PolicyFaulted& event) {
  std::string text =
      fmt::format("the trigger policy could not decide at {}, and the answer was {}",
                  FormatTimestampShort({event.at().event_time()}), event.fired() ? "yes" : "no");
  if (event.num_decisions() > 1) {
    text += fmt::format(", as at {} more decisions", event.num_decisions() - 1);
  }
  text += ": " + event.fault().what();
  if (!event.fault().traceback().empty()) text += "\n" + event.fault().traceback();
  return text;
}

std::string Text(const v1::SelectionFaulted& event) {
  std::string text = fmt::format(
      "trigger {}: the selection policy could not choose, and {} of {} candidates were chosen in "
      "its place: {}",
      event.trigger(), event.num_samples(), event.num_candidates(), event.fault().what());
  if (!event.fault().traceback().empty()) text += "\n" + event.fault().traceback();
  return text;
}

std::string Text(const v1::PluginDied& event) {
  const std::string of = event.trigger() == 0 ? "" : fmt::format("trigger {}: ", event.trigger());
  return fmt::format("{}a process of the plug-in {} died, and another one was asked: {}", of,
                     event.plugin(), event.what());
}

std::string Text(const v1::PluginsChanged& event) {
  std::string text = "plug-ins run with other versions than before: ";
  for (int i = 0; i < event.plugins_size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : "; ", event.plugins(i));
  }
  return text;
}

std::string Text(const v1::StepWaited& event) {
  const std::string of = event.trigger() == 0 ? "" : fmt::format("trigger {}: ", event.trigger());
  return fmt::format("{}{} waited {:.0f} s and went on: {}", of, event.stage(), event.seconds(),
                     event.reason());
}

std::string Text(const v1::StreamEnded& event) {
  std::string text =
      fmt::format("end of the stream, {} samples after the last trigger", event.num_leftover());
  if (!event.standing().empty()) text += "; " + event.standing();
  return text;
}

std::string AheadText(const v1::SamplesAhead& ahead) {
  std::string text = fmt::format("{} {} ahead of the others, the first at {}", ahead.num_samples(),
                                 ahead.num_samples() == 1 ? "sample is" : "samples are",
                                 FormatTimestampShort({ahead.first_event_time()}));
  if (!ahead.has_reached_event_time()) return text;
  return fmt::format("{} where these have reached {}", text,
                     FormatTimestampShort({ahead.reached_event_time()}));
}

std::string Text(const v1::ModelsRetired& event) {
  std::string text =
      fmt::format("models before trigger {} and training sets before trigger {} removed",
                  event.first_model(), event.first_training_set());
  for (const int64_t kept : event.kept_models()) {
    text += fmt::format("; the model of trigger {} stays: it is in use, or was before", kept);
  }
  return text;
}

std::string Text(const v1::ChallengersJudged& event) {
  std::string text = "challengers judged";
  if (event.judged().empty()) text += ": there were none";
  for (const v1::JudgedChallenger& judged : event.judged()) text += "; " + judged.text();
  return text;
}

std::string Text(const v1::SamplesAhead& event) {
  if (event.num_samples() == 0) return "no samples are ahead of the others any more";
  return fmt::format("{}; they wait, and do not move the clock", AheadText(event));
}

}  // namespace

std::string TypeOf(const v1::RunEvent& event) {
  const auto* field =
      v1::RunEvent::descriptor()->FindFieldByNumber(static_cast<int>(event.kind_case()));
  return field == nullptr ? "unknown" : field->name();
}

int64_t TriggerNumberOf(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kTriggerFired:
      return event.trigger_fired().trigger();
    case v1::RunEvent::kTrainingSetSealed:
      return event.training_set_sealed().trigger();
    case v1::RunEvent::kGraphFitted:
      return event.graph_fitted().trigger();
    case v1::RunEvent::kModelTrained:
      return event.model_trained().trigger();
    case v1::RunEvent::kModelStored:
      return event.model_stored().trigger();
    case v1::RunEvent::kTriggerSkipped:
      return event.trigger_skipped().trigger();
    case v1::RunEvent::kSelectionFaulted:
      return event.selection_faulted().trigger();
    case v1::RunEvent::kStepWaited:
      return event.step_waited().trigger();
    case v1::RunEvent::kPluginDied:
      return event.plugin_died().trigger();
    default:
      return 0;
  }
}

std::string TextOf(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kRunStarted:
      return Text(event.run_started());
    case v1::RunEvent::kDatasetSynced:
      return Text(event.dataset_synced());
    case v1::RunEvent::kTriggerFired:
      return Text(event.trigger_fired());
    case v1::RunEvent::kPolicyFaulted:
      return Text(event.policy_faulted());
    case v1::RunEvent::kSelectionFaulted:
      return Text(event.selection_faulted());
    case v1::RunEvent::kStreamEnded:
      return Text(event.stream_ended());
    case v1::RunEvent::kSamplesAhead:
      return Text(event.samples_ahead());
    case v1::RunEvent::kStepWaited:
      return Text(event.step_waited());
    case v1::RunEvent::kPluginDied:
      return Text(event.plugin_died());
    case v1::RunEvent::kPluginsChanged:
      return Text(event.plugins_changed());
    case v1::RunEvent::kUsageNoted:
      return "what the run has used is noted";
    case v1::RunEvent::kTrainingSetSealed:
      return Text(event.training_set_sealed());
    case v1::RunEvent::kGraphFitted:
      return fmt::format(
          "trigger {}: {}", event.graph_fitted().trigger(),
          event.graph_fitted().reused() ? "what the graph has learned is reused" : "graph fitted");
    case v1::RunEvent::kModelTrained:
      return Text(event.model_trained());
    case v1::RunEvent::kModelStored:
      return fmt::format("trigger {}: model {} stored", event.model_stored().trigger(),
                         event.model_stored().model_id());
    case v1::RunEvent::kTriggerSkipped:
      return Text(event.trigger_skipped());
    case v1::RunEvent::kEvaluationFinished:
      return Text(event.evaluation_finished());
    case v1::RunEvent::kRunSucceeded:
      return "run succeeded";
    case v1::RunEvent::kRunFailed:
      return "run failed: " + event.run_failed().error();
    case v1::RunEvent::kRunStopped:
      return "run stopped";
    case v1::RunEvent::kRunResumed:
      return "run resumed";
    case v1::RunEvent::kStopRequested:
      return "a user has asked the run to stop";
    case v1::RunEvent::kTriggerRequested:
      return "a user has asked for a training";
    case v1::RunEvent::kModelsRetired:
      return Text(event.models_retired());
    case v1::RunEvent::kChallengersJudged:
      return Text(event.challengers_judged());
    default:
      return "";
  }
}

}  // namespace tidemill::supervisor
