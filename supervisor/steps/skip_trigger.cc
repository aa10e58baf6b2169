#include "supervisor/steps/skip_trigger.h"

#include <utility>

#include "base/failpoints.h"
#include "base/logs/log.h"

namespace tidemill::supervisor {

absl::Status SkipTrigger(RunRecord& record, const TriggerState& trigger, const std::string& stage,
                         const std::string& reason, v1::TriggerSkipped counts) {
  const int64_t number = trigger.trigger.number();
  FAILPOINT("supervisor.before_skip");
  log::Warn("the trigger is skipped", {{"run", std::to_string(record.run().value)},
                                       {"trigger", std::to_string(number)},
                                       {"stage", stage},
                                       {"reason", reason}});
  v1::RunEvent event;
  v1::TriggerSkipped& skipped = *event.mutable_trigger_skipped();
  skipped = std::move(counts);
  skipped.set_trigger(number);
  skipped.set_reason(fmt::format("{}: {}", stage, reason));
  skipped.set_stage(stage);
  if (const TriggerState* active = record.state().LastStoredBefore(number)) {
    skipped.set_active_trigger(active->trigger.number());
  }
  return record.Record(event);
}

}  // namespace tidemill::supervisor
