#include "supervisor/conductor/conductor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// How long a service may be away before the run fails.
constexpr std::chrono::minutes kPatience{30};
constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{5'000};

// Whether an error says that a service is away, rather than that the call was wrong.
bool IsPassing(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status) ||
         absl::IsDeadlineExceeded(status);
}

RunPlan PlanOf(const PipelineSpec& spec) {
  RunPlan plan{.datasets = {spec.preprocess.dataset},
               .fit_each_trigger = spec.training.EffectiveFit() == models::Fit::kEachTrigger,
               .num_evaluations = static_cast<int>(spec.evaluation.size()),
               .kept_models = spec.retention.models,
               .kept_training_sets = spec.retention.training_sets};
  for (const auto& evaluation : spec.evaluation) {
    if (std::find(plan.datasets.begin(), plan.datasets.end(), evaluation.dataset) ==
        plan.datasets.end()) {
      plan.datasets.push_back(evaluation.dataset);
    }
  }
  return plan;
}

}  // namespace

Conductor::Conductor(db::Database& database, const DownstreamFactory& connect, RunId run,
                     std::shared_ptr<RunFeed> feed)
    : database_(database),
      run_(run),
      feed_(std::move(feed)),
      downstream_(connect(stop_.get_token())),
      thread_("conductor", 1) {
  thread_.Submit([this] { Conduct(); });
}

Conductor::~Conductor() { Stop(); }

void Conductor::Stop() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  wake_.notify_all();
}

void Conductor::Conduct() {
  absl::Status status = TakeOver();
  while (status.ok() && !stop_.stop_requested()) {
    const Step step = NextStep(state_, plan_);
    if (step.stage == Stage::kNothing) {
      Close();
      return;
    }
    status = Take(step);
  }
  if (!stop_.stop_requested()) Fail(status);
}

absl::Status Conductor::TakeOver() {
  RunRow row;
  std::vector<EventRow> events;
  RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(epoch_, supervisor::TakeOver(work, run_));
    auto found = FindRun(work, run_);
    if (!found) return NotFound("run {} is unknown", run_.value);
    row = *std::move(found);
    ASSIGN_OR_RETURN(events, ReadEvents(work, run_));
    last_decision_ = FindLastDecision(work, run_);
    return absl::OkStatus();
  }));
  for (EventRow& event : events) {
    state_.Apply(event.event);
    last_sequence_ = event.shown.sequence();
    feed_->Append(std::move(event.shown));
  }
  ASSIGN_OR_RETURN(spec_, config::Read<PipelineSpec>(row.spec, "pipeline"));
  plan_ = PlanOf(spec_);
  log::Info("run is conducted", {{"run", std::to_string(run_.value)},
                                 {"epoch", std::to_string(epoch_)},
                                 {"events", std::to_string(events.size())}});
  return absl::OkStatus();
}

absl::Status Conductor::Take(const Step& step) {
  const auto of_trigger =
      [&](const char* doing, absl::Status (Conductor::*take)(const TriggerState&)) -> absl::Status {
    const TriggerState trigger = state_.triggers().at(static_cast<size_t>(step.trigger - 1));
    return Annotate((this->*take)(trigger), fmt::format("trigger {}: {}", step.trigger, doing));
  };
  switch (step.stage) {
    case Stage::kSync:
      return Annotate(Sync(step.dataset), "dataset " + step.dataset);
    case Stage::kDecide:
      return Decide();
    case Stage::kSelect:
      return of_trigger("select", &Conductor::Select);
    case Stage::kFit:
      return of_trigger("fit", &Conductor::Fit);
    case Stage::kTrain:
      return of_trigger("train", &Conductor::Train);
    case Stage::kStore:
      return of_trigger("store", &Conductor::Store);
    case Stage::kEvaluate:
      return Annotate(Evaluate(step.evaluation), fmt::format("evaluation {}", step.evaluation + 1));
    case Stage::kRetire:
      return Annotate(Retire(), "retention");
    case Stage::kFinish:
      return Finish();
    case Stage::kNothing:
      break;
  }
  return absl::OkStatus();
}

// When another conductor has taken over, the event is refused and the run is the other's.
void Conductor::Fail(const absl::Status& status) {
  log::Warn("run cannot go on",
            {{"run", std::to_string(run_.value)}, {"error", status.ToString()}});
  v1::RunEvent event;
  event.mutable_run_failed()->set_error(std::string(status.message()));
  absl::Status recorded = Record(event);
  // A failure that is not recorded would leave a run that runs for ever: wait for the database.
  while (!recorded.ok() && !absl::IsFailedPrecondition(recorded)) {
    log::Warn("failure is not recorded",
              {{"run", std::to_string(run_.value)}, {"error", recorded.ToString()}});
    if (!Pause(kLongestPause)) return;
    recorded = Record(event);
  }
  if (recorded.ok()) Close();
}

void Conductor::Close() {
  std::optional<RunRow> row;
  const absl::Status found = Transact([&](pqxx::work& work) {
    row = FindRun(work, run_);
    return absl::OkStatus();
  });
  if (found.ok() && row) {
    feed_->Close(row->summary);
    finished_ = true;
  }
}

absl::Status Conductor::Record(const v1::RunEvent& event, const DecisionBatch& decisions) {
  RunState after = state_;
  after.Apply(event);
  EventRow row;
  RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
    const EventPlace place{.run = run_, .run_epoch = epoch_, .sequence = last_sequence_ + 1};
    ASSIGN_OR_RETURN(row, AppendEvent(work, place, event, after));
    AddDecisions(work, run_, decisions);
    return absl::OkStatus();
  }));
  state_ = std::move(after);
  last_sequence_ = row.shown.sequence();
  log::Info("run event", {{"run", std::to_string(run_.value)}, {"event", row.shown.text()}});
  feed_->Append(std::move(row.shown));
  return absl::OkStatus();
}

absl::Status Conductor::Transact(const std::function<absl::Status(pqxx::work&)>& body) {
  return Insist([&] { return database_.Transact(body); });
}

absl::Status Conductor::Insist(const std::function<absl::Status()>& call,
                               const std::function<int64_t()>& progress) {
  Clock::time_point last_progress = Clock::now();
  int64_t furthest = progress();
  milliseconds pause = kFirstPause;
  while (true) {
    const absl::Status status = call();
    if (!IsPassing(status) || stop_.stop_requested()) return status;
    if (progress() > furthest) {
      furthest = progress();
      last_progress = Clock::now();
      pause = kFirstPause;
    }
    if (Clock::now() - last_progress > kPatience) return status;
    log::Warn("step is tried again",
              {{"run", std::to_string(run_.value)}, {"error", status.ToString()}});
    if (!Pause(pause)) return status;
    pause = std::min(2 * pause, kLongestPause);
  }
}

bool Conductor::Pause(milliseconds length) {
  MutexLock lock(mutex_);
  const std::stop_token stop = stop_.get_token();
  wake_.wait_for(mutex_, length, [&] { return stop.stop_requested(); });
  return !stop.stop_requested();
}

void Conductor::Report(v1::Progress progress) {
  const auto data = state_.datasets().find(spec_.preprocess.dataset);
  if (data != state_.datasets().end()) AddWhole(state_, data->second, progress);
  feed_->Report(std::move(progress));
}

}  // namespace tidemill::supervisor
