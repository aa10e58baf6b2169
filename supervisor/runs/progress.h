// What a run is busy with, for those who watch it.
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

// Samples up to the last trigger, which were new for one trigger each.
int64_t NumBehind(const RunState& state);

// How much of a replay lies behind a place in it: by samples, or by event time where the replay is
// a part of its dataset, whose samples nobody has counted.
double ShareBehind(const v1::DatasetSynced& data, int64_t num_samples, int64_t event_time);

// Adds how far the whole run is. The part of the stream that belongs to a trigger counts half when
// the policy has seen it and half when it is trained on, so that the share only grows. `progress`
// of stage "decide" brings the share that the policy has seen. `data` is what is trained on; live
// runs, and those whose stream has ended, are left as they are.
void AddWhole(const RunState& state, const v1::DatasetSynced& data, v1::Progress& progress);

}  // namespace tidemill::supervisor
