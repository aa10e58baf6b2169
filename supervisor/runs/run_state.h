// The state of a run, and its next step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/supervisor/v1/run_event.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// One trigger, and its progress.
struct TriggerState {
  v1::Trigger trigger;
  // Its new data is in [from, trigger.at).
  rpc::v1::Cut from;
  // The snapshot that a live run knew when the trigger fired. Absent in a replay.
  std::optional<rpc::v1::Snapshot> snapshot = std::nullopt;
  // The number of samples since the previous trigger, as the policy counted them.
  int64_t num_new = 0;
  // The new samples without a label, and the samples that no earlier set held. Absent
  // before its set is sealed, and in older runs.
  std::optional<int64_t> num_new_unlabelled = std::nullopt;
  std::optional<int64_t> num_fresh = std::nullopt;
  bool sealed = false;
  bool fitted = false;
  // The digest of what the graph has learned.
  std::string fitted_digest = {};
  bool trained = false;
  bool stored = false;
  // Whether it ended without a model. `trigger.skip_reason` says why.
  bool skipped = false;
  // For a skipped trigger: whether its training failed. Otherwise nothing was selected.
  bool failed = false;

  bool ended() const { return stored || skipped; }
};

// A fold of events. Apply() is the only way to change it, so that reading the events table again
// restores the same state. Thread-compatible.
class RunState {
 public:
  void Apply(const v1::RunEvent& event);

  v1::RunState state() const { return state_; }
  // Why the run failed; otherwise empty.
  const std::string& error() const { return error_; }
  int64_t max_triggers() const { return max_triggers_; }
  // By name.
  const std::map<std::string, v1::DatasetSynced>& datasets() const { return datasets_; }
  // Trigger n is at n - 1.
  const std::vector<TriggerState>& triggers() const { return triggers_; }
  bool stream_ended() const { return stream_ended_; }
  // The event of the end of the stream, once it has ended.
  const v1::StreamEnded& end_of_stream() const { return end_of_stream_; }
  // The last report of a live run about samples that do not move its clock.
  const v1::SamplesAhead& samples_ahead() const { return samples_ahead_; }
  bool live() const { return live_; }
  // Whether a live run must measure its models and then stop.
  bool stop_requested() const { return stop_requested_; }
  // Whether a live run must train on the samples so far, whatever its policy says.
  bool trigger_requested() const { return trigger_requested_; }
  // The snapshot that a live run knew when its stream ended.
  const rpc::v1::Snapshot& end_snapshot() const { return end_snapshot_; }
  // A live run measures in rounds: after each stored model, and at the end.
  int32_t round() const { return round_; }
  bool round_pending() const { return round_pending_; }
  bool IsEvaluated(int32_t evaluation) const {
    return finished_evaluations_.contains({round_, evaluation});
  }
  // Whether challengers were judged in this round, and whether the model of a trigger ever was.
  bool challengers_judged() const { return judged_rounds_.contains(round_); }
  bool IsJudged(int64_t trigger) const { return judged_.contains(trigger); }
  // Whether the dataset was synced in this round.
  bool IsFresh(const std::string& dataset) const;
  // The plug-ins of the pipeline with the versions that they ran with last.
  const std::vector<std::string>& plugins() const { return plugins_; }
  // As in GetRunResponse.
  const std::vector<v1::SetValue>& set_values() const { return set_values_; }
  // Whether the run is one of a sweep.
  bool in_sweep() const { return in_sweep_; }
  // The first triggers whose model and training set are kept.
  const v1::ModelsRetired& retired() const { return retired_; }
  int64_t num_stored() const;
  // Returns the last trigger with a model: before `trigger`, or of all. nullptr when there is none.
  const TriggerState* LastStoredBefore(int64_t trigger) const;
  const TriggerState* LastStored() const;
  // Returns the trigger that is being selected, trained or stored, or nullptr.
  const TriggerState* Unfinished() const;
  // Whether there is no model and retrying is useless: the stream has ended, or too many trainings
  // have failed. The reason is taken from the first trigger that was skipped.
  bool NothingTrained() const;
  // Returns the number of selected samples of all triggers.
  int64_t num_samples() const;

 private:
  TriggerState& At(int64_t trigger);
  void ApplyToTrigger(const v1::RunEvent& event);
  void ApplyToStage(const v1::RunEvent& event);
  void ApplySkipped(const v1::TriggerSkipped& skipped);
  void ApplyToStream(const v1::RunEvent& event);
  void BeginRound();
  void Resume();

  v1::RunState state_ = v1::RUN_STATE_UNSPECIFIED;
  std::string error_;
  int64_t max_triggers_ = 0;
  std::vector<std::string> plugins_;
  std::vector<v1::SetValue> set_values_;
  bool in_sweep_ = false;
  std::map<std::string, v1::DatasetSynced> datasets_;
  std::vector<TriggerState> triggers_;
  bool stream_ended_ = false;
  v1::StreamEnded end_of_stream_;
  v1::SamplesAhead samples_ahead_;
  bool live_ = false;
  bool stop_requested_ = false;
  bool trigger_requested_ = false;
  rpc::v1::Snapshot end_snapshot_;
  int32_t round_ = 0;
  bool round_pending_ = false;
  std::set<std::pair<int32_t, int32_t>> finished_evaluations_;  // (round, evaluation).
  std::set<int32_t> judged_rounds_;
  std::set<int64_t> judged_;  // Triggers.
  std::map<std::string, int32_t> synced_in_round_;
  v1::ModelsRetired retired_;
};

// The properties of a pipeline that determine the order of steps.
struct RunPlan {
  // All datasets that the pipeline reads.
  std::vector<std::string> datasets;
  bool fit_each_trigger = false;
  int num_evaluations = 0;
  // Whether a model must be found better than the one in use (`promote: {when: better}`).
  bool judges = false;
  // How many models and training sets are kept; std::nullopt for all.
  std::optional<int64_t> kept_models = std::nullopt;
  std::optional<int64_t> kept_training_sets = std::nullopt;
};

enum class Stage {
  kSync,
  kDecide,
  kSelect,
  kFit,
  kTrain,
  kStore,
  kEvaluate,
  kJudge,
  kRetire,
  kFinish,
  kNothing
};

// One step of a run: the smallest unit that is repeated after a crash.
struct Step {
  Stage stage = Stage::kNothing;
  std::string dataset = {};  // For kSync.
  int64_t trigger = 0;       // For kSelect to kStore.
  int32_t evaluation = 0;    // For kEvaluate.

  friend bool operator==(const Step&, const Step&) = default;
};

// After this number of failed trainings, a run without a model gives up. Its pipeline, not its
// data, is probably wrong.
inline constexpr int kMaxFailedTrainings = 3;

// Returns the next step. It is a pure function. A run syncs every dataset. Then, for one trigger
// after the other, it decides, selects, fits, trains and stores. Then it evaluates, judges
// challengers, retires models and sets that are no longer kept, and finishes. A skipped trigger has
// no further steps. A live run also evaluates and retires after each model; when it must stop, it
// leaves the last trigger alone. A run that has trained nothing (NothingTrained()) only finishes.
// kNothing when the run is not RUNNING.
Step NextStep(const RunState& state, const RunPlan& plan);

// Returns what retention must remove now; std::nullopt when that is done.
std::optional<v1::ModelsRetired> ToRetire(const RunState& state, const RunPlan& plan);

// Returns the trigger whose fitted state the training of `trigger` uses: its own. When ops are
// fitted once, it is the first trigger with a model.
int64_t FittedTrigger(const RunState& state, const RunPlan& plan, int64_t trigger);

}  // namespace tidemill::supervisor
