// Carries out one run, step by step, until it ends or is stopped.
#pragma once

#include <atomic>
#include <memory>

#include "base/id.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "supervisor/conductor/challenger_judge.h"
#include "supervisor/conductor/dataset_syncer.h"
#include "supervisor/conductor/live_follower.h"
#include "supervisor/conductor/model_measurer.h"
#include "supervisor/conductor/model_retirer.h"
#include "supervisor/conductor/model_trainer.h"
#include "supervisor/conductor/replay_decider.h"
#include "supervisor/conductor/training_set_sealer.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/steps/job_slots.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Owns the thread that conducts a run, and the objects that carry out its steps.
//
//   events table --fold--> RunState --NextStep--> Step --Downstream--> event --append--> table
//
// Every step is idempotent by (run, trigger, stage), and every event is one transaction. After a
// crash, the run therefore continues with its current step. At its start, a conductor takes over
// the run in a new epoch. From then on, events and commands of an earlier epoch are refused.
//
// The destructor stops the work on the run, not the run: in the database it stays RUNNING.
// Thread-safe.
class Conductor {
 public:
  // `database` and `pool` must outlive this object.
  Conductor(db::Database& database, const DownstreamFactory& connect, Pool& pool, RunId run,
            std::shared_ptr<RunFeed> feed);
  ~Conductor();

  // Makes the thread end its work soon, if needed in the middle of a step.
  void Stop() { patience_.Stop(); }

  // Whether the run has ended and no work is left.
  bool finished() const { return finished_; }

 private:
  void Conduct();
  // Passes a step to the object that carries it out.
  absl::Status Take(const Step& step);
  absl::Status TakeOfTrigger(const Step& step);
  // The trigger to which the usage of a step belongs.
  int64_t TriggerOf(const Step& step) const;
  absl::Status NotePlugins();
  absl::Status NoteWait(const Step& step);
  absl::Status NoteUsage();
  absl::Status Finish();
  void Fail(const absl::Status& status);
  void Close();

  Patience patience_;
  const std::unique_ptr<Downstream> downstream_;
  std::atomic<bool> finished_ = false;

  // Used by the thread only.
  RunRecord record_;
  JobSlots slots_;
  DatasetSyncer syncer_;
  ReplayDecider replay_;
  LiveFollower follower_;
  TrainingSetSealer sealer_;
  ModelTrainer trainer_;
  ModelMeasurer measurer_;
  ChallengerJudge judge_;
  ModelRetirer retirer_;

  WorkerPool thread_;  // The last member: it starts once all members above exist.
};

}  // namespace tidemill::supervisor
