// In processes of their own: nothing of it can be taken back.
#include "models/network_sandbox.h"

#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "gtest/gtest.h"

#include "base/sandbox/allowed_files.h"
#include "plugin/spec/host_settings.h"
#include "transform/ops/torchscript.h"

namespace tidemill::models {
namespace {

constexpr int kNotEntered = 200;

constexpr int kCreateRuleset = 444;  // landlock_create_ruleset(2)

// As a kernel without Landlock answers.
void HideLandlock() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), kCreateRuleset, 0);
  seccomp_load(filter);
  seccomp_release(filter);
}

class NetworkSandbox : public ::testing::Test {
 protected:
  NetworkSandbox() : folder_(::testing::TempDir() + "sandboxed/1") {
    std::filesystem::create_directories(folder_);
  }

  // What `act` fails with (errno), or 0, in a process that has entered it.
  static int Within(const SandboxedJob& job, const std::function<long()>& act) {
    const pid_t child = fork();
    if (child == 0) {
      if (!EnterNetworkSandbox(job).ok()) _exit(kNotEntered);
      errno = 0;
      _exit(act() < 0 ? errno : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  SandboxedJob Job() const { return {.readable = {folder_ + "/.."}, .writable = {folder_}}; }

  const std::string folder_;
};

TEST_F(NetworkSandbox, LeavesAJobItsFoldersAndNoOtherFile) {
  if (!sandbox::HasLandlock()) return;
  const std::string own = folder_ + "/checkpoint";
  const std::string beside = folder_ + "/../fitted";
  EXPECT_EQ(Within(Job(), [&] { return open(own.c_str(), O_WRONLY | O_CREAT, 0600); }), 0);
  EXPECT_EQ(Within(Job(), [&] { return open(beside.c_str(), O_WRONLY | O_CREAT, 0600); }), EACCES);
  EXPECT_EQ(Within(Job(), [] { return open("/etc/passwd", O_RDONLY); }), EACCES);
}

TEST_F(NetworkSandbox, LeavesAJobOnAGpuWhatItsDriverTellsAndNoOtherFile) {
  if (!sandbox::HasLandlock()) return;
  SandboxedJob job = Job();
  job.uses_gpu = true;
  const std::string own = folder_ + "/checkpoint";
  const std::string beside = folder_ + "/../fitted";
  EXPECT_EQ(Within(job, [&] { return open(own.c_str(), O_WRONLY | O_CREAT, 0600); }), 0);
  EXPECT_EQ(Within(job, [&] { return open(beside.c_str(), O_WRONLY | O_CREAT, 0600); }), EACCES);
  EXPECT_EQ(Within(job, [] { return open("/proc/devices", O_RDONLY); }), 0);
  EXPECT_EQ(Within(job, [] { return open("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(Within(job, [] { return open("/proc/1/environ", O_RDONLY); }), EACCES);
  EXPECT_EQ(Within(job, [] { return execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(Within(job, [] { return kill(getppid(), 0); }), EPERM);
}

TEST_F(NetworkSandbox, LeavesItNoProcess) {
  if (!sandbox::HasLandlock()) return;
  EXPECT_EQ(Within(Job(), [] { return execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(Within(Job(), [] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(Within(Job(), [] { return fcntl(0, F_SETOWN, 1); }), EPERM);
}

TEST_F(NetworkSandbox, IsRefusedWhereThereIsNoneUnlessAnAdministratorSaysNone) {
  const auto without_landlock = [](const char* sandbox) {
    const pid_t child = fork();
    if (child == 0) {
      HideLandlock();
      if (sandbox != nullptr) setenv("TIDEMILL_PLUGIN_SANDBOX", sandbox, 1);
      _exit(EnterNetworkSandbox({}).ok() ? 0 : kNotEntered);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(without_landlock(nullptr), kNotEntered);
  EXPECT_EQ(without_landlock("none"), 0);
}

TEST_F(NetworkSandbox, OfAJobWithTheOpTorchscriptLeavesItProgramsAndNoOtherFile) {
  if (!sandbox::HasLandlock()) return;
  SandboxedJob job = Job();
  job.graph = {{transform::TorchScriptSpec{.file = "rows.pt"}}};
  EXPECT_EQ(Within(job, [] { return open("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(Within(job, [] { return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr); }), EPERM);
  EXPECT_EQ(Within(job,
                   [] {
                     const pid_t child = fork();
                     if (child == 0) _exit(execl("/bin/true", "true", nullptr));
                     int status = 0;
                     return waitpid(child, &status, 0) == child && status == 0 ? 0L : -1L;
                   }),
            0);
}

TEST_F(NetworkSandbox, IsNotEnteredByAJobThatStartsPlugins) {
  EXPECT_EQ(Within({.starts_plugins = true}, [] { return open("/etc/passwd", O_RDONLY); }), 0);
}

}  // namespace
}  // namespace tidemill::models
