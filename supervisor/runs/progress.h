// The progress of a run, for its watchers.
#pragma once

#include "supervisor/runs/run_state.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

inline v1::Progress ProgressOf(const char* stage, int64_t done, int64_t total, const char* unit) {
  v1::Progress progress;
  progress.set_stage(stage);
  progress.set_done(done);
  progress.set_total(total);
  progress.set_unit(unit);
  return progress;
}

// Returns the number of samples up to the last trigger. Each was new for one trigger.
int64_t NumBeforeLastTrigger(const RunState& state);

// Returns the share of a replay that is done at a cut. It is a share of the samples. When the
// replay is a part of its dataset, whose samples are not counted, it is a share of event time.
double ReplayedShare(const v1::DatasetSynced& data, int64_t num_samples, int64_t event_time);

// Adds the progress of the whole run. The part of the stream that belongs to a trigger counts half
// when the policy has seen it, and half when it is trained on. The share therefore only grows.
// `progress` of the stage "decide" has the share that the policy has seen. `data` is the training
// dataset. Live runs, and runs whose stream has ended, are left unchanged.
void AddWhole(const RunState& state, const v1::DatasetSynced& data, v1::Progress& progress);

}  // namespace tidemill::supervisor
