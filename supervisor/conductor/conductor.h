// Carries out one run, step after step, until it ends or is stopped.
#pragma once

#include <atomic>
#include <memory>

#include "base/id.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "supervisor/conductor/dataset_syncer.h"
#include "supervisor/conductor/live_follower.h"
#include "supervisor/conductor/model_measurer.h"
#include "supervisor/conductor/model_retirer.h"
#include "supervisor/conductor/model_trainer.h"
#include "supervisor/conductor/patience.h"
#include "supervisor/conductor/replay_decider.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/conductor/training_set_sealer.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/runs/run_state.h"

namespace tidemill::supervisor {

// Owns the thread that conducts a run, and those who take its steps.
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
  void Stop() { patience_.Stop(); }

  // Whether the run has ended and nothing is left to do here.
  bool finished() const { return finished_; }

 private:
  void Conduct();
  // Passes a step on to who takes it.
  absl::Status Take(const Step& step);
  absl::Status TakeOfTrigger(const Step& step);
  absl::Status Finish();
  void Fail(const absl::Status& status);
  void Close();

  Patience patience_;
  const std::unique_ptr<Downstream> downstream_;
  std::atomic<bool> finished_ = false;

  // Of the thread alone.
  RunRecord record_;
  DatasetSyncer syncer_;
  ReplayDecider replay_;
  LiveFollower follower_;
  TrainingSetSealer sealer_;
  ModelTrainer trainer_;
  ModelMeasurer measurer_;
  ModelRetirer retirer_;

  WorkerPool thread_;  // Last: it starts once everything above exists.
};

}  // namespace tidemill::supervisor
