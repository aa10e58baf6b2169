#include "supervisor/triggers/training_cost.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "supervisor/statistics/forecasts/forecast.h"

namespace tidemill::supervisor {
namespace {

constexpr double kPenalty = 1;

}  // namespace

void TrainingCostModel::Add(const TrainingCost& cost) {
  costs_.push_back(cost);
  if (static_cast<int64_t>(costs_.size()) > window_) costs_.pop_front();
}

TrainingForecast TrainingCostModel::Fit() const {
  if (costs_.empty()) return {};
  // Counted from the first one, so that equal sizes have no spread at all.
  const auto origin = static_cast<double>(costs_.front().num_samples);
  std::vector<double> sizes, seconds;
  double xx = 0, xy = 0;
  for (const TrainingCost& cost : costs_) {
    const auto x = static_cast<double>(cost.num_samples);
    sizes.push_back(x - origin);
    seconds.push_back(cost.seconds);
    xx += x * x;
    xy += x * cost.seconds;
  }
  const statistics::Line line = statistics::FitRidge(sizes, seconds, kPenalty);
  if (line.slope < 0) {
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    return {.base = sum / static_cast<double>(seconds.size()), .per_sample = 0};
  }
  const double base = line.At(-origin);
  if (base >= 0) return {.base = base, .per_sample = line.slope};
  return {.base = 0, .per_sample = std::max(0.0, xy / (xx + kPenalty))};
}

nlohmann::json TrainingCostModel::Seal() const {
  nlohmann::json state = nlohmann::json::array();
  for (const TrainingCost& cost : costs_) state.push_back({cost.num_samples, cost.seconds});
  return state;
}

absl::Status TrainingCostModel::Restore(const nlohmann::json& state) {
  costs_.clear();
  if (!state.is_array()) return DataLoss("the sealed costs of trainings are not a list");
  for (const nlohmann::json& cost : state) {
    if (!cost.is_array() || cost.size() != 2 || !cost[0].is_number_integer() ||
        !cost[1].is_number()) {
      return DataLoss("a sealed cost of a training is not valid");
    }
    costs_.push_back({.num_samples = cost[0].get<int64_t>(), .seconds = cost[1].get<double>()});
  }
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
