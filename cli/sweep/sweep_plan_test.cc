#include "cli/sweep/sweep_plan.h"

#include <random>
#include <set>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

std::vector<std::string> ValuesOf(const Setting& setting) {
  std::vector<std::string> values;
  for (const config::Override& set : setting) values.push_back(set.path + "=" + set.value);
  return values;
}

TEST(SweepPlan, SplitsValuesAtTheirCommas) {
  EXPECT_THAT(SplitValues("1e-3, 1e-2"), IsOkAndHolds(ElementsAre("1e-3", "1e-2")));
  EXPECT_THAT(SplitValues("adam"), IsOkAndHolds(ElementsAre("adam")));
}

TEST(SweepPlan, KeepsListsSectionsAndQuotedTextsWhole) {
  EXPECT_THAT(SplitValues("[32, 32],[64]"), IsOkAndHolds(ElementsAre("[32, 32]", "[64]")));
  EXPECT_THAT(SplitValues("{type: sgd, momentum: 0.9},adam"),
              IsOkAndHolds(ElementsAre("{type: sgd, momentum: 0.9}", "adam")));
  EXPECT_THAT(SplitValues(R"("a,b",'c,d',it's)"),
              IsOkAndHolds(ElementsAre("\"a,b\"", "'c,d'", "it's")));
  EXPECT_THAT(SplitValues(R"("a\",b",["]"])"), IsOkAndHolds(ElementsAre(R"("a\",b")", R"(["]"])")));
}

TEST(SweepPlan, RefusesValuesThatSayNothing) {
  using enum absl::StatusCode;
  EXPECT_THAT(SplitValues("1,,2"), StatusIs(kInvalidArgument, HasSubstr("empty value")));
  EXPECT_THAT(SplitValues("1,"), StatusIs(kInvalidArgument, HasSubstr("empty value")));
  EXPECT_THAT(SplitValues("1,2,1"), StatusIs(kInvalidArgument, HasSubstr("has 1 twice")));
  EXPECT_THAT(SplitValues("[1,2"), StatusIs(kInvalidArgument, HasSubstr("not closed")));
  EXPECT_THAT(SplitValues("'a,b"), StatusIs(kInvalidArgument, HasSubstr("not closed")));
  EXPECT_THAT(AxesOf({"a=1,2", "a=3"}), StatusIs(kInvalidArgument, HasSubstr("given twice")));
}

TEST(SweepPlan, HasEveryChoiceWithTheLastAxisFastestAndTheSeedSlowest) {
  const auto plan = SweepPlan::Make(*AxesOf({"a=1,2", "b=3", "c=4,5"}), {7, 8});
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->num_places(), 8U);
  EXPECT_THAT(ValuesOf(plan->ValuesAt(0)), ElementsAre("a=1", "b=3", "c=4", "training.seed=7"));
  EXPECT_THAT(ValuesOf(plan->ValuesAt(1)), ElementsAre("a=1", "b=3", "c=5", "training.seed=7"));
  EXPECT_THAT(ValuesOf(plan->ValuesAt(7)), ElementsAre("a=2", "b=3", "c=5", "training.seed=8"));
  EXPECT_EQ(plan->SettingAt(7), 3U);
  EXPECT_EQ(plan->PlaceOf(3, 1), 7U);
  EXPECT_EQ(TextOf(*plan, plan->settings()[1]), "a=1 c=5") << "all settings share b";
}

TEST(SweepPlan, LimitsTheNumberOfRuns) {
  using enum absl::StatusCode;
  EXPECT_THAT(SweepPlan::Make(*AxesOf({"a=1"}), {}), StatusIs(kInvalidArgument, HasSubstr("one")));
  EXPECT_THAT(SweepPlan::Make({}, {1, 2}), IsOk());
  SweepAxis long_axis{.key = "a"};
  for (int i = 0; i < 129; ++i) long_axis.values.push_back(std::to_string(i));
  EXPECT_THAT(SweepPlan::Make({long_axis}, {1, 2}),
              StatusIs(kInvalidArgument, HasSubstr("more than 256")));
  EXPECT_THAT(SweepPlan::Make(*AxesOf({"training.seed=1,2"}), {1, 2}),
              StatusIs(kInvalidArgument, HasSubstr("give one")));
}

TEST(SweepPlan, HasEachChoiceOnceWhateverTheAxes) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<SweepAxis> axes;
    size_t expected = 1;
    for (unsigned i = 0; i <= random() % 3; ++i) {
      SweepAxis& axis = axes.emplace_back(SweepAxis{.key = fmt::format("k{}", i)});
      for (unsigned v = 0; v <= random() % 5; ++v) axis.values.push_back(std::to_string(v));
      expected *= axis.values.size();
    }
    std::vector<int64_t> seeds(random() % 3);
    for (size_t i = 0; i < seeds.size(); ++i) seeds[i] = static_cast<int64_t>(i);
    expected *= std::max<size_t>(1, seeds.size());
    const auto plan = SweepPlan::Make(axes, seeds);
    ASSERT_EQ(plan.ok(), expected >= 2 && expected <= kMaxSettings) << expected;
    if (!plan.ok()) continue;
    std::set<std::string> seen;
    for (size_t place = 0; place < plan->num_places(); ++place) {
      seen.insert(fmt::format("{}", fmt::join(ValuesOf(plan->ValuesAt(place)), " ")));
    }
    EXPECT_THAT(seen, SizeIs(expected));
  }
}

}  // namespace
}  // namespace tidemill::cli
