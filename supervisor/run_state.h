// What a run has done so far and what it does next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidemill/supervisor/v1/run_event.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// One fired retraining and how far it is.
struct TriggerState {
  v1::Trigger trigger;
  // Its new data lie in [from, trigger.at).
  rpc::v1::Cut from;
  bool sealed = false;
  bool fitted = false;
  bool trained = false;
  bool stored = false;
};

// A fold of events: Apply() is the only way in, so reading the events table again restores the same
// state. Thread-compatible.
class RunState {
 public:
  void Apply(const v1::RunEvent& event);

  v1::RunState state() const { return state_; }
  // Why the run failed; empty otherwise.
  const std::string& error() const { return error_; }
  int64_t max_triggers() const { return max_triggers_; }
  // By name.
  const std::map<std::string, v1::DatasetSynced>& datasets() const { return datasets_; }
  // The n-th trigger at n - 1.
  const std::vector<TriggerState>& triggers() const { return triggers_; }
  bool stream_ended() const { return stream_ended_; }
  const std::set<int32_t>& finished_evaluations() const { return finished_evaluations_; }
  // Selected samples of all triggers.
  int64_t num_samples() const;

 private:
  TriggerState& At(int64_t trigger);
  void ApplyToTrigger(const v1::RunEvent& event);

  v1::RunState state_ = v1::RUN_STATE_UNSPECIFIED;
  std::string error_;
  int64_t max_triggers_ = 0;
  std::map<std::string, v1::DatasetSynced> datasets_;
  std::vector<TriggerState> triggers_;
  bool stream_ended_ = false;
  std::set<int32_t> finished_evaluations_;
};

// What of a pipeline decides the order of steps.
struct RunPlan {
  // Every dataset that the pipeline reads.
  std::vector<std::string> datasets;
  bool fit_each_trigger = false;
  int num_evaluations = 0;
};

enum class Stage { kSync, kDecide, kSelect, kFit, kTrain, kStore, kEvaluate, kFinish, kNothing };

// One step of a run: the smallest unit that is done again after a crash.
struct Step {
  Stage stage = Stage::kNothing;
  std::string dataset = {};  // Of kSync.
  int64_t trigger = 0;       // Of kSelect to kStore.
  int32_t evaluation = 0;    // Of kEvaluate.

  friend bool operator==(const Step&, const Step&) = default;
};

// A pure function: sync every dataset, then decide, select, fit, train and store for one trigger
// after the other, then evaluate, then finish. kNothing once the run is not RUNNING.
Step NextStep(const RunState& state, const RunPlan& plan);

// The trigger whose fitted state the training of `trigger` uses.
int64_t FittedTrigger(const RunPlan& plan, int64_t trigger);

}  // namespace tidemill::supervisor
