#include "results/regret.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "nlohmann/json.hpp"

#include "results/simulated_policies.h"

namespace tidemill::results {
namespace {

// Prices are powers of four of each other, up to rounding.
bool IsClose(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); }

struct SeedCost {
  double cost = 0;
  double regret = 0;
  double gap = 0;        // What `never` costs more than the oracle.
  double trainings = 0;  // The mean over the schedules.
};

// One policy at one price: a value per seed.
struct Collected {
  std::string setting;
  std::vector<SeedCost> seeds;
  std::vector<double> told_a_quarter;
  std::vector<double> told_four_times;
  int64_t num_off_grid = 0;
};

OverSeeds Summarise(const std::vector<double>& values) {
  OverSeeds summary{0, values.front(), values.front()};
  for (const double value : values) {
    summary.mean += value / static_cast<double>(values.size());
    summary.low = std::min(summary.low, value);
    summary.high = std::max(summary.high, value);
  }
  return summary;
}

std::optional<double> MeanOf(const std::vector<double>& values, size_t num_seeds) {
  if (values.empty() || values.size() != num_seeds) return std::nullopt;
  return Summarise(values).mean;
}

// Judges the policies of one seed at one price.
class PriceJudge {
 public:
  PriceJudge(const SweepSeed& seed, double price, size_t judged_from)
      : seed_(seed),
        price_(price),
        from_(judged_from),
        num_judged_(static_cast<double>(seed.matrix.num_windows() - judged_from)),
        oracle_(OracleCost(seed.matrix, price, judged_from) / num_judged_),
        never_(PerWindow({ScheduleOf(seed.matrix, {})})) {}

  double oracle() const { return oracle_; }

  SeedCost Cost(const std::vector<Schedule>& schedules) const {
    SeedCost own{.cost = PerWindow(schedules), .gap = never_ - oracle_};
    own.regret = own.cost - oracle_;
    for (const Schedule& schedule : schedules) {
      own.trainings += static_cast<double>(NumTrainings(schedule, from_));
    }
    own.trainings /= static_cast<double>(schedules.size());
    return own;
  }

  // The setting that costs the least before the judged windows, of a policy that was told `price`.
  const TriedPolicy* Chosen(const std::string& name, double told) const {
    const TriedPolicy* chosen = nullptr;
    double least = 0;
    for (const TriedPolicy& policy : seed_.policies) {
      if (policy.name != name || (policy.price && !IsClose(*policy.price, told))) continue;
      const double cost =
          CostOf(seed_.matrix, ScheduleOf(seed_.matrix, policy.triggers), price_, 0, from_);
      if (chosen != nullptr && cost >= least) continue;
      chosen = &policy;
      least = cost;
    }
    return chosen;
  }

  std::optional<double> RegretWhenTold(const std::string& name, double told) const {
    const TriedPolicy* policy = Chosen(name, told);
    if (policy == nullptr || !policy->price) return std::nullopt;
    return Cost({ScheduleOf(seed_.matrix, policy->triggers)}).regret;
  }

 private:
  double PerWindow(const std::vector<Schedule>& schedules) const {
    double cost = 0;
    for (const Schedule& schedule : schedules) {
      cost += CostOf(seed_.matrix, schedule, price_, from_);
    }
    return cost / static_cast<double>(schedules.size()) / num_judged_;
  }

  const SweepSeed& seed_;
  const double price_;
  const size_t from_;
  const double num_judged_;
  const double oracle_;
  const double never_;
};

void Collect(const PriceJudge& judge, const SweepSeed& seed, double price,
             std::map<std::string, Collected>& all) {
  std::set<std::string> names;
  for (const TriedPolicy& policy : seed.policies) names.insert(policy.name);
  for (const std::string& name : names) {
    const TriedPolicy* chosen = judge.Chosen(name, price);
    if (chosen == nullptr) continue;
    Collected& own = all[name];
    if (own.seeds.empty()) own.setting = chosen->setting;
    own.num_off_grid += chosen->num_off_grid;
    own.seeds.push_back(judge.Cost({ScheduleOf(seed.matrix, chosen->triggers)}));
    if (const auto less = judge.RegretWhenTold(name, price / 4))
      own.told_a_quarter.push_back(*less);
    if (const auto more = judge.RegretWhenTold(name, price * 4))
      own.told_four_times.push_back(*more);
  }
}

PolicyCost Summed(const std::string& name, double price, const Collected& collected) {
  PolicyCost cost{.policy = name, .price = price, .setting = collected.setting};
  std::vector<double> costs;
  std::vector<double> regrets;
  double gap = 0;
  for (const SeedCost& seed : collected.seeds) {
    costs.push_back(seed.cost);
    regrets.push_back(seed.regret);
    gap += seed.gap / static_cast<double>(collected.seeds.size());
    cost.trainings += seed.trainings / static_cast<double>(collected.seeds.size());
  }
  cost.cost = Summarise(costs);
  cost.regret = Summarise(regrets);
  if (gap > 1e-12) cost.share_of_gap = cost.regret.mean / gap;
  cost.told_a_quarter = MeanOf(collected.told_a_quarter, collected.seeds.size());
  cost.told_four_times = MeanOf(collected.told_four_times, collected.seeds.size());
  cost.num_off_grid = collected.num_off_grid;
  return cost;
}

void AddPrice(const std::vector<SweepSeed>& seeds, double price, RegretTable& table) {
  std::map<std::string, Collected> all;
  std::vector<double> oracles;
  for (const SweepSeed& seed : seeds) {
    const PriceJudge judge(seed, price, table.judged_from);
    oracles.push_back(judge.oracle());
    for (const SimulatedPolicy& policy : SimulatePolicies(seed.matrix, price, table.judged_from)) {
      Collected& own = all[policy.name];
      if (own.seeds.empty()) own.setting = policy.setting;
      own.seeds.push_back(judge.Cost(policy.schedules));
    }
    Collect(judge, seed, price, all);
  }
  table.oracle[price] = Summarise(oracles);
  std::vector<PolicyCost> costs;
  for (const auto& [name, own] : all) costs.push_back(Summed(name, price, own));
  std::ranges::stable_sort(costs, {}, [](const PolicyCost& cost) { return cost.regret.mean; });
  table.costs.insert(table.costs.end(), costs.begin(), costs.end());
}

nlohmann::ordered_json SeedsToJson(const OverSeeds& value) {
  return {{"mean", value.mean}, {"low", value.low}, {"high", value.high}};
}

}  // namespace

absl::StatusOr<RegretTable> CompareRegret(const std::vector<SweepSeed>& seeds,
                                          const std::vector<double>& prices) {
  RegretTable table;
  table.num_windows = seeds.front().matrix.num_windows();
  table.judged_from = table.num_windows / 3;
  for (const SweepSeed& seed : seeds) {
    table.seeds.push_back(seed.seed);
    table.num_left_out = std::max(table.num_left_out, seed.matrix.num_left_out);
    if (seed.matrix.num_windows() != table.num_windows) {
      return FailedPrecondition("the seeds were measured on {} and {} windows; run the sweep again",
                                table.num_windows, seed.matrix.num_windows());
    }
  }
  for (const double price : prices) AddPrice(seeds, price, table);
  return table;
}

nlohmann::ordered_json RegretToJson(const RegretTable& table) {
  nlohmann::ordered_json costs = nlohmann::ordered_json::array();
  for (const PolicyCost& own : table.costs) {
    costs.push_back({{"policy", own.policy},
                     {"price", own.price},
                     {"setting", own.setting},
                     {"cost", SeedsToJson(own.cost)},
                     {"regret", SeedsToJson(own.regret)},
                     {"trainings", own.trainings},
                     {"off_grid", own.num_off_grid}});
    const auto add = [&](const char* key, const std::optional<double>& value) {
      if (value) costs.back()[key] = *value;
    };
    add("share_of_gap", own.share_of_gap);
    add("told_a_quarter", own.told_a_quarter);
    add("told_four_times", own.told_four_times);
  }
  nlohmann::ordered_json oracle = nlohmann::ordered_json::array();
  for (const auto& [price, cost] : table.oracle) {
    oracle.push_back({{"price", price}, {"cost", SeedsToJson(cost)}});
  }
  return {{"windows", table.num_windows},
          {"judged_from", table.judged_from},
          {"left_out", table.num_left_out},
          {"seeds", table.seeds},
          {"oracle", oracle},
          {"costs", costs}};
}

}  // namespace tidemill::results
