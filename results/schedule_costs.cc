#include "results/schedule_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "results/known_measures.h"

namespace tidemill::results {
namespace {

using Values = std::map<Window, std::map<int64_t, double>>;  // By trigger.

Values ValuesOf(const std::vector<Row>& table, const std::string& measure) {
  Values values;
  std::string dataset;
  for (const Row& row : table) {
    if (!IsCell(row) || row.measure() != measure) continue;
    if (dataset.empty()) dataset = row.dataset_name();
    if (row.dataset_name() != dataset) continue;
    auto& window = values[WindowOf(row)];
    if (row.has_value()) window[row.trigger()] = row.value();
  }
  return values;
}

// The errors on one window of the models that were trained before it. std::nullopt when one of them
// has no value.
std::optional<std::vector<double>> ErrorsOn(const std::map<int64_t, double>& values,
                                            const std::vector<TrainedAt>& models, size_t newest,
                                            bool lower_is_better, double scale) {
  std::vector<double> errors;
  for (size_t cut = 0; cut <= newest; ++cut) {
    const auto value = values.find(models[cut].trigger);
    if (value == values.end()) return std::nullopt;
    errors.push_back(lower_is_better ? value->second / scale : 1 - value->second);
  }
  return errors;
}

}  // namespace

absl::StatusOr<ErrorMatrix> ErrorMatrixOf(const std::vector<Row>& table,
                                          const std::vector<TrainedAt>& models,
                                          const std::string& measure, double scale) {
  const Values values = ValuesOf(table, measure);
  if (values.empty() || models.empty()) {
    return NotFound("the run has no values of {} for its models", measure);
  }
  ErrorMatrix matrix;
  for (const TrainedAt& model : models) matrix.cuts.push_back(model.at);
  matrix.errors.resize(matrix.cuts.size());
  for (const auto& [window, own] : values) {
    const auto behind = std::ranges::upper_bound(matrix.cuts, window.first.event_time);
    if (behind == matrix.cuts.begin()) continue;
    const auto newest = static_cast<size_t>(behind - matrix.cuts.begin()) - 1;
    const auto errors = ErrorsOn(own, models, newest, LowerIsBetter(measure), scale);
    if (!errors) {
      ++matrix.num_left_out;
      continue;
    }
    matrix.windows.push_back(window.first.event_time);
    matrix.newest.push_back(newest);
    for (size_t cut = 0; cut < matrix.cuts.size(); ++cut) {
      matrix.errors[cut].push_back(cut <= newest ? (*errors)[cut] : std::nan(""));
    }
  }
  if (matrix.windows.empty()) return NotFound("no window has a value of each model before it");
  return matrix;
}

Schedule ScheduleOf(const ErrorMatrix& matrix, std::span<const Timestamp> triggers) {
  Schedule schedule;
  size_t next = 0;
  size_t active = matrix.newest.front();
  for (size_t t = 0; t < matrix.num_windows(); ++t) {
    int num_trained = 0;
    for (; next < triggers.size() && triggers[next] <= matrix.windows[t]; ++next) {
      ++num_trained;
      const auto behind = std::ranges::upper_bound(matrix.cuts, triggers[next]);
      if (behind == matrix.cuts.begin()) continue;
      active = static_cast<size_t>(behind - matrix.cuts.begin()) - 1;
    }
    schedule.active.push_back(t == 0 ? matrix.newest.front() : active);
    schedule.trainings.push_back(t == 0 ? 0 : num_trained);
    if (t == 0) active = matrix.newest.front();
  }
  return schedule;
}

double CostOf(const ErrorMatrix& matrix, const Schedule& schedule, double price, size_t from,
              size_t to) {
  double cost = 0;
  for (size_t t = from; t < std::min(to, matrix.num_windows()); ++t) {
    cost += matrix.At(schedule.active[t], t) + price * schedule.trainings[t];
  }
  return cost;
}

int64_t NumTrainings(const Schedule& schedule, size_t from) {
  int64_t num_trained = 0;
  for (size_t t = from; t < schedule.trainings.size(); ++t) num_trained += schedule.trainings[t];
  return num_trained;
}

double OracleCost(const ErrorMatrix& matrix, double price, size_t from) {
  std::vector<double> next(matrix.cuts.size(), 0.0);  // V(., t + 1)
  for (size_t t = matrix.num_windows(); t-- > from;) {
    const size_t newest = matrix.newest[t];
    const double trained = price + matrix.At(newest, t) + next[newest];
    for (size_t cut = 0; cut <= newest; ++cut) {
      next[cut] = std::min(matrix.At(cut, t) + next[cut], trained);
    }
  }
  const size_t last = from < matrix.num_windows() ? matrix.newest[from] : 0;
  return *std::min_element(next.begin(), next.begin() + static_cast<ptrdiff_t>(last) + 1);
}

}  // namespace tidemill::results
