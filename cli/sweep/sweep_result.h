// What has become of the settings of a sweep: its table, its JSON and its best setting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "cli/sweep/halving.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_value.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// One run of a sweep.
struct SweepRun {
  size_t place = 0;  // In the plan.
  size_t rung = 0;   // From 0.
  int64_t id = 0;    // 0 before it is submitted.
  supervisor::v1::RunState state = supervisor::v1::RUN_STATE_UNSPECIFIED;
  // Why it has failed, or could not be submitted.
  std::string error = {};
  // Trained for it, without models that it took from other runs.
  double training_seconds = 0;
  int64_t num_triggers = 0;
  std::optional<SweepValue> value = std::nullopt;
};

// Notes what a run that has ended, in the state of `ended`, has reached and what it has cost.
void NoteEnd(const supervisor::v1::GetRunResponse& full, const std::string& measure,
             SweepRun& ended);

enum class Fate {
  kOpen,     // Not all of its runs have ended.
  kDone,     // It was run with the whole effort.
  kHalved,   // It was among the worse half of a rung.
  kFailed,   // One of its runs has failed, or could not be submitted.
  kStopped,  // One of its runs was stopped; the same command continues it.
};

// One setting with all its seeds.
struct SettingResult {
  Fate fate = Fate::kOpen;
  size_t rung = 0;   // The last one that it took part in, from 0.
  size_t place = 0;  // Among the settings of that rung, from 1. 0 while it has no value.
  // At that rung: the mean over the seeds.
  std::optional<double> value = std::nullopt;
  // The interval of one run; the lowest and the highest value of several seeds.
  std::optional<std::pair<double, double>> interval = std::nullopt;
  std::optional<double> baseline = std::nullopt;
  std::string baseline_name = {};
  // The sum over all its runs at all rungs.
  double training_seconds = 0;
  std::vector<SweepRun> runs = {};
  std::string error = {};
};

// How settings are halved.
struct HalvingPlan {
  std::string unit = {};  // "triggers" or "epochs".
  std::vector<Rung> rungs = {};
};

struct SweepResult {
  std::string name = {};      // The name of the sweep.
  std::string pipeline = {};  // The name of its pipeline.
  std::string file = {};      // As the user wrote it.
  SweepPlan plan;
  // Absent without --halving.
  std::optional<HalvingPlan> halving = std::nullopt;
  std::string measure = {};  // As in ValueOf(); empty until something is measured.
  std::string dataset = {};
  bool lower_is_better = false;
  std::vector<SettingResult> settings = {};
  double seconds = 0;  // The time that this command has taken.
};

// "rung-2-of-4": the tag of a run of a rung, from 0.
std::string RungTag(size_t rung, size_t num_rungs);

// Computes the value, the interval, the baseline and the cost of each setting from its runs at its
// last rung, and the place of each among the settings of that rung.
void Summarise(SweepResult& result);

// Returns the best setting of those that were run with the whole effort, the first one
// of several with equal values; std::nullopt without any.
std::optional<size_t> BestOf(const SweepResult& result);

// "4 triggers", "1 trigger", "all triggers".
std::string EffortText(const HalvingPlan& halving, size_t rung);

// "done", "halved at rung 1 of 3 (4 triggers): place 9 of 12", "failed: ...".
std::string FateText(const SweepResult& result, const SettingResult& setting);

// The table, a row for each setting, the best one first, with the sentences that belong to it.
std::string DescribeSweep(const SweepResult& result, bool paint);

// {"sweep", "pipeline", "file", "measure", "dataset", "lower_is_better", "axes", "seeds",
// "halving", "settings", "best", "seconds"}. docs/guides/sweep.md describes it.
nlohmann::ordered_json SweepToJson(const SweepResult& result);

}  // namespace tidemill::cli
