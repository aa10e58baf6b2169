// The regret of trigger policies: their cost less the cost of the best schedule.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "results/schedule_costs.h"

namespace tidemill::results {

// A policy that was tried on the models of a sweep, with one setting.
struct TriedPolicy {
  std::string name;
  std::optional<double> price =
      std::nullopt;          // The price that it was given. Absent: it needs none.
  std::string setting = {};  // "AT=0.7"; empty without settings to tune.
  std::vector<Timestamp> triggers = {};
  int64_t num_off_grid = 0;  // The triggers at which no model was trained.
};

// One seed of a sweep.
struct SweepSeed {
  int64_t seed = 0;
  ErrorMatrix matrix;
  std::vector<TriedPolicy> policies;
};

// A mean over seeds, with the least and the greatest value.
struct OverSeeds {
  double mean = 0;
  double low = 0;
  double high = 0;
};

// What one policy cost at one price, per window of the judged part of the stream.
struct PolicyCost {
  std::string policy;
  double price = 0;
  std::string setting;  // For the first seed.
  OverSeeds cost = {};
  OverSeeds regret = {};
  // The regret as a share of the regret of `never`. Absent when `never` has no regret.
  std::optional<double> share_of_gap = std::nullopt;
  double trainings = 0;  // The mean number in the judged part.
  // The regret when the policy was given a quarter of the price, and four times the price, if the
  // sweep has these prices.
  std::optional<double> told_a_quarter = std::nullopt;
  std::optional<double> told_four_times = std::nullopt;
  int64_t num_off_grid = 0;
};

struct RegretTable {
  size_t num_windows = 0;
  size_t judged_from = 0;  // Settings were chosen on the windows before it.
  int64_t num_left_out = 0;
  std::vector<int64_t> seeds;
  std::map<double, OverSeeds> oracle;  // The cost per window, by price.
  std::vector<PolicyCost> costs;       // Ordered by price, then by regret.
};

// Settings are chosen on the first third of the windows, policies are judged on the others. All
// seeds need the same number of windows: FAILED_PRECONDITION otherwise. There is at least one.
absl::StatusOr<RegretTable> CompareRegret(const std::vector<SweepSeed>& seeds,
                                          const std::vector<double>& prices);

nlohmann::ordered_json RegretToJson(const RegretTable& table);

}  // namespace tidemill::results
