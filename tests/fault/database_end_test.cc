// A stack whose PostgreSQL loses a session, and then its keeper, comes up by `tidemill up` alone.
// TIDEMILL_TRIALS sets how often this is tried.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include "fmt/format.h"

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

int NumTrials() {
  constexpr int kFew = 3;
  const char* const text = std::getenv("TIDEMILL_TRIALS");
  return text == nullptr ? kFew : std::atoi(text);
}

// The server's processes for the sessions of services.
std::vector<int> Sessions(const Stack& stack) {
  std::vector<int> sessions;
  for (const int process : stack.Processes("postgres:")) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
    const std::string words(std::istreambuf_iterator<char>(file), {});
    if (words.find("tidemill tidemill") != std::string::npos) sessions.push_back(process);
  }
  return sessions;
}

// The cases differ in the order and distance of the two deaths.
void Pass(int milliseconds) {
  const timespec time{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  nanosleep(&time, nullptr);
}

TEST(DatabaseEnd, AStackComesUpHoweverItsDatabaseAndItsKeeperDie) {
  const Stack stack;
  const int trials = NumTrials();
  constexpr int kLongest = 2'000;
  for (int trial = 0; trial < trials; ++trial) {
    const CommandResult up = stack.Tidemill({"up"});
    ASSERT_EQ(up.exit_code, 0) << "trial " << trial << ": " << up.err << stack.Logs();
    const std::vector<int> sessions = Sessions(stack);
    const std::vector<int> keepers = stack.Processes("tidemill");
    ASSERT_FALSE(sessions.empty());
    ASSERT_EQ(keepers.size(), 1U);
    ASSERT_EQ(kill(sessions[trial % sessions.size()], SIGKILL), 0);
    Pass(kLongest * trial / std::max(trials - 1, 1));
    ASSERT_EQ(kill(keepers.front(), SIGKILL), 0);
  }
  EXPECT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"runs", "list"}).exit_code, 0);
}

TEST(DatabaseEnd, AServerThatCannotEndIsReplaced) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::vector<int> servers = stack.Processes("postgres");
  const std::vector<int> keepers = stack.Processes("tidemill");
  ASSERT_EQ(servers.size(), 1U);
  ASSERT_EQ(keepers.size(), 1U);
  // It takes no signal but the last.
  ASSERT_EQ(kill(servers.front(), SIGSTOP), 0);
  ASSERT_EQ(kill(keepers.front(), SIGKILL), 0);
  const CommandResult up = stack.Tidemill({"up"});
  EXPECT_EQ(up.exit_code, 0) << up.err << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"runs", "list"}).exit_code, 0);
  for (const int server : stack.Processes("postgres")) EXPECT_NE(server, servers.front());
}

}  // namespace
}  // namespace tidemill::tests
