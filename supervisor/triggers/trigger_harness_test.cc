// Checks the promises of policies for every policy.
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/testing/not_tried.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/ranked/log_loss.h"
#include "evaluator/measures/ranked/roc_auc.h"
#include "supervisor/statistics/detectors/adwin.h"
#include "supervisor/statistics/detectors/ddm.h"
#include "supervisor/statistics/detectors/eddm.h"
#include "supervisor/statistics/detectors/page_hinkley.h"
#include "supervisor/trials/drifting_evidence.h"
#include "supervisor/triggers/drift/drift_trigger.h"
#include "supervisor/triggers/errors/budgeted_trigger.h"
#include "supervisor/triggers/errors/cara_trigger.h"
#include "supervisor/triggers/errors/debt_trigger.h"
#include "supervisor/triggers/errors/detector_trigger.h"
#include "supervisor/triggers/errors/forecast_trigger.h"
#include "supervisor/triggers/errors/performance_trigger.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/plain/cost_trigger.h"
#include "supervisor/triggers/plain/ensemble_trigger.h"
#include "supervisor/triggers/plain/manual_trigger.h"
#include "supervisor/triggers/plain/never_trigger.h"
#include "supervisor/triggers/plain/pause_trigger.h"
#include "supervisor/triggers/plain/time_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using testing::Drive;
using ::testing::IsEmpty;
using testing::ManySamples;
using ::testing::Not;
using testing::Stream;
using ::tidemill::testing::IsOk;
using trials::DriftingEvidence;

CostTrigger Cost(DecisionInterval evaluate, double accepted_delay) {
  return {.evaluate = evaluate, .accepted_delay = accepted_delay};
}

EnsembleTrigger Ensemble(std::vector<TriggerSpec> of, VoteRule vote,
                         std::optional<int64_t> at_least = std::nullopt) {
  return {.of = std::move(of), .vote = vote, .at_least = at_least};
}

DriftTrigger Drift(DriftOf of, DecisionInterval evaluate, statistics::DriftStatistic statistic,
                   DriftCriterion criterion) {
  return {.evaluate = evaluate,
          .of = of,
          .columns = of == DriftOf::kColumns ? std::vector<std::string>{"a", "b"}
                                             : std::vector<std::string>{},
          .reference = {.samples = 300},
          .current = {.samples = 200},
          .rows = 80,
          .statistic = std::move(statistic),
          .criterion = criterion};
}

template <typename Trigger>
Trigger WithWarmUp(Trigger trigger, SimpleTrigger simple, int64_t evaluations) {
  trigger.warm_up = WarmUp{.evaluations = evaluations, .trigger = std::move(simple)};
  return trigger;
}

std::vector<TriggerSpec> DriftPolicies() {
  const DecisionInterval hundred = {.samples = 100}, period = {.every = Duration{1100}};
  DriftTrigger by_time =
      Drift(DriftOf::kLabels, period, statistics::BinnedStatistic{}, ThresholdCriterion{.at = .2});
  by_time.reference = {.length = Duration{4000}};
  by_time.current = {.length = Duration{3000}};
  const DriftTrigger mmd = Drift(DriftOf::kEmbeddings, hundred, statistics::MmdStatistic{},
                                 QuantileCriterion{.tail = .1, .history = 5});
  DriftTrigger waits = by_time;
  waits.first = 450;
  const DriftTrigger automatic =
      Drift(DriftOf::kPredictions, hundred, statistics::KsStatistic{},
            AutoCriterion{.alarms_per_month = 2e8, .history = 900, .scores = 30});
  return {mmd,
          by_time,
          automatic,
          WithWarmUp(mmd, AmountTrigger{.samples = 130}, 7),
          WithWarmUp(automatic, TimeTrigger{.every = "2ms"}, 9),
          Drift(DriftOf::kColumns, {.samples = 37}, statistics::EnergyStatistic{},
                RollingAverageCriterion{.deviation = .5}),
          Drift(DriftOf::kColumns, hundred, statistics::WassersteinStatistic{.permutations = 30},
                PValueCriterion{.alpha = .04}),
          Drift(DriftOf::kPredictions, period, statistics::CramerVonMisesStatistic{},
                PValueCriterion{.alpha = .01, .spend = true}),
          Drift(DriftOf::kEmbeddings, period, statistics::ClassifierStatistic{},
                RollingAverageCriterion{.deviation = .02, .relative = false, .history = 3}),
          waits};
}

std::vector<TriggerSpec> PoliciesOfMistakes() {
  const DecisionInterval ninety = {.samples = 90}, period = {.every = Duration{1000}};
  const PerformanceTrigger threshold = {.evaluate = ninety,
                                        .criterion = ThresholdCriterion{.at = .7}};
  const PerformanceTrigger quantile = {.evaluate = period, .criterion = QuantileCriterion{}};
  const PerformanceTrigger avoidable = {
      .evaluate = {.samples = 60},
      .criterion =
          AvoidableErrorsCriterion{.at_least = 40, .forecast = statistics::ForecastMethod::kRidge}};
  return {threshold,
          quantile,
          avoidable,
          WithWarmUp(quantile, TimeTrigger{.every = "1500us"}, 12),
          WithWarmUp(avoidable, AmountTrigger{.samples = 200}, 4),
          PerformanceTrigger{.evaluate = ninety,
                             .measure = MeanAbsoluteErrorMeasure{},
                             .criterion = RollingAverageCriterion{.deviation = .3}},
          PerformanceTrigger{.evaluate = ninety,
                             .measure = evaluator::RocAuc{},
                             .criterion = ThresholdCriterion{.at = .8}},
          PerformanceTrigger{.evaluate = period,
                             .measure = evaluator::F1{},
                             .criterion = QuantileCriterion{.tail = .2}},
          PerformanceTrigger{.evaluate = {.samples = 1},
                             .measure = evaluator::LogLoss{},
                             .criterion = RollingAverageCriterion{.deviation = .9}},
          PerformanceTrigger{.evaluate = {.samples = 1},
                             .criterion =
                                 AvoidableErrorsCriterion{
                                     .at_least = 9, .expected_accuracy = .8, .may_fall = true}},
          DetectorTrigger{.evaluate = ninety, .detector = statistics::AdwinConfig{}},

          DetectorTrigger{.evaluate = period, .detector = statistics::DdmConfig{}},
          DetectorTrigger{.evaluate = {.samples = 7}, .detector = statistics::EddmConfig{}},
          DetectorTrigger{.evaluate = {.samples = 250},
                          .detector = statistics::PageHinkleyConfig{.threshold = 15}},
          PerformanceTrigger{
              .evaluate = ninety, .criterion = ThresholdCriterion{.at = .7}, .first = 700},
          DetectorTrigger{.evaluate = period, .detector = statistics::AdwinConfig{}, .first = 333}};
}

std::vector<TriggerSpec> PoliciesOfPrices() {
  const IntervalErrors ninety = {.evaluate = {.samples = 90}},
                       period = {.evaluate = {.every = Duration{1000}}},
                       waits = {.evaluate = {.samples = 70}, .first = 700};
  return {CaraTrigger{.intervals = ninety, .price = .4},
          CaraTrigger{.intervals = period,
                      .price = .5,
                      .variant = CaraVariant::kThreshold,
                      .tau = .1,
                      .expected = {.expected_error = .1}},
          CaraTrigger{.intervals = waits, .price = .3, .expected = {.trainings = 2}},
          BudgetedTrigger{.intervals = ninety, .budget = .1},
          BudgetedTrigger{.intervals = period, .budget = .5, .price = 1.5, .error_weight = 20},
          BudgetedTrigger{.intervals = waits, .budget = 0},
          DebtTrigger{.intervals = ninety, .price = .4},
          DebtTrigger{.intervals = period, .price = .2, .expected = {.expected_error = .12}},
          DebtTrigger{.intervals = waits, .price = .3, .expected = {.trainings = 3}},
          ForecastTrigger{.intervals = ninety, .price = .4},
          ForecastTrigger{.intervals = period,
                          .price = .2,
                          .horizon = 4,
                          .delta = .1,
                          .memory = 9,
                          .expected = {.expected_error = .1}},
          ForecastTrigger{.intervals = waits, .price = .3, .horizon = 1, .delta = .5}};
}

// Every policy, most of them several times.
std::vector<TriggerSpec> AllPolicies() {
  const TriggerSpec amount = AmountTrigger{.samples = 300};
  const TriggerSpec time = TimeTrigger{.every = "4000us"};
  const TriggerSpec cost = Cost({.every = Duration{700}}, 40);
  const TriggerSpec manual = ManualTrigger{
      .at = {{{900'000}}, {{1'000'500}}, {{1'010'000}}, {{1'010'001}}, {{1'030'000}}}};
  const TriggerSpec majority = Ensemble({amount, time, cost}, VoteRule::kMajority);
  const std::vector<TriggerSpec> drift = DriftPolicies(), mistakes = PoliciesOfMistakes(),
                                 prices = PoliciesOfPrices();
  std::vector<TriggerSpec> policies = {
      AmountTrigger{.samples = 3},
      AmountTrigger{.samples = 700},
      AmountTrigger{.samples = 130, .first = 450},
      TimeTrigger{.every = "100us"},
      TimeTrigger{.every = "1900us", .first = 450},
      TimeTrigger{.every = "7000us"},
      NeverTrigger{},
      NeverTrigger{.first = 777},
      manual,
      PauseTrigger{.length = {30}},
      PauseTrigger{.length = {90}, .samples = 300},
      Cost({.every = Duration{50}}, 1),
      Cost({.every = Duration{500}}, 100),
      Cost({.samples = 13}, 10),
      Ensemble({amount, time}, VoteRule::kAny),
      Ensemble({amount, time}, VoteRule::kAll),
      Ensemble({AmountTrigger{.samples = 1}, TimeTrigger{.every = "20us"}}, VoteRule::kAny),
      majority,
      EnsembleTrigger{.of = {amount, cost}, .vote = VoteRule::kAny, .first = 1000},
      EnsembleTrigger{.of = {drift[0], mistakes[0]}, .vote = VoteRule::kAny, .first = 1000},
      EnsembleTrigger{.of = {TimeTrigger{.every = "20us"}}, .first = 1},
      Ensemble({majority, manual, cost, NeverTrigger{.first = 50}}, VoteRule::kAtLeast, 2),
      Ensemble({drift[1], drift[2], drift[5], drift[7]}, VoteRule::kAny),
      Ensemble({mistakes[1], mistakes[2], mistakes[4], mistakes[7], mistakes[9]},
               VoteRule::kMajority),
      Ensemble({drift[0], mistakes[0], majority, drift[4], mistakes[3], amount}, VoteRule::kAtLeast,
               2),
      Ensemble({prices[0], prices[3], prices[6], prices[9]}, VoteRule::kAtLeast, 2)};
  policies.insert(policies.end(), prices.begin(), prices.end());
  policies.insert(policies.end(), drift.begin(), drift.end());
  policies.insert(policies.end(), mistakes.begin(), mistakes.end());
  return policies;
}

// What the specs of one type have as `member`, over all policies.
template <typename Spec, typename Part>
std::vector<Part> EachOf(Part Spec::*member) {
  std::vector<Part> parts;
  for (const TriggerSpec& policy : AllPolicies()) {
    if (const Spec* const spec = policy.As<Spec>()) parts.push_back(spec->*member);
  }
  return parts;
}

// tests/plugin/trigger_plugin_test.cc holds plug-ins to the same promises.
TEST(Triggers, AreAllTried) {
  EXPECT_THAT(config::testing::NotTried(AllPolicies(), {"plugin"}), IsEmpty());
}

TEST(Triggers, AreTriedWithAllTheirParts) {
  EXPECT_THAT(config::testing::NotTried(EachOf(&DetectorTrigger::detector)), IsEmpty());
  EXPECT_THAT(config::testing::NotTried(EachOf(&DriftTrigger::statistic)), IsEmpty());
  EXPECT_THAT(config::testing::NotTried(EachOf(&DriftTrigger::criterion)), IsEmpty());
  EXPECT_THAT(config::testing::NotTried(EachOf(&PerformanceTrigger::criterion)), IsEmpty());
}

std::string Name(const ::testing::TestParamInfo<TriggerSpec>& tested) {
  const auto type = std::string(tested.param.type());
  return type + std::to_string(tested.index);
}

class EveryPolicy : public ::testing::TestWithParam<TriggerSpec> {
 protected:
  Decider Make(const TriggerSpec& spec, const std::string& sealed = "") {
    return testing::Make(spec, sealed, &source_);
  }
  std::vector<Decision> Decide(const TriggerSpec& spec, const Stream& stream, size_t chunk) {
    return testing::Decide(spec, stream, chunk, &source_);
  }

  const Stream stream_ = ManySamples();
  DriftingEvidence source_{stream_};
  const std::vector<Decision> whole_ = Decide(GetParam(), stream_, stream_.keys.size());
};

INSTANTIATE_TEST_SUITE_P(Triggers, EveryPolicy, ::testing::ValuesIn(AllPolicies()), Name);

TEST_P(EveryPolicy, DecidesTheSameHoweverTheStreamIsCut) {
  for (const size_t chunk : {1, 7, 1000}) EXPECT_EQ(Decide(GetParam(), stream_, chunk), whole_);
}

TEST_P(EveryPolicy, DecidesTheSameWhenItIsKilledAtEachDecision) {
  for (const size_t chunk : {1, 7, 1000}) {
    const auto killed = [&](Decider& decider) { decider = Make(GetParam(), decider.Seal()); };
    EXPECT_EQ(Drive(Make(GetParam()), stream_, 0, chunk, killed), whole_);
  }
}

// Where it died between two decisions the samples behind the last one are shown again.
TEST_P(EveryPolicy, ContinuesFromTheSealedStateOfAnyDecision) {
  std::vector<std::string> sealed;
  Drive(Make(GetParam()), stream_, 0, 1000,
        [&](const Decider& decider) { sealed.push_back(decider.Seal()); });
  ASSERT_EQ(sealed.size(), whole_.size());
  const std::vector<int64_t> places = testing::Places(whole_, stream_);
  for (size_t i = 0; i < sealed.size(); i += 1 + sealed.size() / 20) {
    Decider decider = Make(GetParam(), sealed[i]);
    if (whole_[i].fired) decider.Learn(testing::CostOf(whole_[i]));
    const std::vector<Decision> rest(whole_.begin() + static_cast<ptrdiff_t>(i) + 1, whole_.end());
    EXPECT_EQ(Drive(std::move(decider), stream_, static_cast<size_t>(places[i]), 13), rest);
  }
}

TEST_P(EveryPolicy, SealsNoMoreAndNoLessThanItRestores) {
  Drive(Make(GetParam()), stream_, 0, 7, [&](const Decider& decider) {
    ASSERT_EQ(Make(GetParam(), decider.Seal()).Seal(), decider.Seal());
  });
}

TEST_P(EveryPolicy, FindsARecordedAnswerAgain) {
  for (const Decision& decision : whole_) {
    const Verdict again = GetParam()->Replay(decision.verdict);
    ASSERT_TRUE(AreEqual(again, decision.verdict))
        << again.ShortDebugString() << "\nfor " << decision.verdict.ShortDebugString();
    ASSERT_EQ(again.fired(), decision.fired || decision.cause == v1::DECISION_CAUSE_NOTHING_NEW);
  }
}

TEST_P(EveryPolicy, DecidesAtAscendingCutsAndTrainsOnSomethingEachTime) {
  const std::vector<int64_t> places = testing::Places(whole_, stream_);
  int64_t trained = 0, decided = 0;
  for (size_t i = 0; i < whole_.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(whole_[i - 1].at, whole_[i].at);
    }
    EXPECT_EQ(whole_[i].num_samples, places[i] - decided);
    EXPECT_EQ(whole_[i].num_new, places[i] - trained);
    decided = places[i];
    if (!whole_[i].fired) continue;
    EXPECT_GT(whole_[i].num_new, 0);
    trained = places[i];
  }
}

TEST_P(EveryPolicy, DecidesWithTheClockWhatLaterSamplesWouldDecide) {
  Decider decider = Make(GetParam());
  std::vector<Decision> decisions;
  const auto take = [&](Decision decision) {
    if (decision.fired) decider.Learn(testing::CostOf(decision));
    decisions.push_back(std::move(decision));
  };
  for (size_t i = 0; i < stream_.keys.size(); ++i) {
    while (auto decision = *decider.Advance({stream_.times[i] - 1})) take(*std::move(decision));
    Samples one = stream_.View().From(i).First(1);
    while (auto decision = *decider.Next(one)) take(*std::move(decision));
  }
  EXPECT_EQ(decisions, whole_);
}

TEST_P(EveryPolicy, ExplainsEachAnswerInASentence) {
  for (const Decision& decision : whole_) {
    ASSERT_GT(GetParam()->Explain(decision.verdict).size(), 20);
  }
}

// A request is not an evaluation: what a policy decides later follows from the stream and the
// request.
TEST_P(EveryPolicy, ResumesAfterARequestAndTrainsOnNothingTwice) {
  const auto drive = [&](size_t chunk) {
    Decider decider = Make(GetParam());
    std::vector<Decision> decisions;
    const auto show = [&](Samples samples) {
      while (!samples.empty()) {
        const size_t size = std::min(chunk, samples.size());
        Samples ahead = samples.First(size);
        samples = samples.From(size);
        while (auto decision = *decider.Next(ahead)) decisions.push_back(*std::move(decision));
      }
    };
    show(stream_.View().First(1234));
    if (decider.num_new() > 0) {
      decisions.push_back(decider.Ask(stream_.View().First(1234).End()));
      EXPECT_TRUE(decisions.back().fired);
      EXPECT_EQ(decider.num_new(), 0);
    }
    show(stream_.View().From(1234));
    return decisions;
  };
  EXPECT_EQ(drive(1), drive(1000));
}

// What failed to be trained leaves no model; the policy continues, and trains as at the beginning.
TEST_P(EveryPolicy, ContinuesWithoutAModelWhenItsTrainingsFail) {
  const auto drive = [&](size_t chunk) {
    std::vector<Decision> decisions;
    Decider decider = Make(GetParam());
    for (Samples rest = stream_.View(); !rest.empty();) {
      const size_t size = std::min(chunk, rest.size());
      Samples ahead = rest.First(size);
      rest = rest.From(size);
      while (auto decision = *decider.Next(ahead)) {
        if (decision->fired) decider.NoModel();
        decider = Make(GetParam(), decider.Seal());
        decisions.push_back(*std::move(decision));
      }
    }
    return decisions;
  };
  const auto decisions = drive(1000);
  EXPECT_EQ(drive(7), decisions);
  for (const Decision& decision : decisions) {
    EXPECT_EQ(ValueOf(decision.verdict.observed(), number::kModel), 0);
  }
}

TEST_P(EveryPolicy, SaysHowFarItIsFromItsNextDecision) {
  Decider decider = Make(GetParam());
  Samples some = stream_.View().First(5);
  while (*decider.Next(some)) continue;
  EXPECT_GT(decider.Standing().size(), 10U);
}

TEST_P(EveryPolicy, RefusesTheStateOfAnotherPolicy) {
  EXPECT_THAT(Decider::Create(GetParam(), R"({"samples":1,"new":1,"trained":0,"policy":[]})"),
              Not(IsOk()));
  EXPECT_THAT(Decider::Create(GetParam(), "no state"), Not(IsOk()));
}

}  // namespace
}  // namespace tidemill::supervisor
