#include "supervisor/triggers/drift/drift_columns.h"

#include <algorithm>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "supervisor/testing/event_times.h"
#include "supervisor/triggers/drift/drift_trigger.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using testing::EverySecond;
using ::testing::HasSubstr;
using testing::kSecond;

// Uniform numbers in five columns, of which the first `num_drifting` are moved by 0.4 from sample
// 1000 on.
class DriftingColumns final : public EvidenceSource {
 public:
  explicit DriftingColumns(int64_t num_drifting) : num_drifting_(num_drifting) {}

  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    const int64_t to = request.to.event_time.micros / kSecond + 1;
    EvidenceTable table = {.num_rows = std::min(request.newest, to), .width = 5};
    for (int64_t number = to - table.num_rows; number < to; ++number) {
      for (int64_t column = 0; column < table.width; ++column) {
        const double moved = number >= 1000 && column < num_drifting_ ? .4 : 0;
        table.values.push_back(moved + RandomUnit({.purpose = "columns", .epoch = column}, number));
      }
    }
    return table;
  }

 private:
  const int64_t num_drifting_;
};

DriftTrigger OfFiveColumns(DriftCriterion criterion, std::optional<double> share) {
  return {.evaluate = {.samples = 200},
          .of = DriftOf::kColumns,
          .columns = {"a", "b", "c", "d", "e"},
          .reference = {.samples = 300},
          .current = {.samples = 200},
          .drifted_share = share,
          .statistic = statistics::KsStatistic{},
          .criterion = criterion};
}

TEST(DriftTrigger, FiresWhenAShareOfTheColumnsHasDrifted) {
  // The third of five is needed for 0.41.
  struct Case {
    int64_t num_drifting;
    std::optional<double> share;
    bool fires;
  };
  for (const DriftCriterion& criterion :
       {DriftCriterion(ThresholdCriterion{.at = .25}),
        DriftCriterion(PValueCriterion{.alpha = .001}),
        DriftCriterion(RollingAverageCriterion{.deviation = 1.5})}) {
    for (const Case& tried :
         {Case{1, std::nullopt, true}, Case{1, .2, true}, Case{1, .4, false}, Case{2, .4, true},
          Case{2, .41, false}, Case{4, 1, false}, Case{5, 1, true}}) {
      DriftTrigger spec = OfFiveColumns(criterion, tried.share);
      spec.warm_up =
          WarmUp{.evaluations = 4, .trigger = AmountTrigger{.samples = 100'000, .first = 200}};
      DriftingColumns source(tried.num_drifting);
      const auto decisions = testing::Decide(spec, EverySecond(1200), 100, &source);
      ASSERT_GE(decisions.size(), 6U);
      EXPECT_EQ(decisions.back().fired, tried.fires)
          << criterion.index() << ", " << tried.num_drifting << " of " << tried.share.value_or(0)
          << ": " << Explain(spec, decisions.back().verdict);
      EXPECT_FALSE(decisions[decisions.size() - 2].fired);
    }
  }
}

TEST(DriftTrigger, SaysHowManyColumnsHadToDrift) {
  const DriftTrigger spec = OfFiveColumns(ThresholdCriterion{.at = .25}, .4);
  DriftingColumns source(2);
  const auto decisions = testing::Decide(spec, EverySecond(1200), 100, &source);
  EXPECT_THAT(Explain(spec, decisions.back().verdict),
              HasSubstr("or more in 2 of 5 columns, the last of them `"));
}

TEST(DriftTrigger, RefusesAShareOfWhatHasNoColumns) {
  const auto problems_of = [](const DriftTrigger& spec) {
    config::Problems problems;
    spec.Check(problems);
    return problems.ToString();
  };
  const auto with = [](DriftCriterion criterion, statistics::DriftStatistic statistic) {
    DriftTrigger spec = OfFiveColumns(criterion, .5);
    spec.statistic = std::move(statistic);
    return spec;
  };
  const ThresholdCriterion threshold = {.at = .2};
  EXPECT_EQ(problems_of(with(threshold, statistics::EnergyStatistic{})), "");
  EXPECT_THAT(problems_of(with(threshold, statistics::MmdStatistic{})), HasSubstr("whole rows"));
  EXPECT_THAT(problems_of(with(AutoCriterion{}, statistics::KsStatistic{})), HasSubstr("exclude"));
  EXPECT_THAT(
      problems_of(with(PValueCriterion{}, statistics::EnergyStatistic{.permutations = 100})),
      HasSubstr("one for all"));
  DriftTrigger of_labels = with(threshold, statistics::KsStatistic{});
  of_labels.of = DriftOf::kLabels;
  of_labels.columns.clear();
  EXPECT_THAT(problems_of(of_labels), HasSubstr("is of columns"));
}

}  // namespace
}  // namespace tidemill::supervisor
