// kill -9 of everything at once, then the same command again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <filesystem>

#include "base/numbers/random.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// Waits until the run has `wanted` triggers with a model, or has ended.
void WaitForTriggers(const Stack& stack, size_t wanted) {
  for (int attempt = 0; attempt < 600; ++attempt) {
    const CommandResult list = stack.Tidemill({"runs", "list", "--json"});
    const nlohmann::json runs = list.Json();
    if (list.exit_code == 0 && runs.is_array() && !runs.empty()) {
      const CommandResult show =
          stack.Tidemill({"runs", "show", runs[0].at("run").dump(), "--json"});
      const nlohmann::json run = show.Json();
      if (show.exit_code == 0 && run.is_object() &&
          (run.at("models").size() >= wanted || run.at("state") != "running")) {
        return;
      }
    }
    poll(nullptr, 0, 20);
  }
  FAIL() << "the run never had " << wanted << " models\n" << stack.Logs();
}

TEST(PowerCut, KillingEverythingAndRunningAgainGivesTheSameTriggersKeysAndWeights) {
  ASSERT_EQ(UndisturbedRun().front(), "succeeded");
  for (const size_t models : {0, 1, 3}) {
    Stack stack;
    const std::string pipeline = WriteSmallPipeline(stack.files());
    ASSERT_EQ(stack.Tidemill({"run", pipeline, "--detach"}).exit_code, 0) << stack.Logs();
    WaitForTriggers(stack, models);
    EXPECT_FALSE(stack.Processes("postgres").empty());
    EXPECT_GE(stack.KillAll(), 9);  // The keeper, PostgreSQL, six services, a zygote at least.
    const CommandResult again = stack.Tidemill({"run", pipeline, "--json"});
    EXPECT_EQ(again.exit_code, 0) << again.err << stack.Logs();
    EXPECT_EQ(Fingerprint(again.Json()), UndisturbedRun());
  }
}

TEST(PowerCut, KillingPostgreSQLInTheMiddleOfARunChangesNothing) {
  ASSERT_EQ(UndisturbedRun().front(), "succeeded");
  Stack stack;
  const CommandResult started =
      stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--detach", "--json"});
  ASSERT_EQ(started.exit_code, 0) << started.err << stack.Logs();
  WaitForTriggers(stack, 1);
  const std::vector<int> postgres = stack.Processes("postgres");
  ASSERT_FALSE(postgres.empty());
  for (const int process : postgres) kill(process, SIGKILL);
  const CommandResult ended =
      stack.Tidemill({"runs", "watch", started.Json().at("run").dump(), "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err << stack.Logs();
  EXPECT_EQ(Fingerprint(ended.Json()), UndisturbedRun());
}

}  // namespace
}  // namespace tidemill::tests
