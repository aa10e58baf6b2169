#include "supervisor/triggers/errors/detector_trigger.h"

#include <cmath>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/detectors/adwin.h"
#include "supervisor/statistics/detectors/ddm.h"
#include "supervisor/statistics/detectors/eddm.h"
#include "supervisor/statistics/detectors/page_hinkley.h"
#include "supervisor/trials/drifting_evidence.h"
#include "supervisor/triggers/drift/drift_trigger.h"
#include "supervisor/triggers/errors/performance_trigger.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"
#include "supervisor/triggers/testing/scripted_errors.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using testing::ScriptedErrors;
using testing::SteadySamples;
using trials::DriftingEvidence;

// A thousand zeros, then ones, after the hundred samples of the first training.
std::optional<double> Step(int64_t number) { return number < 1100 ? 0 : 1; }

struct Detection {
  statistics::DetectorSpec detector;
  int64_t index;  // Where it signals drift on a thousand zeros followed by ones.
};

TEST(DetectorTrigger, FiresAtTheFirstEvaluationAfterTheSignal) {
  for (const auto& [detector, index] :
       {Detection{statistics::AdwinConfig{}, 1023}, Detection{statistics::DdmConfig{}, 1000},
        Detection{statistics::EddmConfig{}, 1030},
        Detection{statistics::PageHinkleyConfig{}, 1051}}) {
    ScriptedErrors source(&Step);
    const DetectorTrigger spec = {.evaluate = {.samples = 100}, .detector = detector};
    const auto decisions = testing::Decide(spec, SteadySamples(1400), 7, &source);
    const auto first = std::find_if(decisions.begin() + 1, decisions.end(),
                                    [](const Decision& decision) { return decision.fired; });
    ASSERT_NE(first, decisions.end());
    EXPECT_EQ(first->verdict.observed().at("first_drift"), index + 1);
    EXPECT_EQ(first - decisions.begin(), (100 + index) / 100);
  }
}

TEST(DetectorTrigger, BeginsAnewAfterEachTraining) {
  // Wrong from 600 on: once trained on, all errors are usual again.
  ScriptedErrors source([](int64_t number) { return number < 600 ? 0 : 1; });
  const DetectorTrigger spec = {.evaluate = {.samples = 100},
                                .detector = statistics::AdwinConfig{}};
  const auto decisions = testing::Decide(spec, SteadySamples(3000), 100, &source);
  for (size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].fired, i == 0 || i == 6) << i;
  }
  EXPECT_THAT(Explain(spec, decisions[6].verdict), HasSubstr("adwin signalled drift at sample"));
  EXPECT_THAT(Explain(spec, decisions[7].verdict), HasSubstr("adwin signalled nothing"));
}

// Policies that look for drift, each on its own ground.
std::vector<std::pair<const char*, TriggerSpec>> Finders() {
  const auto drift = [](DriftOf of, statistics::DriftStatistic statistic,
                        DriftCriterion criterion) {
    return DriftTrigger{.evaluate = {.samples = 100},
                        .of = of,
                        .columns = of == DriftOf::kColumns ? std::vector<std::string>{"a"}
                                                           : std::vector<std::string>{},
                        .reference = {.samples = 300},
                        .current = {.samples = 200},
                        .statistic = std::move(statistic),
                        .criterion = criterion,
                        .warm_up = std::nullopt};
  };
  const WarmUp warm_up = {.evaluations = 10, .trigger = AmountTrigger{.samples = 500}};
  DriftTrigger quantile = drift(DriftOf::kEmbeddings, statistics::MmdStatistic{},
                                QuantileCriterion{.tail = .01, .history = 30});
  quantile.warm_up = warm_up;
  DriftTrigger rolling = drift(DriftOf::kPredictions, statistics::WassersteinStatistic{},
                               RollingAverageCriterion{.deviation = 2, .history = 30});
  rolling.warm_up = warm_up;
  const auto performance = [](PerformanceCriterion criterion) {
    return PerformanceTrigger{.evaluate = {.samples = 100}, .criterion = criterion};
  };
  const auto detector = [](statistics::DetectorSpec spec) {
    return DetectorTrigger{.evaluate = {.samples = 100}, .detector = std::move(spec)};
  };
  return {
      {"mmd, quantile", quantile},
      {"wasserstein, rolling average", rolling},
      {"ks, threshold",
       drift(DriftOf::kColumns, statistics::KsStatistic{}, ThresholdCriterion{.at = .25})},
      {"cvm, p-value", drift(DriftOf::kColumns, statistics::CramerVonMisesStatistic{},
                             PValueCriterion{.alpha = .001})},
      {"energy, p-value",
       drift(DriftOf::kColumns, statistics::EnergyStatistic{.permutations = 1000},
             PValueCriterion{.alpha = .002, .spend = false})},
      {"binned labels, threshold",
       drift(DriftOf::kLabels, statistics::BinnedStatistic{}, ThresholdCriterion{.at = .15})},
      {"classifier, threshold", drift(DriftOf::kEmbeddings, statistics::ClassifierStatistic{},
                                      ThresholdCriterion{.at = .7})},
      {"ks, auto", drift(DriftOf::kEmbeddings, statistics::KsStatistic{},
                         AutoCriterion{.alarms_per_month = 100, .history = 1000, .scores = 300})},
      {"accuracy, threshold", performance(ThresholdCriterion{.at = .7})},
      {"accuracy, avoidable errors",
       performance(AvoidableErrorsCriterion{.at_least = 40, .expected_accuracy = .88})},
      {"adwin", detector(statistics::AdwinConfig{})},
      {"ddm", detector(statistics::DdmConfig{})},
      {"page-hinkley", detector(statistics::PageHinkleyConfig{.threshold = 15})}};
}

TEST(EveryDriftPolicy, FindsAnAbruptChange) {
  const testing::Stream stream = SteadySamples(4000);
  for (const auto& [name, spec] : Finders()) {
    DriftingEvidence source(stream, [](int64_t number) { return number >= 2500; });
    const auto decisions = testing::Decide(spec, stream, 1000, &source);
    const std::vector<int64_t> places = testing::Places(decisions, stream);
    int64_t found = -1, alarms = 0;
    for (size_t i = 0; i < decisions.size(); ++i) {
      if (!decisions[i].fired) continue;
      if (places[i] > 2500 && found < 0) found = places[i];
      // By 1500 all have been trained and know what is usual.
      if (places[i] > 1500 && places[i] <= 2500) ++alarms;
    }
    EXPECT_GT(found, 0) << name;
    EXPECT_LE(found, 2800) << name;
    EXPECT_LE(alarms, 2) << name;
  }
}

}  // namespace
}  // namespace tidemill::supervisor
