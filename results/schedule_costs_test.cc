#include "results/schedule_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numbers/random.h"
#include "results/simulated_policies.h"

namespace tidemill::results {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// A matrix with a cut at the beginning of each window. `error(i, t)` is the error on window t of
// the model of cut i.
template <typename Error>
ErrorMatrix MatrixOf(size_t size, const Error& error) {
  ErrorMatrix matrix;
  matrix.errors.resize(size);
  for (size_t t = 0; t < size; ++t) {
    matrix.cuts.push_back({static_cast<int64_t>(10 * t)});
    matrix.windows.push_back({static_cast<int64_t>(10 * t)});
    matrix.newest.push_back(t);
    for (size_t i = 0; i < size; ++i) {
      matrix.errors[i].push_back(i <= t ? error(i, t) : std::nan(""));
    }
  }
  return matrix;
}

// The least cost of all 2^(n-1) schedules, each begun with every model.
double LeastOfAll(const ErrorMatrix& matrix, double price, size_t from) {
  double least = 1e9;
  const size_t num_choices = matrix.num_windows() - from;
  for (size_t first = 0; first <= from; ++first) {
    for (size_t choice = 0; choice < (size_t{1} << num_choices); ++choice) {
      size_t active = first;
      double cost = 0;
      for (size_t t = from; t < matrix.num_windows(); ++t) {
        if ((choice >> (t - from)) & 1) {
          active = t;
          cost += price;
        }
        cost += matrix.At(active, t);
      }
      least = std::min(least, cost);
    }
  }
  return least;
}

TEST(Oracle, CostsWhatTheBestOfAllSchedulesCosts) {
  for (int64_t seed = 0; seed < 50; ++seed) {
    const RandomKey key{.seed = seed, .purpose = "errors"};
    const ErrorMatrix matrix = MatrixOf(
        9, [&](size_t i, size_t t) { return RandomUnit(key, static_cast<int64_t>(100 * i + t)); });
    for (const double price : {0.0, 0.1, 0.4, 2.0}) {
      for (const size_t from : {size_t{0}, size_t{3}, size_t{8}}) {
        EXPECT_THAT(OracleCost(matrix, price, from),
                    DoubleNear(LeastOfAll(matrix, price, from), 1e-12));
      }
    }
  }
}

TEST(Schedule, UsesTheNewestModelAtOrBeforeATrigger) {
  const ErrorMatrix matrix = MatrixOf(5, [](size_t, size_t) { return 0.5; });
  // At 10 exactly, at 25 (the model of 20 is the newest), and after the last window.
  const std::vector<Timestamp> triggers = {{0}, {10}, {25}, {99}};
  const Schedule schedule = ScheduleOf(matrix, triggers);
  EXPECT_THAT(schedule.active, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(schedule.trainings, ElementsAre(0, 1, 0, 1, 0));
  EXPECT_DOUBLE_EQ(CostOf(matrix, schedule, 0.1, 0), 2.7);
  EXPECT_DOUBLE_EQ(CostOf(matrix, schedule, 0.1, 2), 1.6);
  EXPECT_EQ(NumTrainings(schedule, 2), 1);
}

SimulatedPolicy Named(const std::vector<SimulatedPolicy>& policies, const std::string& name) {
  for (const SimulatedPolicy& policy : policies) {
    if (policy.name == name) return policy;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(TunedCalendar, FindsThePeriodThatPays) {
  // A model loses .1 a window. Every k windows cost price / k + .1 (k - 1) / 2 a window, which is
  // least at k = sqrt(20 price).
  const ErrorMatrix matrix =
      MatrixOf(300, [](size_t i, size_t t) { return 0.1 * static_cast<double>(t - i); });
  const auto policies = SimulatePolicies(matrix, 0.8, 100);
  EXPECT_EQ(Named(policies, "calendar, tuned").setting, "every 4 windows");
  EXPECT_EQ(Named(SimulatePolicies(matrix, 0.0, 100), "calendar, tuned").setting,
            "every 1 windows");
}

TEST(TunedCusum, TrainsRightAfterAJump) {
  // Every 25 windows the errors of older models jump from .1 to .9.
  const ErrorMatrix matrix =
      MatrixOf(150, [](size_t i, size_t t) { return i / 25 == t / 25 ? 0.1 : 0.9; });
  const Schedule schedule =
      Named(SimulatePolicies(matrix, 0.2, 50), "cusum, tuned").schedules.front();
  for (size_t t = 50; t < 150; ++t) {
    // The window after the one with the jump.
    EXPECT_EQ(schedule.trainings[t], t % 25 == 1 ? 1 : 0) << t;
  }
}

TEST(SimulatedPolicies, AreWhatTheirNamesSay) {
  const ErrorMatrix matrix = MatrixOf(30, [](size_t, size_t) { return 0.5; });
  const auto policies = SimulatePolicies(matrix, 0.1, 10);
  EXPECT_EQ(NumTrainings(Named(policies, "never").schedules.front(), 0), 0);
  EXPECT_EQ(NumTrainings(Named(policies, "always").schedules.front(), 0), 29);
  const int64_t expected = NumTrainings(Named(policies, "calendar, tuned").schedules.front(), 0);
  for (const Schedule& drawn : Named(policies, "uniform").schedules) {
    EXPECT_EQ(NumTrainings(drawn, 0), expected);
  }
}

struct MeasuredRun {
  std::vector<Row> table;
  std::vector<TrainedAt> models;
};

MeasuredRun RunWith(const std::vector<std::vector<std::optional<double>>>& values,
                    const std::string& measure) {
  MeasuredRun run;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<int64_t>(i + 1);
    run.models.push_back({.trigger = number, .at = {static_cast<int64_t>(10 * i)}});
    for (size_t t = 0; t < values[i].size(); ++t) {
      Row& row = run.table.emplace_back();
      row.set_dataset_name("d");
      row.mutable_from()->set_event_time(static_cast<int64_t>(10 * t));
      row.mutable_to()->set_event_time(static_cast<int64_t>(10 * t) + 10);
      row.set_measure(measure);
      if (values[i][t]) row.set_value(*values[i][t]);
      row.set_num_samples(5);
      row.set_trigger(number);
    }
  }
  return run;
}

TEST(ErrorMatrix, IsReadFromTheModelsOfARun) {
  const MeasuredRun run = RunWith({{0.9, 0.7, 0.6}, {0.2, 0.8, 0.75}, {0.1, 0.1, 1.0}}, "accuracy");
  const auto matrix = ErrorMatrixOf(run.table, run.models, "accuracy", 1);
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->num_windows(), 3);
  EXPECT_THAT(matrix->newest, ElementsAre(0, 1, 2));
  EXPECT_NEAR(matrix->At(0, 2), 0.4, 1e-12);
  EXPECT_NEAR(matrix->At(1, 1), 0.2, 1e-12);
  EXPECT_TRUE(std::isnan(matrix->At(2, 1)));  // A model of the future.
  EXPECT_FALSE(ErrorMatrixOf(run.table, run.models, "auc", 1).ok());
}

TEST(ErrorMatrix, ScalesErrorsAndLeavesOutWindowsWithoutAValue) {
  const MeasuredRun run = RunWith({{2.0, std::nullopt, 6.0}, {1.0, 1.0, 4.0}}, "mae");
  const auto matrix = ErrorMatrixOf(run.table, run.models, "mae", 10);
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->num_windows(), 2);
  EXPECT_EQ(matrix->num_left_out, 1);
  EXPECT_DOUBLE_EQ(matrix->At(0, 1), 0.6);
  EXPECT_DOUBLE_EQ(matrix->At(1, 1), 0.4);
}

}  // namespace
}  // namespace tidemill::results
