// One run in the database, for the conductor that writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/time.h"
#include "db/database.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/runs/runs_table.h"
#include "supervisor/steps/patience.h"
#include "supervisor/usage/run_usage.h"
#include "supervisor/usage/step_usage.h"

namespace tidemill::supervisor {

// The model in use that others are compared with.
struct Champion {
  int64_t model_id = 0;
  RunId run;
  int64_t trigger = 0;
  rpc::v1::Cut cut;  // It was trained on samples before it.
};

// The models of the run to compare with the one in use.
struct Challenge {
  std::optional<Champion> champion = std::nullopt;  // Absent when none is in use.
  std::vector<v1::Trigger> challengers = {};
};

// The basis of every step: the run's pipeline, the events of the run so far, and the method to
// record the next event.
//
//   events table --fold--> state() ... Record(event): event --append--> table, state() and feed
//
// Every event is one transaction, which is repeated until the database answers. After TakeOver(),
// events and commands of an earlier epoch are refused. A method that writes returns
// FAILED_PRECONDITION when another epoch has begun; the run then belongs to another conductor.
// Thread-compatible.
class RunRecord {
 public:
  // The watchers of the run share `feed`. `database` and `patience` must outlive this object.
  RunRecord(db::Database& database, RunId run, std::shared_ptr<RunFeed> feed, Patience& patience);

  // Begins a new epoch of the run, reads its events and publishes them. Call it before all other
  // methods. NOT_FOUND when the run is unknown.
  absl::Status TakeOver();

  RunId run() const { return run_; }
  PipelineId pipeline() const { return pipeline_; }
  const PipelineSpec& spec() const { return spec_; }
  const RunPlan& plan() const { return plan_; }
  const RunState& state() const { return state_; }
  // The resources that the run has used, by the events so far.
  const RunUsage& usage() const { return usage_; }
  // The next recorded event contains the resources used from now on.
  StepUsage& step_usage() { return step_usage_; }
  // The last decision that counts.
  const std::optional<LastDecision>& last_decision() const { return last_decision_; }

  // Returns the dataset of the training, and the delay of its labels. It must be synced.
  const v1::DatasetSynced& TrainingData() const;
  absl::StatusOr<Duration> LabelDelay() const;
  // Returns a command of the run in this epoch. `number` distinguishes the commands of a stage.
  rpc::v1::Command CommandFor(const std::string& stage, int64_t number) const;

  // Appends an event, with what the run has used since the event before, then applies and publishes
  // it.
  absl::Status Record(const v1::RunEvent& event);
  // Does the same for decisions and their events, in one transaction. Decisions none of which fired
  // may have no event.
  absl::Status RecordDecisions(const std::vector<v1::RunEvent>& events, DecisionBatch batch);

  // Adds the models to `retired` that must be kept because they are in use. From then on, none of
  // the others can be put to use.
  absl::Status KeepModelsInUse(v1::ModelsRetired& retired);

  // Returns what must be judged now: the stored models of this run that were not judged before.
  // None while the run is a trial. NOT_FOUND when the run of the model in use is unknown.
  absl::StatusOr<Challenge> FindChallenge();

  // Publishes the progress, together with the progress of the whole run and, unless it says why the
  // step waits, the reason why the run does.
  void Report(v1::Progress progress);
  // Tells the watchers how the run has ended. Returns whether the database answered.
  bool Close();

 private:
  absl::Status Append(std::vector<v1::RunEvent> events, const DecisionBatch& decisions);
  void NoteModels(pqxx::work& work, const v1::RunEvent& event) const;
  // Continues the run from the last decision of the batch.
  void ContinueAfter(DecisionBatch batch);
  // Repeats a transaction until the database answers.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);

  db::Database& database_;
  const RunId run_;
  const std::shared_ptr<RunFeed> feed_;
  Patience& patience_;
  int64_t epoch_ = 0;
  PipelineId pipeline_;
  PipelineSpec spec_;
  RunPlan plan_;
  RunState state_;
  RunUsage usage_;
  StepUsage step_usage_;
  int64_t last_sequence_ = 0;
  std::optional<LastDecision> last_decision_;
  v1::Progress progress_;  // The last reported progress, with the reason why the step waits.
  std::string waits_for_;  // That reason, where it is the run's own.
};

}  // namespace tidemill::supervisor
