#include "cli/run_directory/backtest_report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace v1 = supervisor::v1;

v1::BacktestResult Result(const std::string& name, int num_triggers) {
  v1::BacktestResult result;
  result.set_name(name);
  result.set_policy("type: amount\nsamples: 10\n");
  result.set_num_triggers(num_triggers);
  result.set_num_decisions(num_triggers);
  result.set_num_selected(10 * num_triggers);
  result.set_num_leftover(7);
  result.set_mean_latency_seconds(4.5);
  result.set_longest_latency_seconds(9);
  for (int i = 0; i < num_triggers; ++i) {
    auto& trigger = *result.add_triggers();
    trigger.mutable_at()->set_event_time(int64_t{10'000'000} * (i + 1));
    trigger.mutable_at()->set_sample_key(i + 1);
    trigger.set_num_new(10);
    trigger.set_num_selected(10);
  }
  return result;
}

// Two policies, without trainings and models to judge them by.
BacktestFinal Bare() {
  BacktestFinal final;
  final.set_num_samples(107);
  final.set_first_time(0);
  final.set_last_time(106'000'000);
  *final.add_results() = Result("often", 10);
  *final.add_results() = Result("seldom", 2);
  return final;
}

BacktestFinal Judged() {
  BacktestFinal final = Bare();
  final.set_num_trainings(3);
  final.set_base_seconds(2);
  final.set_seconds_per_sample(.5);
  final.set_run_id(7);
  final.set_measure("accuracy");
  final.set_dataset("elec2");
  for (v1::BacktestResult& result : *final.mutable_results()) {
    result.set_training_seconds(2 * result.num_triggers());
    result.set_value(.5 + .01 * result.num_triggers());
    result.set_num_measured(90);
  }
  return final;
}

nlohmann::json DataOf(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(DescribeBacktest, HasColumnsForWhatIsKnown) {
  const std::string bare = DescribeBacktest(Bare());
  EXPECT_THAT(bare, Not(HasSubstr("ACCURACY")));
  EXPECT_THAT(bare, Not(HasSubstr("FALSE ALARMS")));
  EXPECT_THAT(bare, HasSubstr("Name a run of another pipeline"));
  EXPECT_THAT(bare, ContainsRegex("often +10 +100 +- +4.5 s"));

  BacktestFinal judged = Judged();
  EXPECT_THAT(DescribeBacktest(judged), ContainsRegex("often +10 +100 +20 s +0.6000 +4.5 s"));
  EXPECT_THAT(DescribeBacktest(judged),
              HasSubstr("accuracy on elec2 comes from the models of run 7, over 90 samples"));
  judged.set_num_shuffles(4);
  judged.mutable_results(1)->set_num_false_alarms(1.25);
  EXPECT_THAT(DescribeBacktest(judged), ContainsRegex("seldom +2 +20 +4.0 s +0.5200 +1.25"));
  EXPECT_THAT(DescribeBacktest(judged), HasSubstr("the mean over 4"));
}

TEST(DescribeBacktest, SaysWhenMeansAreNotOverTheSameSamples) {
  BacktestFinal final = Judged();
  EXPECT_THAT(DescribeBacktest(final), Not(HasSubstr("not over the same")));
  final.mutable_results(1)->set_num_measured(40);
  final.mutable_results(1)->set_num_windows_left_out(5);
  EXPECT_THAT(DescribeBacktest(final), HasSubstr("over 40 to 90 samples"));
  EXPECT_THAT(DescribeBacktest(final), HasSubstr("up to 5 are left out"));
}

void SetInterval(double low, double high, v1::BacktestResult& result) {
  result.set_low(low);
  result.set_high(high);
}

TEST(DescribeBacktest, CallsNoPolicyBetterThanChanceAllows) {
  BacktestFinal final = Judged();
  EXPECT_THAT(DescribeBacktest(final),
              HasSubstr("without intervals, the difference may be chance"));
  SetInterval(.55, .65, *final.mutable_results(0));
  SetInterval(.47, .57, *final.mutable_results(1));
  EXPECT_THAT(DescribeBacktest(final), HasSubstr("0.6000 [0.5500, 0.6500]"));
  EXPECT_THAT(DescribeBacktest(final),
              HasSubstr("Highest for often: no difference beyond chance to seldom."));
  EXPECT_THAT(BacktestPage("elec2", final), HasSubstr("(no difference beyond chance to seldom)"));
  SetInterval(.51, .53, *final.mutable_results(1));
  EXPECT_THAT(DescribeBacktest(final), HasSubstr("better than all others beyond chance"));
}

TEST(DescribeBacktest, SaysWhyThePipelinesOwnPolicyIsMissing) {
  BacktestFinal final = Judged();
  final.set_own_left_out("policy needs the outputs of models");
  EXPECT_THAT(DescribeBacktest(final),
              HasSubstr("The pipeline's own policy is not among them: policy needs the outputs"));
}

TEST(BacktestToJson, TellsAllThatIsKnown) {
  BacktestFinal final = Judged();
  final.mutable_results(0)->set_num_false_alarms(.5);
  const auto json = BacktestToJson(final);
  EXPECT_EQ(json.at("matrix").at("run"), 7);
  EXPECT_EQ(json.at("matrix").at("lower_is_better"), false);
  const auto& first = json.at("results").at(0);
  EXPECT_EQ(first.at("value"), .6);
  EXPECT_EQ(first.at("measured_samples"), 90);
  EXPECT_EQ(first.at("false_alarms"), .5);
  EXPECT_EQ(first.at("triggers").at(0).at("at"), "1970-01-01T00:00:10Z");
  EXPECT_TRUE(json.at("results").at(1).at("false_alarms").is_null());
  EXPECT_TRUE(BacktestToJson(Bare()).at("matrix").is_null());
  EXPECT_TRUE(BacktestToJson(Bare()).at("results").at(0).at("value").is_null());
}

TEST(BacktestPage, LoadsNothingAndShowsNamesAsText) {
  BacktestFinal final = Judged();
  final.mutable_results(0)->set_name("</script><img src=x>{{data}}\"'&");
  const std::string page = BacktestPage("<b>p</b>", final);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(ContainsRegex("(src|href) *= *[\"']")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<b>p</b>")));
  EXPECT_THAT(page,
              HasSubstr("&lt;/script&gt;&lt;img src=x&gt;{{data}}&quot;&#39;&amp; would have"));
  EXPECT_EQ(DataOf(page).at("results").at(0).at("name"), "</script><img src=x>{{data}}\"'&");
}

TEST(BacktestPage, SaysWhatWasBestAndDrawsALimitedNumberOfTriggers) {
  BacktestFinal final = Judged();
  *final.add_results() = Result("always", 9000);
  const std::string page = BacktestPage("elec2", final);
  EXPECT_THAT(page, HasSubstr("often would have had the highest accuracy: 60.0 % over 90 samples"));
  const auto data = DataOf(page);
  EXPECT_EQ(data.at("results").at(0).at("triggers").at(0), 10'000);
  EXPECT_EQ(data.at("results").at(2).at("triggers").size(), 2000U);
  EXPECT_EQ(data.at("results").at(2).at("num_triggers"), 9000);
  EXPECT_EQ(data.at("matrix").at("share"), true);
  EXPECT_EQ(data.at("to"), 106'000);

  final.set_measure("mae");
  EXPECT_THAT(BacktestPage("elec2", final), HasSubstr("seldom would have had the lowest mae"));
}

}  // namespace
}  // namespace tidemill::cli
