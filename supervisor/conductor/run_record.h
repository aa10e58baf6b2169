// One run as the database holds it, for the conductor that writes it.
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
#include "supervisor/conductor/patience.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {

// What every step stands on: what the run's pipeline says, what the run has done, and the place to
// write down what it did next.
//
//   events table --fold--> state() ... Record(event): event --append--> table, state() and feed
//
// Every event is one transaction, made again until the database answers. After TakeOver() the
// events and commands of an earlier epoch are refused. FAILED_PRECONDITION from what writes:
// another epoch has begun, and the run is another conductor's. Thread-compatible.
class RunRecord {
 public:
  // `feed` is shared with the watchers of the run. `database` and `patience` must outlive it.
  RunRecord(db::Database& database, RunId run, std::shared_ptr<RunFeed> feed, Patience& patience);

  // Begins a new epoch of the run, reads what there is of it and shows its events. Comes before all
  // that follows. NOT_FOUND for an unknown run.
  absl::Status TakeOver();

  RunId run() const { return run_; }
  const PipelineSpec& spec() const { return spec_; }
  const RunPlan& plan() const { return plan_; }
  const RunState& state() const { return state_; }
  // The last decision that counts.
  const std::optional<LastDecision>& last_decision() const { return last_decision_; }

  // The dataset that is trained on, and the delay of its labels. It must be synced.
  const v1::DatasetSynced& TrainingData() const;
  absl::StatusOr<Duration> LabelDelay() const;
  // Of the run in this epoch. `number` tells apart the commands of a stage.
  rpc::v1::Command CommandFor(const std::string& stage, int64_t number) const;

  // Appends an event, then applies it and shows it.
  absl::Status Record(const v1::RunEvent& event);
  // The same for decisions and the events that they are, in one transaction: decisions of which
  // none fired need be none.
  absl::Status RecordDecisions(const std::vector<v1::RunEvent>& events, DecisionBatch batch);

  // Shows the progress, with how far the whole run is.
  void Report(v1::Progress progress);
  // Tells the watchers how the run has ended. Returns whether the database could be asked.
  bool Close();

 private:
  absl::Status Append(const std::vector<v1::RunEvent>& events, const DecisionBatch& decisions);
  // The run goes on from the last decision of the batch.
  void GoOnBehind(DecisionBatch batch);
  // Runs a transaction until the database answers.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);

  db::Database& database_;
  const RunId run_;
  const std::shared_ptr<RunFeed> feed_;
  Patience& patience_;
  int64_t epoch_ = 0;
  PipelineSpec spec_;
  RunPlan plan_;
  RunState state_;
  int64_t last_sequence_ = 0;
  std::optional<LastDecision> last_decision_;
};

}  // namespace tidemill::supervisor
