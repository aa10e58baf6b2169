#include "models/training/schedules/schedule_spec.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "models/training/schedules/cycles.h"
#include "models/training/schedules/decays.h"
#include "models/training/schedules/plateau.h"
#include "models/training/schedules/warmup.h"

namespace tidemill::models {
namespace {

std::vector<double> Factors(const ScheduleSpec& spec, int64_t total) {
  std::vector<double> factors;
  for (int64_t step = 0; step < total; ++step) {
    factors.push_back(spec->LearningRateFactor(step, total));
  }
  return factors;
}

void ExpectNear(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(Schedule, StepDecayMultipliesAfterEachLength) {
  ExpectNear(Factors(StepDecay{{.steps = 2}, 0.5}, 6), {1, 1, 0.5, 0.5, 0.25, 0.25});
  ExpectNear(Factors(StepDecay{{.share = 0.5}, 0.1}, 4), {1, 1, 0.1, 0.1});
}

TEST(Schedule, ACosineFallsToItsFinalFactorAndStaysThere) {
  const double slope = std::sqrt(0.5);  // The cosine of 45 degrees.
  ExpectNear(Factors(Cosine{}, 4), {1, (1 + slope) / 2, 0.5, (1 - slope) / 2});
  ExpectNear(Factors(Cosine{{.steps = 2}, 0.2}, 4), {1, 0.6, 0.2, 0.2});
}

TEST(Schedule, APolynomialFallsByItsPower) {
  ExpectNear(Factors(Polynomial{}, 4), {1, 0.75, 0.5, 0.25});
  ExpectNear(Factors(Polynomial{{.steps = 2}, 2, 0.5}, 4), {1, 0.625, 0.5, 0.5});
}

// The numbers of torch.optim.lr_scheduler.OneCycleLR 2.13.
TEST(Schedule, ACycleRisesAndFalls) {
  ExpectNear(Factors(OneCycle{}, 10), {0.040000000000000036, 0.52, 1.0, 0.9504846320134737,
                                       0.8117456539497631, 0.6112620219362893, 0.38874197806371075,
                                       0.18825834605023697, 0.049519367986526286, 4e-06});
  ExpectNear(Factors(OneCycle{{.steps = 2}, 0.5, 0.1, 0}, 4), {1, 0, 0, 0});
}

TEST(Schedule, ACosineBeginsAgain) {
  const double slope = std::sqrt(0.5);  // The cosine of 45 degrees.
  ExpectNear(Factors(CosineRestarts{{.steps = 2}, 2, 0.2}, 9),
             {1, 0.6, 1, 0.6 + 0.4 * slope, 0.6, 0.6 - 0.4 * slope, 1,
              0.6 + 0.4 * std::cos(std::numbers::pi / 8), 0.6 + 0.4 * slope});
  ExpectNear(Factors(CosineRestarts{{.steps = 2}}, 5), {1, 0.5, 1, 0.5, 1});
}

TEST(Schedule, APlateauIsFoundAfterAWarmUp) {
  const ScheduleSpec spec = Warmup{{.steps = 4}, 0, Plateau{.patience = 7}};
  ASSERT_NE(spec->Watched(), nullptr);
  EXPECT_EQ(spec->Watched()->patience, 7);
  EXPECT_EQ(ScheduleSpec(Cosine{})->Watched(), nullptr);
}

TEST(Schedule, AWarmUpRisesAndHandsOver) {
  ExpectNear(Factors(Warmup{{.steps = 4}}, 6), {0.25, 0.5, 0.75, 1, 1, 1});
  ExpectNear(Factors(Warmup{{.share = 0.25}, 0.5, Polynomial{}}, 8),
             {0.75, 1, 1, 5. / 6, 4. / 6, 3. / 6, 2. / 6, 1. / 6});
}

TEST(Schedule, OfEveryTypeGivesFactorsFromZeroToOne) {
  for (const auto& alternative : Schedule::Alternatives()) {
    const std::unique_ptr<Schedule> schedule = alternative.make();
    for (const int64_t step : {0, 1, 49, 50, 98, 99}) {
      const double factor = schedule->LearningRateFactor(step, 100);
      EXPECT_GE(factor, 0) << alternative.type().tag << " at step " << step;
      EXPECT_LE(factor, 1) << alternative.type().tag << " at step " << step;
    }
  }
}

TEST(Schedule, IsReadFromAPipeline) {
  const auto spec =
      config::Read<ScheduleSpec>("{type: warmup, share: 0.1, then: {type: step, steps: 7}}", "s");
  ASSERT_THAT(spec, ::tidemill::testing::IsOk());
  EXPECT_EQ(*spec, ScheduleSpec(Warmup{{.share = 0.1}, 0, StepDecay{{.steps = 7}}}));
  EXPECT_EQ(*config::Read<ScheduleSpec>("cosine", "s"), ScheduleSpec(Cosine{}));
  for (const char* const text :
       {"step", "warmup", "{type: cosine, steps: 5, share: 0.5}", "{type: cosine, share: 2}",
        "{type: step, steps: 0}", "cosine_restarts", "{type: plateau, loss: held_out, every: 5}"}) {
    EXPECT_FALSE(config::Read<ScheduleSpec>(text, "s").ok()) << text;
  }
}

}  // namespace
}  // namespace tidemill::models
