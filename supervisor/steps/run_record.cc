#include "supervisor/steps/run_record.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "config/config.h"
#include "supervisor/model_use/model_use.h"
#include "supervisor/runs/folded_run.h"
#include "supervisor/runs/label_delay.h"
#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

RunPlan PlanOf(const PipelineSpec& spec) {
  RunPlan plan{.datasets = {spec.preprocess.dataset},
               .fit_each_trigger = spec.training.EffectiveFit() == models::Fit::kEachTrigger,
               .num_evaluations = static_cast<int>(spec.evaluation.size()),
               .kept_models = spec.retention.models,
               .kept_training_sets = spec.retention.training_sets};
  plan.judges = spec.promote.when == PromoteWhen::kBetter;
  for (const auto& evaluation : spec.evaluation) {
    if (std::find(plan.datasets.begin(), plan.datasets.end(), evaluation.dataset) ==
        plan.datasets.end()) {
      plan.datasets.push_back(evaluation.dataset);
    }
  }
  return plan;
}

absl::StatusOr<Champion> ChampionOf(pqxx::work& work, const v1::ModelChange& in_use) {
  ASSIGN_OR_RETURN(const FoldedRun run, FoldRun(work, {in_use.run_id()}));
  const auto& triggers = run.state.triggers();
  const auto place = static_cast<size_t>(in_use.trigger() - 1);
  if (place >= triggers.size()) {
    return NotFound("trigger {} of run {}, whose model is in use, is unknown", in_use.trigger(),
                    in_use.run_id());
  }
  return Champion{.model_id = in_use.model_id(),
                  .run = {in_use.run_id()},
                  .trigger = in_use.trigger(),
                  .cut = triggers[place].trigger.at()};
}

}  // namespace

RunRecord::RunRecord(db::Database& database, RunId run, std::shared_ptr<RunFeed> feed,
                     Patience& patience)
    : database_(database), run_(run), feed_(std::move(feed)), patience_(patience) {
  patience_.SetListener([this](const std::string& reason) {
    waits_for_ = reason;
    progress_.set_waiting_for(reason);
    feed_->Report(progress_);
  });
}

absl::Status RunRecord::TakeOver() {
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
    usage_.Apply(event.event);
    last_sequence_ = event.shown.sequence();
    feed_->Append(std::move(event.shown));
  }
  ASSIGN_OR_RETURN(spec_, config::ReadKept<PipelineSpec>(row.spec, "pipeline"));
  plan_ = PlanOf(spec_);
  pipeline_ = row.pipeline_id;
  log::Info("this process conducts the run", {{"run", std::to_string(run_.value)},
                                              {"epoch", std::to_string(epoch_)},
                                              {"events", std::to_string(events.size())}});
  return absl::OkStatus();
}

const v1::DatasetSynced& RunRecord::TrainingData() const {
  return state_.datasets().at(spec_.preprocess.dataset);
}

absl::StatusOr<Duration> RunRecord::LabelDelay() const { return LabelDelayOf(TrainingData()); }

rpc::v1::Command RunRecord::CommandFor(const std::string& stage, int64_t number) const {
  rpc::v1::Command command;
  command.set_request_id(fmt::format("run/{}/{}/{}", run_.value, stage, number));
  command.set_run_id(run_.value);
  command.set_run_epoch(epoch_);
  return command;
}

absl::Status RunRecord::Record(const v1::RunEvent& event) { return Append({event}, {}); }

absl::Status RunRecord::RecordDecisions(const std::vector<v1::RunEvent>& events,
                                        DecisionBatch batch) {
  RETURN_IF_ERROR(Append(events, batch));
  ContinueAfter(std::move(batch));
  return absl::OkStatus();
}

absl::Status RunRecord::Append(std::vector<v1::RunEvent> events, const DecisionBatch& decisions) {
  if (!events.empty()) {
    for (v1::StageUsage& used : step_usage_.Unrecorded()) {
      *events.back().add_usage() = std::move(used);
    }
  }
  RunState after = state_;
  std::vector<EventRow> rows;
  RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
    rows.clear();
    after = state_;
    if (events.empty()) RETURN_IF_ERROR(HoldEpoch(work, run_, epoch_));
    for (const v1::RunEvent& event : events) {
      after.Apply(event);
      const EventPlace place{.run = run_,
                             .run_epoch = epoch_,
                             .sequence = last_sequence_ + 1 + static_cast<int64_t>(rows.size())};
      ASSIGN_OR_RETURN(rows.emplace_back(), AppendEvent(work, place, event, after));
      NoteModels(work, event);
    }
    AddDecisions(work, run_, decisions);
    return absl::OkStatus();
  }));
  state_ = std::move(after);
  if (!events.empty()) {
    usage_.Apply(events.back());
    step_usage_.Recorded();
  }
  for (EventRow& row : rows) {
    last_sequence_ = row.shown.sequence();
    log::Info("run event", {{"run", std::to_string(run_.value)}, {"event", row.shown.text()}});
    feed_->Append(std::move(row.shown));
  }
  return absl::OkStatus();
}

// The model in use changes with the event that changes it, or not at all.
void RunRecord::NoteModels(pqxx::work& work, const v1::RunEvent& event) const {
  const auto model = [&](const auto& of_event) {
    return TrainedModel{.pipeline = pipeline_,
                        .run = run_,
                        .trigger = of_event.trigger(),
                        .model_id = of_event.model_id(),
                        .must_be_better = plan_.judges};
  };
  if (event.has_model_stored()) NoteTrained(work, model(event.model_stored()));
  for (const v1::JudgedChallenger& judged : event.challengers_judged().judged()) {
    if (judged.is_open()) continue;
    JudgedModel answer{.model = model(judged),
                       .champion = judged.champion_id(),
                       .is_better = judged.is_better(),
                       .text = judged.text()};
    if (judged.has_comparison()) answer.comparison = judged.comparison();
    NoteJudged(work, answer);
  }
}

absl::StatusOr<Challenge> RunRecord::FindChallenge() {
  Challenge challenge;
  RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
    challenge = {};
    if (IsTrial(work, run_)) return absl::OkStatus();
    for (const TriggerState& trigger : state_.triggers()) {
      const v1::Trigger& own = trigger.trigger;
      const bool is_open = trigger.stored && !own.removed() && !state_.IsJudged(own.number());
      if (is_open && !IsDecided(work, run_, own.number())) challenge.challengers.push_back(own);
    }
    const auto in_use = FindModelInUse(work, pipeline_);
    if (!in_use) return absl::OkStatus();
    ASSIGN_OR_RETURN(challenge.champion, ChampionOf(work, *in_use));
    return absl::OkStatus();
  }));
  return challenge;
}

absl::Status RunRecord::KeepModelsInUse(v1::ModelsRetired& retired) {
  return Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(HoldEpoch(work, run_, epoch_));
    retired.clear_kept_models();
    const std::vector<int64_t> in_use = TriggersInUse(work, pipeline_, run_);
    for (const int64_t trigger : in_use) {
      if (trigger < retired.first_model()) retired.add_kept_models(trigger);
    }
    RetireModels(work, run_, retired.first_model(), in_use);
    return absl::OkStatus();
  });
}

void RunRecord::ContinueAfter(DecisionBatch batch) {
  const auto count = static_cast<int64_t>(batch.decisions.size());
  const Decision& last = batch.decisions.back();
  last_decision_ = LastDecision{.number = batch.first_number + count - 1,
                                .at = last.at,
                                .fired = last.fired,
                                .state = std::move(batch.state)};
}

void RunRecord::Report(v1::Progress progress) {
  const auto data = state_.datasets().find(spec_.preprocess.dataset);
  if (data != state_.datasets().end()) AddWhole(state_, data->second, progress);
  if (progress.waiting_for().empty()) progress.set_waiting_for(waits_for_);
  progress_ = std::move(progress);
  feed_->Report(progress_);
}

bool RunRecord::Close() {
  std::optional<RunRow> row;
  const absl::Status found = Transact([&](pqxx::work& work) {
    row = FindRun(work, run_);
    return absl::OkStatus();
  });
  if (!found.ok() || !row) return false;
  feed_->Close(row->summary);
  return true;
}

absl::Status RunRecord::Transact(const std::function<absl::Status(pqxx::work&)>& body) {
  return patience_.RetryTransient([&] { return database_.Transact(body); });
}

}  // namespace tidemill::supervisor
