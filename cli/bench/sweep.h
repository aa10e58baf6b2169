// Tries trigger policies on the models of one run, which has trained at each cut of a grid.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "cli/bench/benchmark_spec.h"
#include "cli/stack/session.h"
#include "results/regret.h"

namespace tidemill::cli {

// A policy with its words replaced.
struct PolicyCandidate {
  std::string policy;
  std::optional<double> price = std::nullopt;
  std::string setting = {};
  std::string trigger = {};
};

// Returns every policy with every choice of its settings, and at every price if it needs a price.
std::vector<PolicyCandidate> CandidatesOf(const SweepSpec& sweep,
                                          const std::vector<double>& prices);

// Asks the supervisor for backtests of all candidates on the models of a run. Returns {"policies":
// [{"policy", "price", "setting", "triggers"}], "failed": [{"policy", "setting", "error"}]}: a
// policy that cannot be tried does not stop the others. The returned status is an error only when
// the connection fails.
absl::StatusOr<nlohmann::ordered_json> TryPolicies(const Session& session,
                                                   const std::string& pipeline, int64_t run,
                                                   const SweepSpec& sweep,
                                                   const std::vector<double>& prices);

// Reads the result of a case of a sweep.
absl::StatusOr<results::SweepSeed> SweepSeedOf(const nlohmann::ordered_json& result,
                                               const SweepSpec& sweep);

}  // namespace tidemill::cli
