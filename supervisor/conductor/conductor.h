// Carries out one run, step after step, until it ends or is stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "supervisor/conductor/live_stream.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {

// Owns the thread that conducts a run.
//
//   events table --fold--> RunState --NextStep--> Step --Downstream--> event --append--> table
//
// Every step is idempotent by (run, trigger, stage) and every event is one transaction, so that
// after a crash the run goes on with the step it was at. At its start a conductor takes the run
// over in a new epoch; from then on the events and commands of an earlier one are refused.
//
// The destructor stops the run's work, not the run: in the database it stays RUNNING. Thread-safe.
class Conductor {
 public:
  // `database` must outlive this object.
  Conductor(db::Database& database, const DownstreamFactory& connect, RunId run,
            std::shared_ptr<RunFeed> feed);
  ~Conductor();

  // Ends the thread's work soon, in the middle of a step if need be.
  void Stop();

  // Whether the run has ended and nothing is left to do here.
  bool finished() const { return finished_; }

 private:
  // A part of the stream, from the last decision on.
  struct Seen {
    // Not recorded yet.
    std::vector<Decision> decisions;
    // Of the policy behind them.
    std::string state;
    // Samples since the last trigger.
    int64_t num_new = 0;
    // How far the policy is from its next decision, for people.
    std::string standing;
    Cut end;
  };

  void Conduct();
  absl::Status TakeOver();
  absl::Status Take(const Step& step);
  void Fail(const absl::Status& status);
  void Close();

  absl::Status Sync(const std::string& dataset);
  absl::Status Decide();
  // Of a replay that has had as many triggers as were asked for.
  absl::Status EndEarly();
  absl::Status EndReplay(const Seen& seen);
  absl::StatusOr<Seen> SeekTrigger();
  // The run's policy right behind the last decision that counts. It may look at samples and at the
  // model that is active from there to the next training, until the next one is made.
  absl::StatusOr<Decider> MakeDecider();
  absl::Status OpenEvidence();
  // The stream as it is known now, from its beginning on.
  storage::v1::ListSamplesRequest Stream() const;
  absl::StatusOr<storage::v1::ListSamplesRequest> StreamBehindLastDecision() const;
  // Of the dataset that is trained on.
  absl::StatusOr<Duration> LabelDelay() const;
  // Makes decisions count, all but the last one unfired. `state` is the policy's behind the last.
  absl::Status RecordDecisions(std::vector<Decision> decisions, std::string state);
  absl::Status Select(const TriggerState& trigger);
  absl::Status Fit(const TriggerState& trigger);
  absl::Status Train(const TriggerState& trigger);
  absl::Status Store(const TriggerState& trigger);
  // Ends a trigger without a model, at a stage: the run goes on with the model that it has.
  absl::Status Skip(const TriggerState& trigger, const std::string& stage,
                    const std::string& reason);
  absl::Status Evaluate(int32_t evaluation);
  absl::Status Retire();
  absl::Status Finish();

  // Of a live run: one look at the stream, and a pause when it brought about nothing.
  absl::Status Follow();
  absl::Status EndLiveStream();
  std::chrono::milliseconds PollInterval() const;
  // Writes down what a trigger, or the end, knows of the stream.
  absl::Status AddWhatIsKnown(v1::TriggerFired& trigger);
  absl::StatusOr<int64_t> CountLate() const;
  void AddLateSamples(const TriggerState& trigger, Duration label_delay,
                      selector::v1::SealTrainingSetRequest& request) const;
  absl::StatusOr<rpc::v1::Snapshot> SnapshotToMeasure() const;
  // What baselines may know: at a trigger what had come by then, so a late sample never counts.
  absl::StatusOr<evaluator::v1::KnownLabels> KnownLabels() const;
  int32_t EvaluationNumber(int32_t evaluation) const;

  trainer_server::v1::StartTrainingRequest TrainingOf(const TriggerState& trigger) const;
  absl::StatusOr<evaluator::v1::StartEvaluationRequest> EvaluationOf(int32_t evaluation) const;
  // The dataset that is trained on.
  const v1::DatasetSynced& TrainingData() const;

  // Makes a call again while it fails because a service is away, for as long as kPatience after
  // `progress` last grew.
  absl::Status Insist(
      const std::function<absl::Status()>& call,
      const std::function<int64_t()>& progress = [] { return int64_t{0}; });

  // Appends an event, with decisions in the same transaction; then applies it and shows it.
  absl::Status Record(const v1::RunEvent& event, const DecisionBatch& decisions = {});
  // Runs a transaction until the database answers.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);
  // Shows the progress, with how far the whole run is.
  void Report(v1::Progress progress);
  void ReportDeciding(int64_t num_new, int64_t event_time);
  rpc::v1::Command CommandFor(const std::string& stage, int64_t number) const;
  // False when a stop was requested meanwhile.
  bool Pause(std::chrono::milliseconds length) ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  const RunId run_;
  const std::shared_ptr<RunFeed> feed_;  // Shared with the watchers of the run.
  std::stop_source stop_;
  const std::unique_ptr<Downstream> downstream_;
  Mutex mutex_;
  CondVar wake_;
  std::atomic<bool> finished_ = false;

  // Owned by the thread.
  int64_t epoch_ = 0;
  PipelineSpec spec_;
  RunPlan plan_;
  RunState state_;
  int64_t last_sequence_ = 0;
  std::optional<LastDecision> last_decision_;
  std::unique_ptr<EvidenceKeys> evidence_keys_;
  std::unique_ptr<EvidenceSource> evidence_;
  std::unique_ptr<LiveStream> stream_;  // Of a live run, once it is looked at.

  WorkerPool thread_;  // Last: it starts once everything above exists.
};

}  // namespace tidemill::supervisor
