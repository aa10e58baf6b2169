#include "trainer_server/training/loss_curve.h"

#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <set>

#include "gtest/gtest.h"

#include "trainer_server/training/pace/early_stopping.h"
#include "trainer_server/training/watchdog.h"

namespace tidemill::trainer_server {
namespace {

TEST(LossCurve, HoldsAPointForEachBatchWhileThereIsRoom) {
  LossCurve curve;
  curve.Add(3, 10, 10);
  curve.Add(1, 30, 41);
  curve.AddValidation(2.5);
  const auto points = curve.Points();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0], (LossCurve::Point{10, 3, 10}));
  EXPECT_EQ(points[1], (LossCurve::Point{41, 1, 30, 2.5}));
}

TEST(LossCurve, StaysShortAndKeepsTheMeanOfAll) {
  LossCurve curve;
  double sum = 0;
  int64_t num_samples = 0;
  for (int64_t batch = 1; batch <= 12345; ++batch) {
    const int64_t num_trained = 1 + batch % 7;
    num_samples += num_trained;
    sum += static_cast<double>(batch * num_trained);
    curve.Add(static_cast<double>(batch), num_trained, num_samples);
    ASSERT_LE(curve.Points().size(), LossCurve::kMaxPoints);
  }
  const auto points = curve.Points();
  EXPECT_GT(points.size(), LossCurve::kMaxPoints / 4);
  double curve_sum = 0;
  int64_t trained = 0;
  for (const LossCurve::Point& point : points) {
    curve_sum += point.loss * static_cast<double>(point.num_trained);
    trained += point.num_trained;
    EXPECT_EQ(point.num_samples, trained);
  }
  EXPECT_EQ(trained, num_samples);
  EXPECT_NEAR(curve_sum / sum, 1, 1e-9);
}

TEST(LossCurve, ContinuesFromItsStateAsIfNothingHadHappened) {
  LossCurve whole;
  LossCurve resumed;
  for (int64_t batch = 1; batch <= 2000; ++batch) {
    whole.Add(1.0 / static_cast<double>(batch), 3, 3 * batch);
    resumed.Add(1.0 / static_cast<double>(batch), 3, 3 * batch);
    if (batch % 97 == 0) resumed = LossCurve(resumed.state());
  }
  EXPECT_EQ(resumed.state(), whole.state());
}

TEST(EarlyStopping, WaitsAsManyEpochsAsItHasPatience) {
  const models::EarlyStopping spec = {.patience = 2, .min_delta = 0.1};
  StoppingState state;
  EXPECT_TRUE(Observe(spec, 1.0, state));
  EXPECT_FALSE(Observe(spec, 0.95, state)) << "better, but by too little";
  EXPECT_FALSE(state.stopped);
  EXPECT_TRUE(Observe(spec, 0.8, state));
  EXPECT_FALSE(Observe(spec, 0.9, state));
  EXPECT_FALSE(state.stopped);
  EXPECT_FALSE(Observe(spec, std::numeric_limits<double>::quiet_NaN(), state));
  EXPECT_TRUE(state.stopped);
  EXPECT_EQ(state.best, 0.8);
}

TEST(Watchdog, ExpiresOnceWhenNothingComesForward) {
  std::promise<void> expired;
  std::atomic<int> times = 0;
  {
    Watchdog watchdog(std::chrono::milliseconds(20), [&] {
      if (++times == 1) expired.set_value();
    });
    expired.get_future().wait();
  }
  EXPECT_EQ(times, 1);
}

TEST(Watchdog, LetsATrainingThatComesForwardAlone) {
  std::atomic<bool> expired = false;
  Watchdog watchdog(std::chrono::hours(1), [&] { expired = true; });
  for (int i = 0; i < 1000; ++i) watchdog.Progress();
  EXPECT_FALSE(expired);
}

}  // namespace
}  // namespace tidemill::trainer_server
