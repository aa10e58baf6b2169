#include "cli/bench/bench_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "nlohmann/json.hpp"

#include "cli/bench/run_figures.h"
#include "cli/bench/suite.h"
#include "cli/bench/sweep.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BenchSuiteTest : public ::testing::Test {
 protected:
  BenchSuiteTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    Write("tabular", "small", R"yaml(version: 1
name: small
domain: tabular
description: Nothing to see.
runs: [{name: a, pipeline: p.yaml, seconds: 10}, {name: b, pipeline: p.yaml, seconds: 20}]
smoke: {run: b, max_triggers: 2}
checks: [{type: value, name: n, run: a, measure: accuracy, at_least: 0.5}]
sweep:
  pipeline: p.yaml
  measure: accuracy
  seconds: 100
  policies:
    - {name: told, trigger: "{type: cara, price: PRICE}"}
    - {name: tuned, trigger: "{type: amount, samples: N}", tune: {N: [10, 20]}}
)yaml");
    std::ofstream(folder_ / "tabular/small/p.yaml") << "name: p\ntraining:\n  seed: 1\n";
  }
  ~BenchSuiteTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& domain, const std::string& name, const std::string& yaml) {
    std::filesystem::create_directories(folder_ / domain / name);
    std::ofstream(folder_ / domain / name / "benchmark.yaml") << yaml;
  }
  void WriteComparison() {
    Write("tabular", "compared", R"yaml(version: 1
name: compared
domain: tabular
description: Nothing to see.
comparisons:
  - name: choices
    pipeline: ../small/p.yaml
    with: {training: "{seed: SEED, choice: CHOICE}", selection: "{fraction: FRACTION}"}
    words: {CHOICE: none, FRACTION: "1"}
    measure: accuracy
    seeds: [42, 43]
    quick_triggers: 4
    variants: [{name: all}]
    rows: [{name: rs2, words: {CHOICE: "{type: rs2, fraction: FRACTION}"}}]
    columns: [{name: 10%, words: {FRACTION: "0.1"}}, {name: 50%, words: {FRACTION: "0.5"}}]
)yaml");
  }
  std::vector<SuiteEntry> Suite() {
    auto suite = ReadSuite(folder_);
    EXPECT_TRUE(suite.ok()) << suite.status();
    return suite.ok() ? *std::move(suite) : std::vector<SuiteEntry>{};
  }

  const std::filesystem::path folder_;
};

std::vector<std::string> Names(const std::vector<BenchCase>& cases) {
  std::vector<std::string> names;
  for (const BenchCase& one : cases) names.push_back(one.name);
  return names;
}

TEST_F(BenchSuiteTest, PlansRunsFirstAndThenSeedAfterSeed) {
  const auto suite = Suite();
  const auto cases = PlanCases(suite, {.num_seeds = 2});
  ASSERT_TRUE(cases.ok());
  EXPECT_THAT(Names(*cases), ElementsAre("runs/a", "runs/b", "sweep/1", "sweep/2"));
  const auto smoke = PlanCases(suite, {.smoke = true});
  ASSERT_TRUE(smoke.ok());
  EXPECT_THAT(Names(*smoke), ElementsAre("smoke/b"));
  EXPECT_EQ(smoke->front().max_triggers, 2);
  EXPECT_EQ(PlanCases(suite, {.policies = {"none"}}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(BenchSuiteTest, LeavesOutFurtherSeedsFirstAndThenPrices) {
  const auto suite = Suite();
  const auto cases = PlanCases(suite, {.num_seeds = 3});
  ASSERT_TRUE(cases.ok());
  BudgetedPlan plan = FitInto(*cases, 240);
  EXPECT_THAT(Names(plan.cases), ElementsAre("runs/a", "runs/b", "sweep/1", "sweep/2"));
  EXPECT_THAT(Names(plan.left_out), ElementsAre("sweep/3"));
  EXPECT_FALSE(plan.fewer_prices);
  plan = FitInto(*cases, 125);
  EXPECT_THAT(Names(plan.cases), ElementsAre("runs/a", "runs/b", "sweep/1"));
  EXPECT_TRUE(plan.fewer_prices);
  EXPECT_THAT(plan.cases.back().prices, ElementsAre(0.001, 0.016, 0.256));
  EXPECT_THAT(FitInto(*cases, std::nullopt).left_out, IsEmpty());
}

TEST_F(BenchSuiteTest, ComparesRowsWithColumnsUnderTheSeedsOfTheComparison) {
  WriteComparison();
  const auto suite = Suite();
  const auto cases = PlanCases(suite, {.num_seeds = 3, .parts = {"choices"}});
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_THAT(Names(*cases),
              ElementsAre("choices/all/42", "choices/rs2 x 10%/42", "choices/rs2 x 50%/42",
                          "choices/all/43", "choices/rs2 x 10%/43", "choices/rs2 x 50%/43"));
  EXPECT_EQ((*cases)[0].with.at("training"), "{seed: SEED, choice: none}");
  EXPECT_EQ((*cases)[2].with.at("training"), "{seed: SEED, choice: {type: rs2, fraction: 0.5}}");
  EXPECT_EQ((*cases)[2].with.at("selection"), "{fraction: 0.5}");
  EXPECT_NE(PipelineOf((*cases)[2])->text.find("{seed: 42, choice: {type: rs2"), std::string::npos);
  // A row stands for all of its variants.
  const auto chosen = PlanCases(suite, {.num_seeds = 1, .policies = {"rs2"}});
  EXPECT_THAT(Names(*chosen), ElementsAre("choices/rs2 x 10%/42", "choices/rs2 x 50%/42"));
}

TEST_F(BenchSuiteTest, ATrialHasOneSeedTheFirstColumnAndFewTriggers) {
  WriteComparison();
  const auto suite = Suite();
  const auto cases = PlanCases(suite, {.num_seeds = 3, .quick = true});
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_THAT(Names(*cases), ElementsAre("choices/all/42", "choices/rs2 x 10%/42"));
  EXPECT_EQ((*cases)[0].max_triggers, 4);
}

TEST_F(BenchSuiteTest, ADigestSaysWhatIsMeasured) {
  const auto suite = Suite();
  const auto cases = PlanCases(suite, {});
  ASSERT_TRUE(cases.ok());
  const auto of = [&](size_t i) { return *DigestOf((*cases)[i]); };
  EXPECT_EQ(of(2), of(2));
  EXPECT_NE(of(2), of(3));  // Another seed.
  BenchCase fewer = (*cases)[2];
  fewer.prices.pop_back();
  EXPECT_NE(*DigestOf(fewer), of(2));
  BenchCase other = (*cases)[0];
  other.with["trigger"] = "never";
  EXPECT_NE(*DigestOf(other), of(0));
}

TEST_F(BenchSuiteTest, AsksEachPolicyAtEachPriceAndWithEachSetting) {
  const auto suite = Suite();
  const auto candidates = CandidatesOf(*suite.front().spec.sweep, {0.5, 2});
  ASSERT_EQ(candidates.size(), 4);
  EXPECT_EQ(candidates[0].trigger, "{type: cara, price: 0.5}");
  EXPECT_EQ(candidates[1].price, 2);
  EXPECT_EQ(candidates[3].trigger, "{type: amount, samples: 20}");
  EXPECT_EQ(candidates[3].setting, "N=20");
  EXPECT_FALSE(candidates[3].price);
}

TEST_F(BenchSuiteTest, RefusesADamagedResultOfASweep) {
  const auto suite = Suite();
  nlohmann::ordered_json result = {{"figures", FiguresToJson({})}, {"policies", 7}};
  EXPECT_EQ(SweepSeedOf({}, *suite.front().spec.sweep).status().code(),
            absl::StatusCode::kInvalidArgument);
  RunFigures figures;
  figures.models = {{.at = {0}, .number = 1}};
  results::Row& row = figures.table.emplace_back();
  row.set_dataset_name("d");
  row.mutable_to()->set_event_time(1);
  row.set_measure("accuracy");
  row.set_value(0.5);
  row.set_num_samples(1);
  row.set_trigger(1);
  result["figures"] = FiguresToJson(figures);
  EXPECT_EQ(SweepSeedOf(result, *suite.front().spec.sweep).status().code(),
            absl::StatusCode::kInvalidArgument);
  result["policies"] = {{{"policy", "p"}, {"price", "high"}, {"setting", ""}, {"triggers", {}}}};
  EXPECT_EQ(SweepSeedOf(result, *suite.front().spec.sweep).status().code(),
            absl::StatusCode::kInvalidArgument);
  result["policies"] = nlohmann::ordered_json::array();
  EXPECT_TRUE(SweepSeedOf(result, *suite.front().spec.sweep).ok());
}

TEST_F(BenchSuiteTest, NamesEveryMistakeOfAnEntryAtItsLine) {
  Write("tabular", "broken", R"yaml(version: 1
name: broken
domain: tabul
description: Wrong.
runs: [{name: a, pipeline: p.yaml}]
checks: [{type: value, name: n, run: other, measure: accuracy, at_least: 0.5}]
)yaml");
  const auto suite = ReadSuite(folder_);
  const std::string message(suite.status().message());
  EXPECT_THAT(message, HasSubstr("benchmark.yaml:3:9: error: domain: 'tabul' is not a domain"));
  EXPECT_THAT(message, HasSubstr("no run is called 'other'"));
}

TEST_F(BenchSuiteTest, ChoosesEntriesByNameOrDomain) {
  const auto suite = Suite();
  EXPECT_EQ(ChooseEntries(suite, {"tabular"})->size(), 1);
  EXPECT_EQ(ChooseEntries(suite, {"small"})->size(), 1);
  EXPECT_THAT(std::string(ChooseEntries(suite, {"smal"}).status().message()),
              HasSubstr("the suite has no 'smal'; it has small"));
  EXPECT_EQ(ReadSuite("/nowhere").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tidemill::cli
