#include "supervisor/conductor/conductor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "supervisor/pipeline/pipeline_plugins.h"

namespace tidemill::supervisor {
namespace {

const char* NameOf(Stage stage) {
  switch (stage) {
    case Stage::kSync:
      return "sync";
    case Stage::kDecide:
      return "decide";
    case Stage::kSelect:
      return "select";
    case Stage::kFit:
      return "fit";
    case Stage::kTrain:
      return "train";
    case Stage::kStore:
      return "store";
    case Stage::kEvaluate:
      return "evaluate";
    case Stage::kJudge:
      return "judge";
    case Stage::kRetire:
      return "retire";
    case Stage::kFinish:
    case Stage::kNothing:
      break;
  }
  return "";
}

}  // namespace

Conductor::Conductor(db::Database& database, const DownstreamFactory& connect, Pool& pool,
                     RunId run, std::shared_ptr<RunFeed> feed)
    : patience_(run),
      downstream_(connect(patience_.token())),
      record_(database, run, std::move(feed), patience_),
      slots_(record_, pool, patience_),
      syncer_(record_, *downstream_, patience_),
      replay_(record_, *downstream_, patience_),
      follower_(record_, *downstream_, patience_),
      sealer_(record_, *downstream_, patience_),
      trainer_(record_, *downstream_, slots_, patience_),
      measurer_(record_, *downstream_, slots_, patience_),
      judge_(record_, *downstream_, patience_),
      retirer_(record_, *downstream_, slots_, patience_),
      thread_("conductor", 1) {
  thread_.Submit([this] { Conduct(); });
}

Conductor::~Conductor() { Stop(); }

void Conductor::Conduct() {
  const usage::Scope scope(record_.step_usage().account());
  absl::Status status = record_.TakeOver();
  if (status.ok()) status = NotePlugins();
  while (status.ok() && !patience_.stop_requested()) {
    const Step step = NextStep(record_.state(), record_.plan());
    if (step.stage == Stage::kNothing) {
      Close();
      return;
    }
    record_.step_usage().Begin(NameOf(step.stage), TriggerOf(step));
    status = Take(step);
    if (status.ok()) status = NoteWait(step);
    if (status.ok()) status = NoteUsage();
  }
  if (!patience_.stop_requested()) Fail(status);
}

// A decision is about the next trigger. In a live run, each trigger is followed by evaluations.
int64_t Conductor::TriggerOf(const Step& step) const {
  const auto num_triggers = static_cast<int64_t>(record_.state().triggers().size());
  switch (step.stage) {
    case Stage::kDecide:
      return num_triggers + 1;
    case Stage::kEvaluate:
    case Stage::kJudge:
    case Stage::kRetire:
      return record_.state().live() ? num_triggers : 0;
    default:
      return step.trigger;
  }
}

// A run that continues may find other versions of what its plug-ins need: what they decide may
// differ.
absl::Status Conductor::NotePlugins() {
  const std::vector<std::string>& before = record_.state().plugins();
  const bool continues = !record_.state().datasets().empty();
  if (!continues || before.empty() || record_.state().state() != v1::RUN_STATE_RUNNING) {
    return absl::OkStatus();
  }
  const std::vector<std::string> names = PluginsOf(record_.spec());
  const std::vector<std::string> now = PluginsNow(record_.spec());
  if (now.size() != before.size() || names.size() != before.size()) return absl::OkStatus();
  v1::RunEvent event;
  for (size_t i = 0; i < now.size(); ++i) {
    // One that does not start now says so when it is asked.
    event.mutable_plugins_changed()->add_plugins(now[i] == names[i] ? before[i] : now[i]);
  }
  const auto& told = event.plugins_changed().plugins();
  if (std::ranges::equal(told, before)) return absl::OkStatus();
  return record_.Record(event);
}

// Records that the step has waited for room on a disk.
absl::Status Conductor::NoteWait(const Step& step) {
  const std::optional<Patience::Wait> wait = patience_.TakeWait();
  if (!wait || step.stage == Stage::kFinish) return absl::OkStatus();
  v1::RunEvent event;
  v1::StepWaited& waited = *event.mutable_step_waited();
  waited.set_stage(NameOf(step.stage));
  waited.set_trigger(step.trigger);
  waited.set_reason(wait->reason);
  waited.set_seconds(wait->seconds);
  return record_.Record(event);
}

// The event of a step has what the step used. A live run that waits for samples has no event for
// long.
absl::Status Conductor::NoteUsage() {
  if (!record_.step_usage().IsMuch()) return absl::OkStatus();
  v1::RunEvent event;
  event.mutable_usage_noted();
  return record_.Record(event);
}

absl::Status Conductor::Take(const Step& step) {
  switch (step.stage) {
    case Stage::kSync:
      return Annotate(syncer_.Sync(step.dataset), "dataset " + step.dataset);
    case Stage::kDecide:
      return record_.spec().live ? follower_.Follow() : replay_.Decide();
    case Stage::kSelect:
    case Stage::kFit:
    case Stage::kTrain:
    case Stage::kStore:
      return TakeOfTrigger(step);
    case Stage::kEvaluate:
      return Annotate(measurer_.Evaluate(step.evaluation),
                      fmt::format("evaluation {}", step.evaluation + 1));
    case Stage::kJudge:
      return Annotate(judge_.Judge(), "promotion");
    case Stage::kRetire:
      return Annotate(retirer_.Retire(), "retention");
    case Stage::kFinish:
      return Finish();
    case Stage::kNothing:
      break;
  }
  return absl::OkStatus();
}

absl::Status Conductor::TakeOfTrigger(const Step& step) {
  // A copy: the state changes while the step is taken.
  const TriggerState trigger = record_.state().triggers().at(static_cast<size_t>(step.trigger - 1));
  const auto annotate = [&](const absl::Status& status, const char* doing) {
    return Annotate(status, fmt::format("trigger {}: {}", step.trigger, doing));
  };
  switch (step.stage) {
    case Stage::kSelect:
      return annotate(sealer_.Seal(trigger), "select");
    case Stage::kFit:
      return annotate(trainer_.Fit(trigger), "fit");
    case Stage::kTrain:
      return annotate(trainer_.Train(trigger), "train");
    default:
      return annotate(trainer_.Store(trigger), "store");
  }
}

absl::Status Conductor::Finish() {
  const RunState& state = record_.state();
  v1::RunEvent event;
  if (state.NothingTrained()) {
    const v1::Trigger& first = state.triggers().front().trigger;
    event.mutable_run_failed()->set_error(
        fmt::format("none of {} trainings succeeded; trigger {}: {}", state.triggers().size(),
                    first.number(), first.skip_reason()));
  } else if (state.stop_requested()) {
    event.mutable_run_stopped();
  } else {
    event.mutable_run_succeeded();
  }
  return record_.Record(event);
}

// When another conductor has taken over, the event is refused and the run is the other's.
void Conductor::Fail(const absl::Status& status) {
  const std::string run = std::to_string(record_.run().value);
  log::Warn("the run cannot continue", {{"run", run}, {"error", status.ToString()}});
  v1::RunEvent event;
  event.mutable_run_failed()->set_error(std::string(status.message()));
  absl::Status recorded = record_.Record(event);
  // A failure that is not recorded would leave a run that runs forever: wait for the database.
  while (!recorded.ok() && !absl::IsFailedPrecondition(recorded)) {
    log::Warn("cannot record the failure", {{"run", run}, {"error", recorded.ToString()}});
    if (!patience_.Pause(Patience::kLongestPause)) return;
    recorded = record_.Record(event);
  }
  if (recorded.ok()) Close();
}

void Conductor::Close() {
  // Slots that stay would be found when this run is recovered, which never happens.
  if (const absl::Status returned = slots_.ReturnAll(); !returned.ok()) {
    log::Warn("slots of an ended run stay", {{"error", returned.ToString()}});
  }
  if (record_.Close()) finished_ = true;
}

}  // namespace tidemill::supervisor
