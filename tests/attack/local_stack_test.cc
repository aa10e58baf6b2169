// What is done to a local stack behind its back: folders removed, moved and copied, links laid,
// processes killed and stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fmt/format.h"

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Waits for it; what never comes is the test's own time limit's to end.
template <typename Condition>
void Await(const Condition& condition) {
  while (!condition()) sched_yield();
}

std::string CommandLineOf(int process) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string words = text.str();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

// Whether each of its threads has taken the signal to stop.
bool HasStopped(int process) {
  for (const auto& thread : fs::directory_iterator(fmt::format("/proc/{}/task", process))) {
    std::ifstream file(thread.path() / "stat");
    std::string text;
    std::getline(file, text);
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos || text.substr(name_end + 2, 1) != "T") return false;
  }
  return true;
}

class LocalStackAttackTest : public ::testing::Test {
 protected:
  void Up() {
    const CommandResult up = stack_.Tidemill({"up"});
    ASSERT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
  }

  // Everything that belongs to it, looked for without asking it.
  std::vector<int> Members() const {
    std::vector<int> members;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      // A process that ends just now has no command line.
      const std::string words = CommandLineOf(std::stoi(name));
      if (words.find(stack_.state()) != std::string::npos ||
          (!database_.empty() && words.find(database_) != std::string::npos)) {
        members.push_back(std::stoi(name));
      }
    }
    return members;
  }

  // Where its database is, for when it cannot be asked any more.
  void RememberDatabase() {
    database_ = stack_.Tidemill({"status", "--json"}).Json().at("database_folder");
  }

  const Stack stack_;
  std::string database_;
};

TEST_F(LocalStackAttackTest, AStackEndsWhenItsStateFolderIsRemoved) {
  Up();
  RememberDatabase();
  ASSERT_FALSE(Members().empty());
  fs::remove_all(stack_.state());
  Await([&] { return Members().empty(); });
}

TEST_F(LocalStackAttackTest, DownSaysStoppedOnlyOfWhatHasStopped) {
  Up();
  RememberDatabase();
  fs::remove_all(stack_.state());
  EXPECT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
  // On a busy machine the kernel may still be burying the last one; a stack takes seconds to end.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{300};
  while (!Members().empty() && std::chrono::steady_clock::now() < end) sched_yield();
  for (const int member : Members()) ADD_FAILURE() << member << ": " << CommandLineOf(member);
}

TEST_F(LocalStackAttackTest, UpDoesNotTakeARemovedFoldersServicesForItsOwn) {
  Up();
  RememberDatabase();
  const std::vector<int> before = Members();
  fs::remove_all(stack_.state());
  const CommandResult up = stack_.Tidemill({"up"});
  // With the database elsewhere, the message says what is left of it; else a new one is made.
  if (geteuid() == 0) {
    EXPECT_EQ(up.exit_code, 7) << up.out;
    EXPECT_THAT(up.err, AllOf(HasSubstr(database_), HasSubstr("belongs to")));
  } else {
    EXPECT_EQ(up.exit_code, 0) << up.err;
  }
  Await([&] {
    const std::vector<int> now = Members();
    return std::none_of(before.begin(), before.end(), [&](int process) {
      return std::find(now.begin(), now.end(), process) != now.end();
    });
  });
}

TEST_F(LocalStackAttackTest, AMovedStateFolderTakesItsDatabaseAlong) {
  const CommandResult run =
      stack_.Tidemill({"run", WriteSmallPipeline(stack_.files()), "--max-triggers", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack_.Logs();
  const std::string moved = stack_.files() + "/moved";
  fs::rename(stack_.state(), moved);
  const auto there = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--state", moved});
    return RunTidemill(words, {}, stack_.files());
  };
  const CommandResult up = there({"up"});
  ASSERT_EQ(up.exit_code, 0) << up.err;
  EXPECT_THAT(there({"runs", "list"}).out, HasSubstr("succeeded"));
  EXPECT_EQ(there({"models", "list", "--json"}).Json().size(), 1);
  ASSERT_EQ(there({"down"}).exit_code, 0);

  if (geteuid() == 0) {
    // A copy shares the database with the folder it was made of.
    const std::string copy = stack_.files() + "/copy";
    fs::copy(moved, copy, fs::copy_options::recursive);
    const CommandResult second = RunTidemill({"up", "--state", copy}, {}, stack_.files());
    EXPECT_EQ(second.exit_code, 7) << second.out;
    EXPECT_THAT(second.err, AllOf(HasSubstr("is a copy of"), HasSubstr(moved)));
    const CommandResult doctor =
        RunTidemill({"doctor", "--json", "--state", copy}, {}, stack_.files());
    EXPECT_THAT(doctor.out, HasSubstr("is a copy of"));
    EXPECT_EQ(doctor.exit_code, 1);
    fs::remove_all(copy);
  }
  EXPECT_EQ(there({"down", "--purge"}).exit_code, 0);
}

// `down --purge` of some folder, as a script types it.
CommandResult Purge(const std::string& folder, const std::string& scratch,
                    const std::vector<std::string>& more = {"--yes"}) {
  std::vector<std::string> words = {"down", "--purge", "--state", folder};
  words.insert(words.end(), more.begin(), more.end());
  return RunTidemill(words, {}, scratch);
}

TEST_F(LocalStackAttackTest, PurgingACopyTakesNothingOfTheRunningOriginal) {
  Up();
  RememberDatabase();
  ASSERT_EQ(
      stack_.Tidemill({"run", WriteSmallPipeline(stack_.files()), "--max-triggers", "1"}).exit_code,
      0);
  const std::string copy = stack_.files() + "/copy";
  for (const auto how : {fs::copy_options::none, fs::copy_options::create_hard_links}) {
    std::error_code error;  // The private database of other users changes meanwhile.
    fs::copy(stack_.state(), copy, how | fs::copy_options::recursive, error);
    const CommandResult would = Purge(copy, stack_.files(), {"--dry-run"});
    EXPECT_EQ(would.exit_code, 0) << would.err;
    EXPECT_THAT(would.out, HasSubstr(copy));
    EXPECT_TRUE(fs::exists(copy));
    const CommandResult purged = Purge(copy, stack_.files());
    EXPECT_EQ(purged.exit_code, 0) << purged.err;
    EXPECT_FALSE(fs::exists(copy)) << purged.out;
    if (geteuid() == 0) {
      EXPECT_THAT(would.out, HasSubstr("leaving the database in " + database_));
      EXPECT_THAT(purged.out, HasSubstr("which belongs to " + stack_.state()));
    }
    EXPECT_TRUE(fs::exists(database_ + "/data/PG_VERSION"));
    EXPECT_EQ(stack_.Tidemill({"status"}).exit_code, 0);
    EXPECT_THAT(stack_.Tidemill({"runs", "list"}).out, HasSubstr("succeeded"));
  }
}

TEST_F(LocalStackAttackTest, PurgingWhereAMovedFolderStoodTakesNothingOfIt) {
  if (geteuid() != 0) return;  // Only root's databases are outside their state folders.
  Up();
  RememberDatabase();
  ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
  const std::string moved = stack_.files() + "/moved";
  fs::rename(stack_.state(), moved);
  const CommandResult unsure = Purge(moved, stack_.files());
  EXPECT_EQ(unsure.exit_code, 7) << unsure.out;
  EXPECT_THAT(unsure.err, HasSubstr("tidemill up --state " + moved));
  fs::create_directory(stack_.state());
  const CommandResult purged = Purge(stack_.state(), stack_.files());
  EXPECT_EQ(purged.exit_code, 0) << purged.err;
  EXPECT_THAT(purged.out, HasSubstr("rm -r " + database_));
  ASSERT_EQ(RunTidemill({"up", "--state", moved}, {}, stack_.files()).exit_code, 0);
  EXPECT_EQ(Purge(moved, stack_.files()).exit_code, 0);
  EXPECT_FALSE(fs::exists(moved));
  EXPECT_FALSE(fs::exists(database_));
}

TEST_F(LocalStackAttackTest, AFolderThatIsNotAStateFolderIsNotPurged) {
  const std::string mine = stack_.files() + "/mine";
  fs::create_directory(mine);
  std::ofstream(mine + "/thesis.tex") << "years of work";
  for (const char* const way : {"--dry-run", "--yes"}) {
    const CommandResult refused = Purge(mine, stack_.files(), {way});
    EXPECT_EQ(refused.exit_code, 7) << refused.out;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("is not the state folder"), HasSubstr("identity")));
    EXPECT_TRUE(fs::exists(mine + "/thesis.tex"));
  }
  EXPECT_EQ(Purge(stack_.files() + "/nowhere", stack_.files()).exit_code, 0);
  EXPECT_FALSE(fs::exists(stack_.files() + "/nowhere"));
}

TEST_F(LocalStackAttackTest, APurgeTakesAllOfAStackAndNoFileOfAnybodyElse) {
  Up();
  RememberDatabase();
  std::ofstream(stack_.state() + "/thesis.tex") << "years of work";
  const CommandResult purged = stack_.Tidemill({"down", "--purge", "--json"});
  EXPECT_EQ(purged.exit_code, 0) << purged.err;
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(stack_.state())) left.push_back(entry.path());
  EXPECT_THAT(left, ::testing::ElementsAre(stack_.state() + "/thesis.tex"));
  EXPECT_THAT(purged.Json().at("left").dump(), HasSubstr("thesis.tex"));
  EXPECT_FALSE(fs::exists(database_));
}

TEST_F(LocalStackAttackTest, APurgeEndsADatabaseThatHasNoKeeper) {
  Up();
  RememberDatabase();
  const std::vector<int> servers = stack_.Processes("postgres");
  const std::vector<int> keepers = stack_.Processes("tidemill");
  ASSERT_EQ(keepers.size(), 1);
  for (const int server : servers) ASSERT_EQ(kill(server, SIGSTOP), 0);
  ASSERT_EQ(kill(keepers.front(), SIGKILL), 0);
  const CommandResult would = stack_.Tidemill({"down", "--purge", "--dry-run"});
  EXPECT_THAT(would.out, HasSubstr("(postgres)"));
  for (const int server : servers) kill(server, SIGCONT);
  ASSERT_EQ(stack_.Tidemill({"down", "--purge"}).exit_code, 0);
  Await([&] { return Members().empty(); });
  EXPECT_FALSE(fs::exists(database_));
  EXPECT_FALSE(fs::exists(stack_.state()));
}

TEST_F(LocalStackAttackTest, NoEmptyDatabaseIsMadeBesideOldModels) {
  Up();
  RememberDatabase();
  ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
  const std::string aside = database_ + ".aside";
  fs::rename(database_, aside);
  const CommandResult up = stack_.Tidemill({"up"});
  EXPECT_EQ(up.exit_code, 7) << up.out;
  EXPECT_THAT(up.err, AllOf(HasSubstr("is gone from"), HasSubstr(database_)));
  EXPECT_THAT(stack_.Tidemill({"doctor", "--json"}).out, HasSubstr("is gone from"));
  fs::remove_all(database_);
  fs::rename(aside, database_);
  Up();
}

TEST_F(LocalStackAttackTest, ALinkInTheTemporaryFolderLeadsNowhere) {
  Up();
  RememberDatabase();
  const std::string storage =
      stack_.Tidemill({"status", "--json"}).Json().at("endpoints").at("storage");
  const fs::path sockets = fs::path(storage.substr(5)).parent_path();
  ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
  const std::string precious = stack_.files() + "/precious";
  fs::create_directory(precious);
  struct stat before {};
  ASSERT_EQ(stat(precious.c_str(), &before), 0);
  for (const std::string& place : {sockets.string() + "-db", sockets.string()}) {
    fs::remove_all(place);
    fs::create_directory_symlink(precious, place);
    const CommandResult up = stack_.Tidemill({"up"});
    EXPECT_EQ(up.exit_code, 5) << up.out;
    EXPECT_THAT(up.err, HasSubstr(place));
    struct stat after {};
    ASSERT_EQ(stat(precious.c_str(), &after), 0);
    EXPECT_EQ(after.st_uid, before.st_uid);
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_TRUE(fs::is_empty(precious));
    fs::remove(place);
  }
  Up();
}

TEST_F(LocalStackAttackTest, AKilledKeeperTakesEverythingWithIt) {
  Up();
  RememberDatabase();
  const std::vector<int> keepers = stack_.Processes("tidemill");
  ASSERT_EQ(keepers.size(), 1);
  ASSERT_EQ(kill(keepers.front(), SIGKILL), 0);
  Await([&] { return Members().empty(); });
  Up();
}

TEST_F(LocalStackAttackTest, AnInterruptedStartLeavesNothing) {
  fs::create_directory(stack_.state());
  const std::string program = ProgramFolder() + "/tidemill";
  const pid_t starter = fork();
  if (starter == 0) {
    execl(program.c_str(), "tidemill", "up", "--state", stack_.state().c_str(), nullptr);
    _exit(127);
  }
  // As soon as there is something to be left behind.
  Await([&] { return fs::exists(stack_.state() + "/logs/stack.log"); });
  ASSERT_EQ(kill(starter, SIGINT), 0);
  int status = 0;
  ASSERT_EQ(waitpid(starter, &status, 0), starter);
  RememberDatabase();
  Await([&] { return Members().empty(); });
  Up();
}

TEST_F(LocalStackAttackTest, AStoppedServiceDoesNotAnswer) {
  Up();
  const std::vector<int> selectors = stack_.Processes("tidemill-selector");
  ASSERT_EQ(selectors.size(), 1);
  ASSERT_EQ(kill(selectors.front(), SIGSTOP), 0);
  Await([&] { return HasStopped(selectors.front()); });
  const CommandResult status = stack_.Tidemill({"status"});
  EXPECT_EQ(status.exit_code, 5);
  EXPECT_THAT(status.out, HasSubstr("does not answer"));
  EXPECT_EQ(stack_.Tidemill({"status", "--json"}).Json().at("services").at("selector"), false);
  ASSERT_EQ(kill(selectors.front(), SIGCONT), 0);
  Await([&] { return stack_.Tidemill({"status"}).exit_code == 0; });
}

// A command that runs while something is done to its stack.
class Meanwhile {
 public:
  Meanwhile(const Stack& stack, std::vector<std::string> words)
      : command_(OnStack(stack, std::move(words)), {}, stack.files()) {}
  // Waits until it has said this on stderr.
  void AwaitWords(const std::string& words) const {
    Await([&] { return command_.SaidSoFar().find(words) != std::string::npos; });
  }
  CommandResult Result() { return command_.Result(); }

 private:
  static std::vector<std::string> OnStack(const Stack& stack, std::vector<std::string> words) {
    words.insert(words.end(), {"--state", stack.state()});
    return words;
  }

  RunningCommand command_;
};

TEST_F(LocalStackAttackTest, ACommandSaysWhichServiceKeepsItWaiting) {
  Up();
  const std::vector<int> supervisors = stack_.Processes("tidemill-supervisor");
  ASSERT_EQ(supervisors.size(), 1);
  ASSERT_EQ(kill(supervisors.front(), SIGSTOP), 0);
  Meanwhile list(stack_, {"runs", "list"});
  list.AwaitWords("waiting for the supervisor, which has not answered for 5 s");
  ASSERT_EQ(kill(supervisors.front(), SIGCONT), 0);
  const CommandResult result = list.Result();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(LocalStackAttackTest, ARunIsFollowedAcrossASilenceThatBreaksTheConnection) {
  Up();
  const std::vector<int> supervisors = stack_.Processes("tidemill-supervisor");
  ASSERT_EQ(supervisors.size(), 1);
  Meanwhile run(stack_, {"run", WriteSmallPipeline(stack_.files()), "--json"});
  run.AwaitWords("run 1 of small started");
  ASSERT_EQ(kill(supervisors.front(), SIGSTOP), 0);
  // Longer than gRPC waits for a sign of life.
  run.AwaitWords("waiting for the supervisor, which has not answered for 4");
  ASSERT_EQ(kill(supervisors.front(), SIGCONT), 0);
  const CommandResult result = run.Result();
  EXPECT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  EXPECT_THAT(result.err, HasSubstr("the supervisor answers again"));
  EXPECT_EQ(result.Json().value("state", ""), "succeeded") << result.out;
}

TEST_F(LocalStackAttackTest, StatusAsksTheStackThatIsNamed) {
  Up();
  const auto endpoints = stack_.Tidemill({"status", "--json"}).Json().at("endpoints");
  const std::string token = stack_.state() + "/token";
  const auto remote = [&](const std::string& command, const std::string& server) {
    return RunTidemill({command, "--server", server, "--token-file", token}, {}, stack_.files());
  };
  const CommandResult there = remote("status", endpoints.at("supervisor"));
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_THAT(there.out,
              AllOf(HasSubstr("supervisor"), HasSubstr("answers"), Not(HasSubstr("selector"))));
  EXPECT_EQ(remote("status", "unix:" + stack_.files() + "/nobody").exit_code, 5);
  for (const char* const command : {"up", "down"}) {
    const CommandResult refused = remote(command, endpoints.at("supervisor"));
    EXPECT_EQ(refused.exit_code, 7) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("remote stack"));
  }
  EXPECT_EQ(stack_.Tidemill({"status"}).exit_code, 0);
}

}  // namespace
}  // namespace tidemill::tests
