#include "trainer_server/training/loss_curve.h"

#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <set>

#include "gtest/gtest.h"

#include "trainer_server/training/held_out.h"
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

TEST(LossCurve, GoesOnFromItsStateAsIfNothingHadHappened) {
  LossCurve whole;
  LossCurve resumed;
  for (int64_t batch = 1; batch <= 2000; ++batch) {
    whole.Add(1.0 / static_cast<double>(batch), 3, 3 * batch);
    resumed.Add(1.0 / static_cast<double>(batch), 3, 3 * batch);
    if (batch % 97 == 0) resumed = LossCurve(resumed.state());
  }
  EXPECT_EQ(resumed.state(), whole.state());
}

TEST(HoldOut, PutsEachKeyOnOneSideForGood) {
  loader::TrainingSet set;
  for (int64_t i = 0; i < 3000; ++i) {
    set.keys.push_back(i % 1000);
    set.weights.push_back(static_cast<float>(i % 1000));
  }
  const DividedSet divided = HoldOut(set, 0.2, 42);
  const std::set<int64_t> trained(divided.trained.keys.begin(), divided.trained.keys.end());
  const std::set<int64_t> held_out(divided.held_out.keys.begin(), divided.held_out.keys.end());
  EXPECT_EQ(trained.size() + held_out.size(), 1000u) << "no key stands on both sides";
  EXPECT_EQ(divided.trained.size() + divided.held_out.size(), 3000);
  EXPECT_NEAR(static_cast<double>(held_out.size()), 200, 40);
  for (size_t i = 0; i < divided.held_out.keys.size(); ++i) {
    EXPECT_EQ(divided.held_out.weights[i], static_cast<float>(divided.held_out.keys[i]));
  }
  const DividedSet again = HoldOut({.keys = {5, 6, 7, 8, 9, 10, 11, 12}}, 0.2, 42);
  for (const int64_t key : again.held_out.keys) EXPECT_TRUE(held_out.contains(key));
  EXPECT_NE(HoldOut(set, 0.2, 43).held_out.keys, divided.held_out.keys);
}

TEST(HoldOut, NeverTakesEverySample) {
  for (int64_t key = 0; key < 50; ++key) {
    EXPECT_EQ(HoldOut({.keys = {key}}, 0.5, 1).trained.size(), 1);
  }
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
