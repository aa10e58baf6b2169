#include "results/simulated_policies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "fmt/format.h"

#include "base/numbers/random.h"

namespace tidemill::results {
namespace {

constexpr int kNumDraws = 20;

// Whether to train before window t, which is not the first one. `last` is the window before which
// the model in use was trained.
using Decide = std::function<bool(size_t t, size_t last, size_t active)>;

Schedule Simulate(const ErrorMatrix& matrix, const Decide& decide) {
  Schedule schedule;
  size_t active = matrix.newest.front();
  size_t last = 0;
  for (size_t t = 0; t < matrix.num_windows(); ++t) {
    const bool can_train = t > 0 && matrix.newest[t] != active;
    const bool trains = t > 0 && decide(t, last, active) && can_train;
    if (trains) {
      active = matrix.newest[t];
      last = t;
    }
    schedule.active.push_back(active);
    schedule.trainings.push_back(trains ? 1 : 0);
  }
  return schedule;
}

// Keeps the candidate with the least cost on the first windows; the first one of equals.
class Best {
 public:
  Best(const ErrorMatrix& matrix, double price, size_t judged_from)
      : matrix_(matrix), price_(price), judged_from_(judged_from) {}

  void Offer(Schedule schedule, std::string setting) {
    const double cost = CostOf(matrix_, schedule, price_, 0, judged_from_);
    if (kept_ && cost >= cost_) return;
    cost_ = cost;
    kept_ = std::move(schedule);
    setting_ = std::move(setting);
  }
  SimulatedPolicy As(const std::string& name) && {
    return {name, std::move(setting_), {*std::move(kept_)}};
  }

 private:
  const ErrorMatrix& matrix_;
  const double price_;
  const size_t judged_from_;
  std::optional<Schedule> kept_;
  double cost_ = 0;
  std::string setting_;
};

Schedule Calendar(const ErrorMatrix& matrix, size_t period) {
  return Simulate(matrix, [&](size_t t, size_t last, size_t) { return t - last >= period; });
}

// A longer period costs less where both would do.
SimulatedPolicy TunedCalendar(const ErrorMatrix& matrix, double price, size_t judged_from) {
  Best best(matrix, price, judged_from);
  for (size_t period = std::max<size_t>(judged_from, 1); period >= 1; --period) {
    best.Offer(Calendar(matrix, period), fmt::format("every {} windows", period));
  }
  return std::move(best).As("calendar, tuned");
}

Schedule Cusum(const ErrorMatrix& matrix, double slack, double threshold) {
  double sum = 0;
  double level = 0;
  return Simulate(matrix, [&](size_t t, size_t last, size_t active) {
    const double error = matrix.At(active, t - 1);  // The newest that is known.
    if (t - 1 == last) {
      level = error;
      sum = 0;
    } else {
      sum = std::max(0.0, sum + error - level - slack);
    }
    return sum > threshold;
  });
}

// The deviation of the errors that new models make on the first windows.
double Deviation(const ErrorMatrix& matrix, size_t judged_from) {
  std::vector<double> errors;
  for (size_t t = 0; t < judged_from; ++t) errors.push_back(matrix.At(matrix.newest[t], t));
  if (errors.size() < 2) return 0.01;
  const double mean =
      std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  double squares = 0;
  for (const double error : errors) squares += (error - mean) * (error - mean);
  return std::max(1e-6, std::sqrt(squares / static_cast<double>(errors.size() - 1)));
}

SimulatedPolicy TunedCusum(const ErrorMatrix& matrix, double price, size_t judged_from) {
  Best best(matrix, price, judged_from);
  const double unit = Deviation(matrix, judged_from);
  for (const double threshold : {16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25}) {
    for (const double slack : {1.0, 0.5, 0.25, 0.0}) {
      best.Offer(Cusum(matrix, slack * unit, threshold * unit),
                 fmt::format("slack {:.3g}, threshold {:.3g}", slack * unit, threshold * unit));
    }
  }
  return std::move(best).As("cusum, tuned");
}

// Each window but the first is as likely as any other.
SimulatedPolicy Uniform(const ErrorMatrix& matrix, int64_t num_trainings) {
  SimulatedPolicy policy{"uniform", fmt::format("{} trainings", num_trainings), {}};
  const auto num_others = static_cast<int64_t>(matrix.num_windows()) - 1;
  for (int draw = 0; draw < kNumDraws && num_others > 0; ++draw) {
    const Permutation lots({.purpose = "uniform schedule", .trigger = draw}, num_others);
    std::vector<bool> trains(matrix.num_windows(), false);
    for (int64_t i = 0; i < std::min(num_others, num_trainings); ++i) {
      trains[static_cast<size_t>(1 + lots(i))] = true;
    }
    policy.schedules.push_back(
        Simulate(matrix, [&](size_t t, size_t, size_t) -> bool { return trains[t]; }));
  }
  return policy;
}

}  // namespace

std::vector<SimulatedPolicy> SimulatePolicies(const ErrorMatrix& matrix, double price,
                                              size_t judged_from) {
  std::vector<SimulatedPolicy> policies;
  const auto never = [](size_t, size_t, size_t) { return false; };
  const auto always = [](size_t, size_t, size_t) { return true; };
  policies.push_back({"never", "", {Simulate(matrix, never)}});
  policies.push_back({"always", "", {Simulate(matrix, always)}});
  policies.push_back(TunedCalendar(matrix, price, judged_from));
  policies.push_back(TunedCusum(matrix, price, judged_from));
  policies.push_back(Uniform(matrix, NumTrainings(policies[2].schedules.front(), 0)));
  return policies;
}

}  // namespace tidemill::results
