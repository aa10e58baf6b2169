// One run of a variant of a comparison, by what reports compare: small enough to be kept in git for
// hundreds of runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "cli/bench/comparison_spec.h"
#include "cli/bench/run_figures.h"

namespace tidemill::cli {

struct ComparisonRun {
  int64_t seed = 0;
  double value = 0;
  int64_t num_judged = 0;  // The samples on which it was judged.
  // What rules without a model reach on the same samples, for rules that have a value on all.
  std::map<std::string, double> baselines = {};
  int64_t num_trainings = 0;
  // Without the first training, which all variants share, if the comparison is `after_first`.
  int64_t num_trained = 0;  // The samples, over all trainings.
  int64_t num_visited = 0;  // The same, over all epochs. 0 where it is unknown.
  double training_seconds = 0;
  double selecting_seconds = 0;
  double deciding_seconds = 0;
  double run_seconds = 0;
  double processor_seconds = 0;
  std::optional<double> money = std::nullopt;
  std::string currency = {};
  // When the first model was trained, and the digests of its training set and of its weights.
  std::string first_model = {};
};

// NOT_FOUND when the run has no value of the measure.
absl::StatusOr<ComparisonRun> JudgeRun(const ComparisonSpec& comparison, const RunFigures& figures);

nlohmann::ordered_json ComparisonRunToJson(const ComparisonRun& run);
// INVALID_ARGUMENT when ComparisonRunToJson() did not write it.
absl::StatusOr<ComparisonRun> ComparisonRunFromJson(const nlohmann::ordered_json& json);

}  // namespace tidemill::cli
