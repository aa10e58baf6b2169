// A broken stack, what `tidemill doctor` says about it, and whether what it advises fixes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DoctorTest : public ::testing::Test {
 protected:
  struct Finding {
    std::string state;
    std::string message;
    std::string fix;
  };

  // What is not well, by check.
  std::multimap<std::string, Finding> Examine() {
    const CommandResult result = stack_.Tidemill({"doctor", "--json"});
    std::multimap<std::string, Finding> unwell;
    bool failed = false;
    const auto report = result.Json();
    for (const auto& finding : report.at("findings")) {
      // Whether a machine's clock is kept right, and how full its disk is, is not the stack's.
      if (finding.at("state") == "ok" || finding.at("check") == "clock") continue;
      if (finding.at("check") == "disk") continue;
      failed = failed || finding.at("state") == "fail";
      // Whatever is found, something can be done about it.
      EXPECT_TRUE(finding.at("fix").is_string()) << finding.dump();
      unwell.emplace(finding.at("check"),
                     Finding{finding.at("state"), finding.at("message"), finding.value("fix", "")});
    }
    EXPECT_EQ(result.exit_code, failed ? 1 : 0) << result.out;
    return unwell;
  }

  Finding Only(const std::string& check) {
    const auto unwell = Examine();
    EXPECT_THAT(unwell, SizeIs(1)) << Names(unwell);
    const auto found = unwell.find(check);
    EXPECT_NE(found, unwell.end()) << Names(unwell);
    return found == unwell.end() ? Finding{} : found->second;
  }

  static std::string Names(const std::multimap<std::string, Finding>& unwell) {
    std::string names;
    for (const auto& [check, finding] : unwell) {
      names += check + " " + finding.state + ": " + finding.message + "\n";
    }
    return names;
  }

  // As a user would, with this build's programs.
  void Apply(const std::string& fix) {
    const std::string command = "PATH=" + ProgramFolder() + ":$PATH; " + fix + " >&2";
    EXPECT_EQ(std::system(command.c_str()), 0) << fix;
  }

  // A service that is started again takes a moment; each examination waits for it.
  void ExpectHealthySoon() {
    for (int attempt = 0; attempt < 20 && !Examine().empty(); ++attempt) {
    }
    EXPECT_THAT(Names(Examine()), IsEmpty());
  }

  int ProcessOf(const std::string& program) {
    const std::vector<int> found = stack_.Processes(program);
    return found.empty() ? 0 : found.front();
  }

  Stack stack_;
};

TEST_F(DoctorTest, ARunningStackIsWell) {
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  EXPECT_THAT(Names(Examine()), IsEmpty());
  const CommandResult one = stack_.Tidemill({"doctor", "--service", "storage"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.out, HasSubstr("answers in"));
  EXPECT_THAT(stack_.Tidemill({"doctor"}).out, HasSubstr("0.0 MiB to continue jobs"));
}

TEST_F(DoctorTest, AServiceThatDoesNotAnswerIsNamed) {
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  const int process = ProcessOf("tidemill-selector");
  ASSERT_EQ(kill(process, SIGSTOP), 0);
  const Finding stopped = Only("selector");
  EXPECT_EQ(stopped.state, "fail");
  EXPECT_THAT(stopped.message, HasSubstr("stopped"));
  EXPECT_EQ(stopped.fix, "kill -CONT " + std::to_string(process));
  Apply(stopped.fix);
  ExpectHealthySoon();

  const std::string endpoint =
      stack_.Tidemill({"status", "--json"}).Json().at("endpoints").at("model_store");
  ASSERT_TRUE(std::filesystem::remove(endpoint.substr(std::string("unix:").size())));
  const Finding unreachable = Only("model_store");
  EXPECT_EQ(unreachable.state, "fail");
  Apply(unreachable.fix);
  ExpectHealthySoon();
}

TEST_F(DoctorTest, ADatabaseThatDoesNotAnswerIsNamed) {
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  int server = 0;
  for (const int process : stack_.Processes("postgres")) {
    if (server == 0 || process < server) server = process;
  }
  ASSERT_EQ(kill(server, SIGSTOP), 0);
  const auto unwell = Examine();
  const auto found = unwell.find("database");
  ASSERT_NE(found, unwell.end()) << Names(unwell);
  EXPECT_EQ(found->second.fix, "kill -CONT " + std::to_string(server));
  Apply(found->second.fix);
  ExpectHealthySoon();
}

TEST_F(DoctorTest, FoldersAndTokensThatOthersCanReachAreNamed) {
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  ASSERT_EQ(chmod(stack_.state().c_str(), 0777), 0);
  Apply(Only("state folder").fix);
  ASSERT_EQ(chmod((stack_.state() + "/token").c_str(), 0644), 0);
  Apply(Only("token").fix);
  EXPECT_THAT(Names(Examine()), IsEmpty());
}

// As after a turned bit in the list of folders, or with a disk that is not mounted.
TEST_F(DoctorTest, ADatasetWhoseFolderCannotBeReadIsNamedAndNoRunSucceedsWithIt) {
  const std::string pipeline = WriteSmallPipeline(stack_.files());
  // Slow enough to be stopped.
  ASSERT_EQ(
      stack_.Tidemill({"up"}, {{"TIDEMILL_FAILPOINTS", "trainer_server.mid_training=delay:50ms"}})
          .exit_code,
      0)
      << stack_.Logs();
  ASSERT_EQ(stack_.Tidemill({"run", pipeline, "--detach"}).exit_code, 0) << stack_.Logs();
  ASSERT_EQ(stack_.Tidemill({"runs", "stop", "latest"}).exit_code, 0) << stack_.Logs();
  stack_.Tidemill({"runs", "watch", "latest"});
  // Without open files.
  ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
  std::ofstream(stack_.state() + "/data_roots") << "\n";
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  const Finding gone = Only("dataset");
  EXPECT_EQ(gone.state, "fail");
  EXPECT_THAT(gone.message, HasSubstr("is in none of the allowed data folders"));
  const CommandResult resumed = stack_.Tidemill({"runs", "resume", "latest"});
  const CommandResult watched = stack_.Tidemill({"runs", "watch", "latest", "--json"});
  EXPECT_EQ(watched.exit_code, 1) << watched.out << resumed.err;
  EXPECT_THAT(watched.Json().at("error").get<std::string>(),
              HasSubstr("is in none of the allowed data folders"));
  EXPECT_EQ(stack_.Tidemill({"run", pipeline}).exit_code, 0) << "it allows the folder again";
  ExpectHealthySoon();
}

TEST_F(DoctorTest, WhatAKilledStackLeavesIsNamed) {
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  const int keeper = ProcessOf("tidemill");
  ASSERT_EQ(kill(keeper, SIGKILL), 0);
  while (!stack_.Processes("tidemill-storage").empty()) {
  }
  const auto unwell = Examine();
  ASSERT_EQ(unwell.count("stack"), 1) << Names(unwell);
  ASSERT_EQ(unwell.count("sockets"), 1) << Names(unwell);
  Apply(unwell.find("sockets")->second.fix);
  EXPECT_EQ(Examine().count("sockets"), 0);
  // A database whose keeper is gone takes a moment to end.
  while (!stack_.Processes().empty()) {
  }
  Apply(Only("stack").fix);
  EXPECT_THAT(Names(Examine()), IsEmpty());
}

}  // namespace
}  // namespace tidemill::tests
