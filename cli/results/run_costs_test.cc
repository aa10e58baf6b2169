#include "cli/results/run_costs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rpc/usage/usage_message.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::RunCosts;
using ::testing::HasSubstr;
using ::testing::Not;
using usage::Amounts;

void Add(const char* stage, int64_t trigger, const Amounts& used, RunCosts& costs) {
  auto& row = *costs.add_stages();
  row.set_stage(stage);
  row.set_trigger(trigger);
  *row.mutable_usage() = rpc::ToMessage(used);
}

RunCosts SomeCosts() {
  RunCosts costs;
  Add("sync", 0, {.service_nanos = 250'000'000}, costs);
  Add("train", 1, {.job_nanos = 3'000'000'000, .service_nanos = 500'000'000, .bytes_read = 4'200},
      costs);
  Add("train", 2, {.job_nanos = 7'000'000'000, .bytes_read = 800}, costs);
  Add("evaluate", 0, {.job_nanos = 1'000'000'000}, costs);
  return costs;
}

TEST(RunCosts, AreATableWhoseRowsAddUp) {
  EXPECT_EQ(DescribeCosts(SomeCosts(), View()),
            "COST OF   PROCESSOR  JOBS     SERVICES  READ\n"
            "sync      0.25 s     0.00 s   0.25 s    0 B\n"
            "train     10.50 s    10.00 s  0.50 s    5.0 kB\n"
            "evaluate  1.00 s     1.00 s   0.00 s    0 B\n"
            "all       11.75 s    11.00 s  0.75 s    5.0 kB\n");
}

TEST(RunCosts, AreShownByTriggerInFull) {
  const std::string text = DescribeCosts(SomeCosts(), View{.full = true});
  EXPECT_THAT(text, HasSubstr("none             1.25 s"));
  EXPECT_THAT(text, HasSubstr("1                3.50 s"));
  EXPECT_THAT(text, HasSubstr("2                7.00 s"));
}

TEST(RunCosts, OfAnOldRunAreNotShown) { EXPECT_EQ(DescribeCosts(RunCosts(), View()), ""); }

TEST(RunCosts, AreMoneyWhereThereArePrices) {
  RunCosts costs = SomeCosts();
  EXPECT_THAT(DescribeCosts(costs, View()), Not(HasSubstr("EUR")));
  costs.mutable_prices()->set_currency("EUR");
  costs.mutable_prices()->set_processor_hour(3600);
  EXPECT_THAT(DescribeCosts(costs, View()), HasSubstr("11.75\n")) << "a second for one";
  EXPECT_EQ(CostsInShort(costs), "11.8 s on processors, 11.75 EUR");
}

TEST(RunCosts, SayWhatTheMoneyLeavesOut) {
  RunCosts costs = SomeCosts();
  costs.mutable_prices()->set_currency("EUR");
  costs.mutable_prices()->set_gigabyte_stored_month(0.5);
  Add("train", 3, {.device_nanos = {{"h100", 1}}, .bytes_stored = 2'000'000'000}, costs);
  const std::string text = DescribeCosts(costs, View());
  EXPECT_THAT(text, HasSubstr("what it stores costs 1.00 EUR for each month that it is kept"));
  EXPECT_THAT(text, HasSubstr("no price is known for h100"));
}

TEST(RunCosts, AddUpInJsonToTheLastNanosecond) {
  const auto json = CostsToJson(SomeCosts());
  EXPECT_EQ(json.at("total").at("processor_seconds"), 11.75);
  EXPECT_EQ(json.at("stages").at("train").at("job_seconds"), 10.0);
  EXPECT_EQ(json.at("stages").at("train").at("bytes_read"), 5000);
  EXPECT_EQ(json.at("rows").size(), 4u);
  EXPECT_FALSE(json.contains("prices"));
  EXPECT_FALSE(json.at("total").contains("money"));
}

}  // namespace
}  // namespace tidemill::cli
