// In processes of their own: nothing of it can be taken back.
#include "trainer_server/job/network_sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "gtest/gtest.h"

#include "base/sandbox/allowed_files.h"

namespace tidemill::trainer_server {
namespace {

constexpr int kNotEntered = 200;

class NetworkSandbox : public ::testing::Test {
 protected:
  NetworkSandbox() : folder_(::testing::TempDir() + "sandboxed/1") {
    std::filesystem::create_directories(folder_);
  }

  // What `act` fails with (errno), or 0, in a process that has entered it.
  static int Within(const SandboxedTraining& training, const std::function<long()>& act) {
    const pid_t child = fork();
    if (child == 0) {
      if (!EnterNetworkSandbox(training).ok()) _exit(kNotEntered);
      errno = 0;
      _exit(act() < 0 ? errno : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const std::string folder_;
};

TEST_F(NetworkSandbox, LeavesATrainingItsFolderAndNoOtherFile) {
  if (!sandbox::HasLandlock()) return;
  const std::string own = folder_ + "/checkpoint";
  const std::string beside = folder_ + "/../fitted";
  EXPECT_EQ(
      Within({.folder = folder_}, [&] { return open(own.c_str(), O_WRONLY | O_CREAT, 0600); }), 0);
  EXPECT_EQ(
      Within({.folder = folder_}, [&] { return open(beside.c_str(), O_WRONLY | O_CREAT, 0600); }),
      EACCES);
  EXPECT_EQ(Within({.folder = folder_}, [] { return open("/etc/passwd", O_RDONLY); }), EACCES);
}

TEST_F(NetworkSandbox, LeavesItNoProcess) {
  if (!sandbox::HasLandlock()) return;
  EXPECT_EQ(Within({.folder = folder_}, [] { return execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(Within({.folder = folder_}, [] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(Within({.folder = folder_}, [] { return fcntl(0, F_SETOWN, 1); }), EPERM);
}

TEST_F(NetworkSandbox, IsNotEnteredByATrainingThatStartsProcesses) {
  EXPECT_EQ(Within({.folder = folder_, .starts_processes = true},
                   [] { return open("/etc/passwd", O_RDONLY); }),
            0);
}

}  // namespace
}  // namespace tidemill::trainer_server
