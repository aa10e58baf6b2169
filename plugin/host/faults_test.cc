// Plug-ins that misbehave, in the built program: in each sandbox, where it works here, and as a
// plain process.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/testing/tree.h"
#include "base/usage/account.h"
#include "plugin/host/options.h"
#include "plugin/host/testing/owner.h"
#include "plugin/host/testing/requests.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Observe;
using testing::Owner;
using testing::WhatOf;

class PluginFaults : public ::testing::TestWithParam<const char*> {
 protected:
  Owner::How how() const {
    return {.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so"),
            .sandbox = GetParam()};
  }

  static json Begin(Owner& owner, const std::string& behaviour) {
    Load(owner, "Misbehaving");
    return Create(owner, {{"how", behaviour}});
  }
  json Answer(const std::string& behaviour) const {
    Owner owner(how());
    const json created = Begin(owner, behaviour);
    return created["ok"] == true ? owner.Call(Observe(owner)) : created;
  }
  // The host's code when it ends over a call.
  int Code(const std::string& behaviour) const {
    Owner owner(how());
    Begin(owner, behaviour);
    EXPECT_EQ(owner.Call(Observe(owner)), nullptr);
    return owner.End();
  }
  // What the system says to a plug-in.
  std::string Try(const std::string& what) const {
    const json answer = Answer("try " + what);
    std::string said;
    absl::Base64Unescape(answer.value("state", ""), &said);
    return said;
  }
};

INSTANTIATE_TEST_SUITE_P(Sandboxes, PluginFaults, ::testing::Values("auto", "landlock", "none"));

TEST_P(PluginFaults, WhatIsThrownIsAFaultAndTheHostContinues) {
  Owner owner(how());
  Begin(owner, "throws");
  const json answer = owner.Call(Observe(owner));
  EXPECT_EQ(answer["fault"]["what"], "division by zero");
  EXPECT_EQ(answer["fault"]["where"], "Misbehaving::Observe");
  EXPECT_EQ(owner.Call({{"call", "seal"}})["ok"], true);
}

TEST_P(PluginFaults, EveryFunctionMayThrow) {
  EXPECT_EQ(WhatOf(Answer("throws at start")), "not today");
  EXPECT_EQ(WhatOf(Answer("throws in looks_at")), "nowhere to look");
  EXPECT_THAT(WhatOf(Answer("throws a number")), HasSubstr("not a std::exception"));
  EXPECT_EQ(WhatOf(Answer("looks elsewhere")), "LooksAt() names no labels");
  EXPECT_EQ(WhatOf(Answer("wants whole numbers")), "there is no column key");
}

TEST_P(PluginFaults, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(WhatOf(Answer("two points")), HasSubstr("exactly one"));
  EXPECT_THAT(WhatOf(Answer("a bad calendar")), HasSubstr("no such period"));
  EXPECT_EQ(WhatOf(Answer("gives NaN")), "share is nan, which is not a finite number");
  EXPECT_THAT(WhatOf(Answer("observes twice")), HasSubstr("observed twice"));
  Owner owner(how());
  Begin(owner, "judges by NaN");
  EXPECT_THAT(WhatOf(owner.Call({{"call", "judge"}, {"observed", json::object()}})),
              HasSubstr("x is nan"));
}

TEST_P(PluginFaults, TheHostEndsAsThePluginDoes) {
  EXPECT_EQ(Code("exits"), 3);
  EXPECT_EQ(Code("aborts"), 128 + SIGABRT);
// Sanitizers end such a process in their own way.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(Code("crashes"), 128 + SIGSEGV);
  EXPECT_EQ(Code("overflows"), 128 + SIGSEGV);
  EXPECT_EQ(Code("writes to its inputs"), 128 + SIGSEGV);
  EXPECT_THAT(WhatOf(Answer("wants memory")), HasSubstr("out of memory"));
#endif
}

TEST_P(PluginFaults, ThePluginIsRefusedWhatIsNotItsOwn) {
  for (const char* const what :
       {"fork", "socket", "unlink", "kill parent", "kill all", "outlive", "execute", "memfd",
        "answers", "limit", "chmod", "own signals", "own group", "choose signal"}) {
    EXPECT_EQ(Try(what), "EPERM") << what;
  }
  EXPECT_EQ(Try("write"), "EACCES");
  EXPECT_EQ(Try("truncate"), "EACCES");
  EXPECT_EQ(Try("shared memory"), "ENOMEM");
  EXPECT_EQ(Try("thread"), "it worked");
  EXPECT_FALSE(std::filesystem::exists("/tmp/tidemill_plugin_test"));
}

TEST_P(PluginFaults, APluginWithTooManyThreadsIsEndedWithTheirLimitSaid) {
  Owner owner(how());
  Begin(owner, "starts threads");
  EXPECT_EQ(owner.Call(Observe(owner)), nullptr);
  EXPECT_EQ(owner.End(), 128 + SIGKILL);
  EXPECT_THAT(owner.Printed(), HasSubstr("256 is the most"));
}

TEST_P(PluginFaults, NothingOfTheOwnersEnvironmentIsSeen) {
  EXPECT_THAT(Try("environment"), HasSubstr("OMP_NUM_THREADS=1"));
  EXPECT_THAT(Try("environment"), Not(HasSubstr("SECRET")));
}

TEST_P(PluginFaults, FilesOfTheMachineAreReadOutsideOfTheSandboxOnly) {
  Owner owner(how());
  const std::string sandbox = owner.hello()["sandbox"];
  EXPECT_EQ(Try("read"), sandbox == "bwrap"      ? "ENOENT"
                         : sandbox == "landlock" ? "EACCES"
                                                 : "it worked");
}

TEST_P(PluginFaults, WhatItPrintsIsThereWhenItAnswers) {
  Owner owner(how());
  Load(owner, "Surprise");
  Create(owner, {{"every", 1}, {"is_loud", true}});
  owner.Call(Observe(owner));
  EXPECT_THAT(owner.Printed(), HasSubstr("sum 2"));
}

TEST_P(PluginFaults, APluginThatLoopsEndsWithItsOwner) {
  Owner owner(how());
  Begin(owner, "loops");
  owner.Ask(Observe(owner));
  const std::vector<pid_t> family = testing::FamilyOf(owner.pid());
  EXPECT_GT(family.size(), 1);
  EXPECT_EQ(owner.End(), 128 + SIGKILL);
  for (const pid_t pid : family) EXPECT_TRUE(testing::Ends(pid)) << pid;
}

TEST_P(PluginFaults, TheTimeOfAPluginThatIsEndedIsPaidByItsOwner) {
  constexpr int64_t kNanos = 200'000'000;
  Owner owner(how());
  Begin(owner, "loops");
  owner.Ask(Observe(owner));
  const int64_t before = usage::ProcessNanos();
  clockid_t clock = 0;
  ASSERT_EQ(clock_getcpuclockid(testing::FamilyOf(owner.pid()).back(), &clock), 0);
  timespec used = {};
  while (used.tv_sec == 0 && used.tv_nsec < kNanos) {
    ASSERT_EQ(clock_gettime(clock, &used), 0);
  }
  owner.End();
  EXPECT_GE(usage::ProcessNanos() - before, kNanos);
}

TEST_P(PluginFaults, NoProcessIsLeftWhoeverIsKilled) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t service = fork();
  if (service == 0) {
    Owner owner(how());
    Begin(owner, "loops");
    owner.Ask(Observe(owner));
    const std::vector<pid_t> family = testing::FamilyOf(owner.pid());
    const ssize_t size = static_cast<ssize_t>(family.size() * sizeof(pid_t));
    if (write(pipes[1], family.data(), family.size() * sizeof(pid_t)) != size) _exit(1);
    for (;;) pause();
  }
  pid_t family[16] = {};
  const ssize_t size = read(pipes[0], family, sizeof family);
  ASSERT_GT(size, static_cast<ssize_t>(sizeof(pid_t)));
  kill(service, SIGKILL);
  waitpid(service, nullptr, 0);
  for (size_t i = 0; i < static_cast<size_t>(size) / sizeof(pid_t); ++i) {
    EXPECT_TRUE(testing::Ends(family[i])) << family[i];
  }
  close(pipes[0]);
  close(pipes[1]);
}

TEST_P(PluginFaults, ThePluginEndsWhenItsWardenIsKilled) {
  Owner owner(how());
  Begin(owner, "loops");
  owner.Ask(Observe(owner));
  const std::vector<pid_t> family = testing::FamilyOf(owner.pid());
  kill(owner.pid(), SIGKILL);
  for (const pid_t pid : family) EXPECT_TRUE(testing::Ends(pid)) << pid;
}

TEST(PluginHostStart, AFailureToStartIsReported) {
  Owner owner({.file = tidemill::testing::InBuild("plugin/host/libplugin_host_test_plugins.so"),
               .language = "python",
               .more = {"--python", "no-such-python"}});
  EXPECT_TRUE(owner.hello().is_null());
  EXPECT_EQ(owner.End(), kCannotRun);
  EXPECT_THAT(owner.Printed(), HasSubstr("there is no program no-such-python"));
}

}  // namespace
}  // namespace tidemill::plugin::host
