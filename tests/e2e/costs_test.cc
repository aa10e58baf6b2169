// What a run says that it has cost, on a real stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

// The time on processors of the children of a process that have ended, in seconds.
double EndedChildrenSeconds(int process) {
  const auto text = files::Read(fmt::format("/proc/{}/stat", process));
  EXPECT_TRUE(text.ok()) << text.status();
  const std::string rest = text->substr(text->rfind(')') + 1);
  unsigned long user = 0;
  unsigned long system = 0;
  // After the name: the state, ten numbers, and the process's own time.
  sscanf(rest.c_str(), " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user,
         &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// What the kernel counts for jobs: the ended children of the zygotes.
double JobSeconds(const Stack& stack) {
  double seconds = 0;
  for (const char* zygote : {"tidemill-train", "tidemill-evaluate"}) {
    for (const int process : stack.Processes(zygote)) seconds += EndedChildrenSeconds(process);
  }
  return seconds;
}

nlohmann::json CostsOf(const Stack& stack, const std::string& pipeline) {
  const CommandResult result = stack.Tidemill({"run", pipeline, "--json", "--max-triggers", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  return result.Json().at("costs");
}

TEST(Costs, OfStagesAddUpToTheRunAndThoseOfJobsToWhatTheKernelCounts) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const nlohmann::json costs = CostsOf(stack, WriteSmallPipeline(stack.files()));
  const nlohmann::json& total = costs.at("total");
  double by_stage = 0;
  for (const auto& [stage, used] : costs.at("stages").items()) {
    by_stage += used.at("processor_seconds").get<double>();
  }
  double by_row = 0;
  for (const auto& row : costs.at("rows")) by_row += row.at("processor_seconds").get<double>();
  const double all = total.at("processor_seconds");
  EXPECT_THAT(all, Gt(0.0));
  EXPECT_NEAR(by_stage, all, 0.02 * all);
  EXPECT_NEAR(by_row, all, 0.02 * all);
  const double jobs = total.at("job_seconds");
  EXPECT_NEAR(jobs, JobSeconds(stack), 0.05 * jobs + 0.02) << "two zygotes, each to a tick";
  for (const char* stage : {"sync", "decide", "select", "fit", "train", "store", "evaluate"}) {
    EXPECT_THAT(costs.at("stages").at(stage).at("processor_seconds").get<double>(), Gt(0.0))
        << stage;
  }
  EXPECT_THAT(costs.at("stages").at("train").at("job_seconds").get<double>(), Gt(0.0));
  EXPECT_THAT(costs.at("stages").at("train").at("bytes_read").get<int64_t>(), Gt(0));
  EXPECT_THAT(costs.at("stages").at("store").at("bytes_stored").get<int64_t>(), Gt(0));
  EXPECT_THAT(total.at("bytes_sent").get<int64_t>(), Gt(0));
}

TEST(Costs, AreMoneyAtThePricesOfTheConfiguration) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  ASSERT_EQ(stack.Tidemill({"down"}).exit_code, 0);
  const std::string settings = stack.state() + "/tidemill.yaml";
  const std::string text = *files::Read(settings);
  std::ofstream(settings) << text << "prices: {currency: EUR, processor_hour: 3600}\n";
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const nlohmann::json total = CostsOf(stack, WriteSmallPipeline(stack.files())).at("total");
  EXPECT_NEAR(total.at("money").get<double>(), total.at("processor_seconds").get<double>(), 1e-6);
  EXPECT_THAT(stack.Tidemill({"runs", "show", "latest"}).out,
              AllOf(HasSubstr("COST OF"), HasSubstr("EUR")));
  EXPECT_THAT(stack.Tidemill({"compare", "latest", "latest"}).out, HasSubstr(" EUR"));
}

TEST(Costs, WithoutPricesAreAmounts) {
  const Stack stack;
  const CommandResult run =
      stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--max-triggers", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("COST OF"), Not(HasSubstr("EUR"))));
  const std::string weighs = WriteSmallPipeline(
      stack.files(), "{type: cost, evaluate: {every: 1h}, accepted_delay: 1, price: money}");
  const CommandResult refused = stack.Tidemill({"run", weighs});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasSubstr("has no section `prices`"));
}

}  // namespace
}  // namespace tidemill::tests
