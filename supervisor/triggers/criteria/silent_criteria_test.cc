#include "supervisor/triggers/criteria/silent_criteria.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMicros = 1'000'000;

std::vector<config::Remark> AdviceFor(const std::string& trigger, const StreamFacts& stream = {}) {
  const auto spec = config::Read<TriggerSpec>(trigger, "trigger");
  EXPECT_TRUE(spec.ok()) << trigger << "\n" << spec.status();
  return spec.ok() ? spec->operator->()->Advise(stream) : std::vector<config::Remark>();
}

// The findings for a policy, worst first: "criterion.at: is never reached ...".
std::string Errors(const std::string& trigger, const StreamFacts& stream = {}) {
  std::string said;
  for (const config::Remark& remark : AdviceFor(trigger, stream)) {
    if (remark.is_error) said += remark.path + ": " + remark.message + "\n";
  }
  return said;
}

std::string Warnings(const std::string& trigger, const StreamFacts& stream = {}) {
  std::string said;
  for (const config::Remark& remark : AdviceFor(trigger, stream)) {
    if (!remark.is_error) said += remark.path + ": " + remark.message + "\n";
  }
  return said;
}

std::string Drift(const std::string& rest) {
  return "{type: drift, evaluate: {samples: 250}, of: labels, " + rest + "}";
}
std::string Performance(const std::string& rest) {
  return "{type: performance, evaluate: {samples: 250}, " + rest + "}";
}

TEST(SilentCriteria, AreThresholdsBeyondEveryScore) {
  EXPECT_THAT(Errors(Drift("statistic: ks, criterion: {type: threshold, at: 1.5}")),
              HasSubstr("criterion.at: is never reached: ks is 1 at most"));
  EXPECT_THAT(Errors(Drift("statistic: classifier, criterion: {type: threshold, at: 1.01}")),
              HasSubstr("criterion.at"));
  EXPECT_THAT(Errors(Drift("statistic: {type: binned, divergence: jensen_shannon}, criterion: "
                           "{type: threshold, at: 0.84}")),
              HasSubstr("criterion.at"));
  EXPECT_THAT(Errors(Drift("statistic: mmd, criterion: {type: threshold, at: 2.1}")),
              HasSubstr("criterion.at"));
  EXPECT_THAT(Errors(Performance("criterion: {type: threshold, at: -0.1}")),
              HasSubstr("criterion.at: is never reached: accuracy is 0 at least"));
}

TEST(SilentCriteria, AreDeviationsBeyondEveryScore) {
  EXPECT_THAT(Errors(Performance("criterion: {type: rolling_average, deviation: 1}")),
              HasSubstr("criterion.deviation: is never reached: 1 of a mean below it is 0"));
  EXPECT_THAT(Errors(Performance("criterion: {type: rolling_average, deviation: 3}")),
              HasSubstr("less than 0"));
  EXPECT_THAT(
      Errors(Performance("criterion: {type: rolling_average, deviation: 1, relative: false}")),
      HasSubstr("is between 0 and 1"));
  EXPECT_THAT(Errors(Drift("statistic: ks, criterion: {type: rolling_average, deviation: 2, "
                           "relative: false}")),
              HasSubstr("criterion.deviation"));
}

TEST(SilentCriteria, ArePValuesThatNoWindowHas) {
  EXPECT_THAT(Errors(Drift("statistic: ks, reference: {samples: 3}, current: {samples: 3}, "
                           "criterion: {type: p_value}")),
              HasSubstr("criterion.alpha: is never reached"));
  // 1 / 70, although there are 1,000 permutations.
  EXPECT_THAT(Errors(Drift("statistic: {type: energy, permutations: 1000}, reference: {samples: "
                           "4}, current: {samples: 4}, criterion: {type: p_value, alpha: 0.01}")),
              HasSubstr("below 0.0143"));
  EXPECT_THAT(Errors(Drift("statistic: {type: energy, permutations: 30}, criterion: {type: "
                           "p_value, alpha: 0.05, spend: true}")),
              HasSubstr("criterion.alpha"));
  EXPECT_THAT(Warnings(Drift("statistic: {type: energy, permutations: 999}, criterion: {type: "
                             "p_value, alpha: 0.05, spend: true}")),
              HasSubstr("criterion.spend: from test 6 after a training on"));
}

TEST(SilentCriteria, AreAlarmsTooRareToFindAThresholdFor) {
  EXPECT_THAT(Errors("{type: drift, evaluate: {every: 1s}, of: labels, criterion: auto}"),
              HasSubstr("criterion.alarms_per_month: is never reached"));
  EXPECT_THAT(Warnings(Drift("criterion: {type: auto, alarms_per_month: 0.001}"),
                       {.step = Duration{kMicros}}),
              HasSubstr("criterion.alarms_per_month"));
}

TEST(SilentPolicies, AreThoseWhoseEvidenceSaysNothing) {
  EXPECT_THAT(Errors(Drift("statistic: classifier, reference: {samples: 3}, criterion: {type: "
                           "threshold, at: 0.9}")),
              HasSubstr("statistic: says nothing"));
  EXPECT_THAT(Errors("{type: detector, evaluate: {samples: 100}, detector: {type: eddm, drift: "
                     "0}}"),
              HasSubstr("detector.drift"));
  EXPECT_THAT(Errors("{type: cost, evaluate: {every: 1h}, accepted_delay: 1, of: "
                     "misclassifications, expected_accuracy: 0}"),
              HasSubstr("expected_accuracy"));
  EXPECT_THAT(Errors(Performance("criterion: {type: avoidable_errors, at_least: 5, "
                                 "expected_accuracy: 0}")),
              HasSubstr("criterion.expected_accuracy"));
  EXPECT_THAT(Errors("{type: ensemble, vote: all, of: [{type: never}, {type: amount, samples: "
                     "100}]}"),
              HasSubstr("vote: needs 2 of 2 votes"));
}

TEST(SilentPolicies, AreThoseThatWaitForMoreThanTheDatasetHas) {
  const StreamFacts few = {.num_samples = 200};
  EXPECT_THAT(Warnings("{type: amount, samples: 201}", few),
              HasSubstr("samples: asks for 201 samples, and the dataset has 200"));
  EXPECT_THAT(Warnings("{type: time, every: 1d, first: 300}", few), HasSubstr("first: asks for"));
  EXPECT_THAT(
      Warnings(Drift("criterion: {type: threshold, at: 0.5}, current: {samples: 900}"), few),
      HasSubstr("current.samples: asks for 900"));
  EXPECT_THAT(Warnings("{type: detector, evaluate: {samples: 100}, detector: {type: ddm, warm_up: "
                       "1000}}",
                       few),
              HasSubstr("detector.warm_up"));
  EXPECT_EQ(Warnings("{type: amount, samples: 200}", few), "");
}

TEST(SilentPolicies, AreNotThoseThatCanFire) {
  for (const std::string& trigger :
       {Drift("statistic: ks, criterion: {type: threshold, at: 1}"),
        Drift("statistic: wasserstein, criterion: {type: threshold, at: 40}"),
        Drift("statistic: ks, criterion: {type: p_value, alpha: 1e-8}"),
        Drift("statistic: {type: mmd, permutations: 1000}, criterion: {type: p_value}"),
        Drift("criterion: {type: rolling_average, deviation: 5}"), Drift("criterion: auto"),
        Performance("criterion: {type: rolling_average, deviation: 0.9}"),
        Performance("measure: mean_absolute_error, criterion: {type: rolling_average, deviation: "
                    "2}"),
        Performance("criterion: {type: quantile}"),
        Performance("criterion: {type: avoidable_errors, at_least: 5}"),
        std::string("{type: detector, evaluate: {samples: 100}, detector: eddm}"),
        std::string("{type: ensemble, vote: any, of: [{type: never}, {type: amount, samples: "
                    "100}]}")}) {
    EXPECT_EQ(Errors(trigger), "") << trigger;
  }
}

TEST(FirstTrainings, OfAHandfulOfSamplesAreWarnedOf) {
  EXPECT_THAT(Warnings("{type: amount, samples: 4}"),
              HasSubstr("first: the first model is trained on 4 samples"));
  EXPECT_EQ(Warnings("{type: amount, samples: 4, first: 100}"), "");
  // The second of the month is the last day of its week.
  StreamFacts stream;
  for (int64_t day = 0; day < 40; ++day) stream.times.push_back({day * 86'400 * kMicros});
  EXPECT_THAT(Warnings("{type: time, calendar: week}", stream), HasSubstr("trained on 4 samples"));
  EXPECT_EQ(Warnings("{type: time, calendar: week, first: 100}", stream), "");
  EXPECT_THAT(Warnings("{type: time, every: 2d}", stream), HasSubstr("trained on 2 samples"));
  EXPECT_EQ(Warnings("{type: time, every: 365d}", stream), "");
}

}  // namespace
}  // namespace tidemill::supervisor
