#include "supervisor/event_text.h"

#include "fmt/format.h"

#include "base/time.h"

namespace tidemill::supervisor {
namespace {

std::string Text(const v1::DatasetSynced& event) {
  if (event.num_samples() == 0) return fmt::format("dataset {} is empty", event.name());
  return fmt::format("dataset {} pinned: {} samples from {} to {}", event.name(),
                     event.num_samples(), FormatTimestampShort({event.from().event_time()}),
                     FormatTimestampShort({event.to().event_time() - 1}));
}

std::string Text(const v1::TrainingSetSealed& event) {
  return fmt::format("trigger {}: {} of {} samples selected", event.trigger(), event.num_samples(),
                     event.num_candidates());
}

std::string Text(const v1::ModelTrained& event) {
  std::string text = fmt::format("trigger {}: trained in {:.1f} s on {}, loss {:.4f}",
                                 event.trigger(), event.seconds(), event.device(), event.loss());
  if (event.num_skipped() > 0) text += fmt::format(", {} samples skipped", event.num_skipped());
  return text;
}

}  // namespace

std::string TypeOf(const v1::RunEvent& event) {
  const auto* field =
      v1::RunEvent::descriptor()->FindFieldByNumber(static_cast<int>(event.kind_case()));
  return field == nullptr ? "unknown" : field->name();
}

int64_t TriggerOf(const v1::RunEvent& event) {
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
    default:
      return 0;
  }
}

std::string TextOf(const v1::RunEvent& event) {
  switch (event.kind_case()) {
    case v1::RunEvent::kRunStarted:
      return "run started";
    case v1::RunEvent::kDatasetSynced:
      return Text(event.dataset_synced());
    case v1::RunEvent::kTriggerFired:
      return fmt::format("trigger {} fired at {} after {} new samples",
                         event.trigger_fired().trigger(),
                         FormatTimestampShort({event.trigger_fired().at().event_time()}),
                         event.trigger_fired().num_samples());
    case v1::RunEvent::kStreamEnded:
      return fmt::format("end of the stream, {} samples after the last trigger",
                         event.stream_ended().num_leftover());
    case v1::RunEvent::kTrainingSetSealed:
      return Text(event.training_set_sealed());
    case v1::RunEvent::kGraphFitted:
      return fmt::format("trigger {}: graph fitted", event.graph_fitted().trigger());
    case v1::RunEvent::kModelTrained:
      return Text(event.model_trained());
    case v1::RunEvent::kModelStored:
      return fmt::format("trigger {}: model {} stored", event.model_stored().trigger(),
                         event.model_stored().model_id());
    case v1::RunEvent::kEvaluationFinished:
      return fmt::format("evaluation {}: {} windows measured in {:.1f} s",
                         event.evaluation_finished().evaluation() + 1,
                         event.evaluation_finished().num_windows(),
                         event.evaluation_finished().seconds());
    case v1::RunEvent::kRunSucceeded:
      return "run succeeded";
    case v1::RunEvent::kRunFailed:
      return "run failed: " + event.run_failed().error();
    case v1::RunEvent::kRunStopped:
      return "run stopped";
    case v1::RunEvent::kRunResumed:
      return "run resumed";
    default:
      return "";
  }
}

}  // namespace tidemill::supervisor
