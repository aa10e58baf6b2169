#include "supervisor/triggers/errors/performance_trigger.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/classes/top_k.h"
#include "evaluator/measures/numbers/error_measures.h"
#include "evaluator/measures/ranked/roc_auc.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/testing/scripted_errors.h"

namespace tidemill::supervisor {
namespace {

using statistics::ForecastMethod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedErrors;
using testing::SteadySamples;

std::vector<Decision> Decide(const PerformanceTrigger& spec, int64_t num_samples,
                             ScriptedErrors::ErrorOf error_of) {
  ScriptedErrors source(std::move(error_of));
  return testing::Decide(spec, SteadySamples(num_samples), 100, &source);
}

std::vector<int64_t> Fired(const std::vector<Decision>& decisions) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (decisions[i].fired) numbers.push_back(static_cast<int64_t>(i));
  }
  return numbers;
}

// One in `n` is wrong.
ScriptedErrors::ErrorOf OneIn(int64_t n) {
  return [n](int64_t number) { return number % n == 0 ? 1 : 0; };
}

PerformanceTrigger Of(PerformanceCriterion criterion, int64_t every = 100) {
  return {.evaluate = {.samples = every}, .criterion = criterion};
}

TEST(PerformanceTrigger, FiresWhenTheAccuracyHasFallenToTheThreshold) {
  const PerformanceTrigger spec = Of(ThresholdCriterion{.at = .8});
  const auto decisions = Decide(
      spec, 1000, [](int64_t number) { return number % 10 < (number < 500 ? 1 : 2) ? 1 : 0; });
  EXPECT_THAT(Fired(decisions), ElementsAre(0, 5, 6, 7, 8, 9));
  EXPECT_EQ(Explain(spec, decisions[0].verdict), "100 samples had come and there was no model");
  EXPECT_EQ(Explain(spec, decisions[1].verdict),
            "of 100 samples the model got 10 wrong, an accuracy of 0.9; `at` is 0.8");
  EXPECT_EQ(decisions[1].verdict.nearest().ShortDebugString(),
            ChangeOf("criterion.at", .8, .9).ShortDebugString());
  EXPECT_EQ(decisions[1].verdict.comparison().ShortDebugString(),
            Compared("accuracy", .9, .8, "").ShortDebugString());
}

TEST(PerformanceTrigger, FiresWhenTheErrorHasRisen) {
  PerformanceTrigger spec = Of(RollingAverageCriterion{.deviation = .5, .history = 3});
  spec.measure = MeanAbsoluteErrorMeasure{};
  const auto decisions = Decide(spec, 800, [](int64_t number) { return number < 500 ? 2.0 : 3.5; });
  // The first score has none before it; 3.5 is beyond 1.5 times 2 once.
  EXPECT_THAT(Fired(decisions), ElementsAre(0, 1, 5));
}

// Answers with a label and two probabilities: samples of even numbers are of class 0, and those of
// class 1 get the higher probability of it until sample 500. From 700 on there is only class 0.
class RankedOutcomes final : public EvidenceSource {
 public:
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    EXPECT_EQ(request.kind, EvidenceKind::kOutcomes);
    EvidenceTable table = {.width = 3};
    for (int64_t second = request.from->event_time.micros / 1'000'000 + 1;
         second <= request.to.event_time.micros / 1'000'000; ++second) {
      const double label = second % 2 == 0 || second >= 700 ? 0 : 1;
      const double of_one = second < 500 ? .2 + .4 * label : .2 + .01 * (second % 4 < 2 ? 1 : 0);
      table.values.insert(table.values.end(), {label, 1 - of_one, of_one});
      ++table.num_rows;
    }
    return table;
  }
};

TEST(PerformanceTrigger, JudgesByAnyMeasureOfPredictionsAndLabels) {
  PerformanceTrigger spec = Of(ThresholdCriterion{.at = .6});
  spec.measure = evaluator::RocAuc{};
  RankedOutcomes source;
  const auto decisions = testing::Decide(spec, SteadySamples(900), 100, &source);
  // From 500 on labels and probabilities have nothing to do with each other.
  EXPECT_THAT(Fired(decisions), ElementsAre(0, 5, 6));
  EXPECT_EQ(decisions[1].verdict.observed().at("score"), 1);
  EXPECT_NEAR(decisions[5].verdict.observed().at("score"), .5, 1e-12);
  EXPECT_EQ(Explain(spec, decisions[1].verdict), "the roc_auc of 100 samples was 1; `at` is 0.6");
  EXPECT_EQ(Explain(spec, decisions[8].verdict),
            "roc_auc is undefined on the 100 samples since the last evaluation");
}

TEST(PerformanceTrigger, RefusesAMeasureThatDoesNotFitTheLabels) {
  const auto problems_of = [](const PerformanceMeasure& measure, transform::LabelKind label) {
    PerformanceTrigger spec = Of(ThresholdCriterion{.at = .6});
    spec.measure = measure;
    config::Problems problems;
    TriggerSpec(spec)->CheckSamples(
        {.dataset = "air", .schema = {.label = label, .num_classes = 3}}, problems);
    return problems.ToString();
  };
  using transform::LabelKind;
  EXPECT_EQ(problems_of(evaluator::F1{}, LabelKind::kClass), "");
  EXPECT_EQ(problems_of(evaluator::RSquared{}, LabelKind::kReal), "");
  EXPECT_THAT(problems_of(evaluator::RSquared{}, LabelKind::kClass), HasSubstr("compares numbers"));
  EXPECT_THAT(problems_of(evaluator::F1{}, LabelKind::kReal), HasSubstr("is a real number"));
  EXPECT_THAT(problems_of(evaluator::TopK{.k = 5}, LabelKind::kClass), HasSubstr("k is 5"));
}

TEST(PerformanceTrigger, AnswersNoWhereNoSampleCouldBeLookedAt) {
  const PerformanceTrigger spec = Of(ThresholdCriterion{.at = 1});
  const auto decisions = Decide(spec, 300, [](int64_t) { return std::nullopt; });
  EXPECT_THAT(Fired(decisions), ElementsAre(0));
  EXPECT_EQ(Explain(spec, decisions[1].verdict),
            "no sample since the last evaluation could be looked at");
}

// 50 of 200 samples are wrong, and 20 were expected.
TEST(PerformanceTrigger, CountsMistakesThatANewModelWouldNotMake) {
  const PerformanceTrigger spec =
      Of(AvoidableErrorsCriterion{.at_least = 90, .expected_accuracy = .9}, 200);
  const auto decisions = Decide(spec, 1600, OneIn(4));
  EXPECT_EQ(decisions[1].verdict.observed().at("avoidable"), 30);
  EXPECT_EQ(decisions[2].verdict.observed().at("avoidable"), 60);
  // After ceil(90 / 30) intervals, and as many again, for a training sets the count back.
  EXPECT_THAT(Fired(decisions), ElementsAre(0, 3, 6));
  EXPECT_EQ(decisions[2].verdict.nearest().ShortDebugString(),
            ChangeOf("criterion.at_least", 90, 60).ShortDebugString());
}

TEST(PerformanceTrigger, LetsTheCountFallOnlyWhereItIsToldTo) {
  // 40 avoidable ones, then intervals ten better than expected.
  const auto errors = [](int64_t number) { return number % 100 < (number < 200 ? 50 : 0) ? 1 : 0; };
  for (const bool may_fall : {false, true}) {
    const auto decisions =
        Decide(Of(AvoidableErrorsCriterion{
                   .at_least = 1000, .expected_accuracy = .9, .may_fall = may_fall}),
               400, errors);
    EXPECT_EQ(decisions[1].verdict.observed().at("avoidable"), 40);
    EXPECT_EQ(decisions[3].verdict.observed().at("avoidable"), may_fall ? 20 : 40);
  }
}

// Accuracies of .9, .88, .86, .84, .82: the ridge line comes to .8028571429 next, their mean is
// .86.
TEST(PerformanceTrigger, LooksOneIntervalAhead) {
  const auto falling = [](int64_t number) {
    const int64_t interval = number / 100 - 1;
    return number % 100 < 10 + 2 * interval ? 1 : 0;
  };
  for (const auto& [method, accuracy] : {std::pair(ForecastMethod::kRidge, .8028571429),
                                         std::pair(ForecastMethod::kRollingAverage, .86)}) {
    const PerformanceTrigger spec =
        Of(AvoidableErrorsCriterion{.at_least = 1000, .expected_accuracy = .9, .forecast = method});
    const auto decisions = Decide(spec, 600, falling);
    const Observed& seen = decisions[5].verdict.observed();
    EXPECT_NEAR(seen.at("forecast_accuracy"), accuracy, 1e-9);
    EXPECT_EQ(seen.at("avoidable"), 2 + 4 + 6 + 8);
    EXPECT_NEAR(seen.at("avoidable_ahead"), 20 + (.9 - accuracy) * 100, 1e-7);
    // What is to come turns the answer.
    PerformanceTrigger nearly = spec;
    std::get<AvoidableErrorsCriterion>(nearly.criterion).at_least = 24;
    EXPECT_TRUE(Judge(nearly, seen).fired());
    std::get<AvoidableErrorsCriterion>(nearly.criterion).forecast.reset();
    Observed without = seen;
    without.erase(std::string("avoidable_ahead"));
    EXPECT_FALSE(Judge(nearly, without).fired());
    EXPECT_THAT(Explain(spec, decisions[5].verdict), HasSubstr("after the next interval"));
  }
}

// What a new model achieves is seen where no model has been trained: on the first interval after
// each training.
TEST(PerformanceTrigger, ExpectsOfAModelWhatNewOnesAchieved) {
  // Right after a training one in ten is wrong, then three. Trainings come at 100, and whenever 40
  // more than expected are wrong: at 400, 700 ...
  const auto errors = [](int64_t number) {
    return number % 10 < (number / 100 % 3 == 1 ? 1 : 3) ? 1 : 0;
  };
  const auto decisions = Decide(Of(AvoidableErrorsCriterion{.at_least = 40}), 1000, errors);
  EXPECT_THAT(Fired(decisions), ElementsAre(0, 3, 6, 9));
  for (size_t i = 1; i < decisions.size(); ++i) {
    EXPECT_NEAR(decisions[i].verdict.observed().at("expected_accuracy"), .9, 1e-12);
  }
  // The models become worse, and what is expected of them follows, of the last two.
  const auto worse = [](int64_t number) { return number % 100 < number / 100 * 5 ? 1 : 0; };
  const auto followed =
      Decide(Of(AvoidableErrorsCriterion{.at_least = 5, .trainings = 2}), 1000, worse);
  EXPECT_NEAR(followed[1].verdict.observed().at("expected_accuracy"), .95, 1e-12);
  EXPECT_FALSE(followed[1].fired);
  EXPECT_TRUE(followed[2].fired);
  EXPECT_NEAR(followed[3].verdict.observed().at("expected_accuracy"), (.95 + .85) / 2, 1e-12);
  EXPECT_TRUE(followed[3].fired);
  EXPECT_NEAR(followed[4].verdict.observed().at("expected_accuracy"), (.85 + .8) / 2, 1e-12);
}

TEST(PerformanceTrigger, FillsItsHistoryWhileASimplePolicyDecides) {
  PerformanceTrigger spec = Of(QuantileCriterion{.tail = .1, .history = 50}, 50);
  spec.warm_up = WarmUp{.evaluations = 10, .trigger = AmountTrigger{.samples = 120}};
  const auto decisions = Decide(spec, 1000, [](int64_t number) {
    return (number * 7919) % 100 < (number < 800 ? 10 + number % 7 : 40) ? 1 : 0;
  });
  const auto first = std::find_if(decisions.begin(), decisions.end(), [](const Decision& decision) {
    return !decision.verdict.observed().contains("warm_up");
  });
  ASSERT_NE(first, decisions.end());
  // The first two evaluations had no model to look at.
  EXPECT_EQ(first->verdict.observed().at("scores"), 8);
  for (auto it = decisions.begin(); it != first; ++it) {
    EXPECT_EQ(it->fired, it->verdict.observed().contains("warm_up.decided"));
  }
}

// Keeps what was asked for.
class RecordingErrors final : public ScriptedErrors {
 public:
  using ScriptedErrors::ScriptedErrors;
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    conditions.push_back(request.where);
    return ScriptedErrors::Read(request);
  }
  std::vector<std::string> conditions;
};

TEST(PerformanceTrigger, AsksForTheSamplesThatItsConditionNames) {
  PerformanceTrigger spec = Of(ThresholdCriterion{.at = .8});
  spec.where = "carrier = 'UA'";
  RecordingErrors source(OneIn(10));
  testing::Decide(spec, SteadySamples(500), 100, &source);
  EXPECT_GE(source.conditions.size(), 3U);
  EXPECT_THAT(source.conditions, ::testing::Each("carrier = 'UA'"));
  const auto problems_of = [&](const std::string& where) {
    spec.where = where;
    config::Problems problems;
    TriggerSpec(spec)->CheckSamples(
        {.dataset = "flights",
         .schema = {.columns = std::vector<std::string>{"carrier", "delay"},
                    .label = transform::LabelKind::kClass,
                    .num_classes = 2}},
        problems);
    return problems.ToString();
  };
  EXPECT_EQ(problems_of("carrier = 'UA' and @label = 'late'"), "");
  EXPECT_THAT(problems_of("delays > 1"), ::testing::HasSubstr("did you mean 'delay'?"));
  EXPECT_THAT(problems_of("delay + 1"), ::testing::HasSubstr("a boolean is needed"));
}

}  // namespace
}  // namespace tidemill::supervisor
