#include "cli/command_line/deletion.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Answered {
  bool deletes = false;
  std::string screen;
};

// Settles a deletion at a terminal at which a user types `typed`.
Answered AtATerminal(const DeletionFlags& flags, const std::string& typed) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    const bool deletes = !SettleDeletion({}, flags, "run 3\x1b of weather").has_value();
    std::fflush(stdout);
    _exit(deletes ? 1 : 0);
  }
  EXPECT_EQ(write(terminal, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
  Answered answered;
  char buffer[256];
  for (ssize_t size = 0; (size = read(terminal, buffer, sizeof(buffer))) > 0;) {
    answered.screen.append(buffer, static_cast<size_t>(size));
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  answered.deletes = WIFEXITED(status) && WEXITSTATUS(status) == 1;
  return answered;
}

TEST(Deletion, IsAskedForAtATerminal) {
  const Answered refused = AtATerminal({}, "n\n");
  EXPECT_FALSE(refused.deletes);
  EXPECT_THAT(refused.screen, HasSubstr("delete run 3\\x1b of weather? [y/N]"));
  EXPECT_THAT(refused.screen, HasSubstr("nothing was deleted"));
  EXPECT_FALSE(AtATerminal({}, "\n").deletes);
  EXPECT_TRUE(AtATerminal({}, "y\n").deletes);
}

TEST(Deletion, IsNotAskedForWhereYesWasSaid) {
  const Answered answered = AtATerminal({.yes = true}, "n\n");
  EXPECT_TRUE(answered.deletes);
  EXPECT_THAT(answered.screen, Not(HasSubstr("delete")));
}

TEST(Deletion, OfADryRunOnlyTells) {
  const Answered answered = AtATerminal({.yes = true, .dry_run = true}, "y\n");
  EXPECT_FALSE(answered.deletes);
  EXPECT_THAT(answered.screen, HasSubstr("would delete run 3"));
}

}  // namespace
}  // namespace tidemill::cli
