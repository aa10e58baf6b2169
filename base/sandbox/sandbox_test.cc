// Each restriction in its own process: none can be taken back.
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "gtest/gtest.h"

#include "base/sandbox/allowed_files.h"
#include "base/sandbox/system_calls.h"

namespace tidemill::sandbox {
namespace {

constexpr int kNotEntered = 200;

// What `act` fails with (errno), or 0, in a process that `enter` has restricted.
int Within(const std::function<absl::Status()>& enter, const std::function<long()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!enter().ok()) _exit(kNotEntered);
    errno = 0;
    _exit(act() < 0 ? errno : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

absl::Status NoCalls() { return RefuseSystemCalls(MayExecute::kNo); }
absl::Status OfJob() { return RefuseSystemCallsOfJob(); }

long Connect() {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(9);
  return connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

long Fork() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child;
}

long SetOwner() {
  const f_owner_ex owner{.type = F_OWNER_PID, .pid = 1};
  return fcntl(0, F_SETOWN_EX, &owner);
}

TEST(SystemCalls, ThatReachOthersAreRefusedToAll) {
  for (const auto& enter : {NoCalls, OfJob}) {
    EXPECT_EQ(Within(enter, [] { return execl("/bin/true", "true", nullptr); }), EPERM);
    EXPECT_EQ(Within(enter, Fork), EPERM);
    EXPECT_EQ(Within(enter, [] { return kill(getppid(), 0); }), EPERM);
    EXPECT_EQ(Within(enter, [] { return fcntl(0, F_SETOWN, 1); }), EPERM);
    EXPECT_EQ(Within(enter, [] { return fcntl(0, F_SETSIG, SIGKILL); }), EPERM);
    EXPECT_EQ(Within(enter, SetOwner), EPERM);
    EXPECT_EQ(Within(enter, [] { return syscall(SYS_ptrace, 0, 0, 0, 0); }), EPERM);
    EXPECT_EQ(Within(enter, [] { return syscall(SYS_unshare, 0); }), EPERM);
    EXPECT_EQ(Within(enter, [] { return syscall(SYS_io_uring_setup, 1, nullptr); }), EPERM);
  }
}

TEST(SystemCalls, ThatChangeFilesOrOpenSocketsAreRefusedToWhoNeedsNone) {
  EXPECT_EQ(Within(NoCalls, [] { return socket(AF_INET, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(Within(NoCalls, [] { return open("/tmp/tidemill_sandbox_test", O_WRONLY | O_CREAT); }),
            EACCES);
  EXPECT_EQ(Within(NoCalls, [] { return unlink("/tmp/tidemill_sandbox_test"); }), EPERM);
  EXPECT_EQ(Within(NoCalls, [] { return chmod("/tmp", 0777); }), EPERM);
  // fchmodat2
  EXPECT_EQ(Within(NoCalls, [] { return syscall(452, AT_FDCWD, "/tmp", 01777, 0); }), EPERM);
  EXPECT_EQ(Within(NoCalls, [] { return memfd_create("more", 0); }), EPERM);
  EXPECT_EQ(Within(NoCalls, [] { return open("/etc/passwd", O_RDONLY); }), 0);
  EXPECT_EQ(Within(OfJob, [] { return socket(AF_INET, SOCK_STREAM, 0); }), 0);
}

TEST(SystemCalls, WhoMayOpenNothingOpensNothing) {
  const auto enter = [] { return RefuseSystemCalls(MayExecute::kNo, MayOpen::kNo); };
  EXPECT_EQ(Within(enter, [] { return open("/etc/passwd", O_RDONLY); }), EPERM);
  EXPECT_EQ(Within(enter, [] { return open("/dev/null", O_RDONLY); }), EPERM);
}

TEST(SystemCalls, OfThreadsAndOneselfStayAllowed) {
  EXPECT_EQ(Within(NoCalls,
                   [] {
                     int seen = 0;
                     std::jthread([&seen] { seen = 1; }).join();
                     return seen == 1 ? kill(getpid(), 0) : -1;
                   }),
            0);
}

class AllowedFilesTest : public ::testing::Test {
 protected:
  AllowedFilesTest() : folder_(::testing::TempDir() + "sandbox_test") {
    mkdir(folder_.c_str(), 0700);
    std::ofstream(folder_ + "/file") << "text";
  }

  const std::string folder_;
};

TEST_F(AllowedFilesTest, WithoutLandlockAreRefused) {
  if (HasLandlock()) return;
  EXPECT_EQ(Within([] { return RestrictFiles({}); }, [] { return 0; }), kNotEntered);
}

TEST_F(AllowedFilesTest, AreReadAndNoOthers) {
  if (!HasLandlock()) return;
  const auto enter = [&] { return RestrictFiles({.readable = {folder_, "/dev/null", "/none"}}); };
  const std::string file = folder_ + "/file";
  EXPECT_EQ(Within(enter, [&] { return open(file.c_str(), O_RDONLY); }), 0);
  EXPECT_EQ(Within(enter, [&] { return open(file.c_str(), O_WRONLY); }), EACCES);
  EXPECT_EQ(Within(enter, [&] { return unlink(file.c_str()); }), EACCES);
  EXPECT_EQ(Within(enter, [] { return open("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(Within(enter, [] { return open("/proc/self/environ", O_RDONLY); }), EACCES);
  EXPECT_EQ(Within(enter, [] { return open("/dev/null", O_RDONLY); }), 0);
}

TEST_F(AllowedFilesTest, AreWrittenWhereTheRulesAllowIt) {
  if (!HasLandlock()) return;
  const auto enter = [&] { return RestrictFiles({.writable = {folder_}}); };
  const std::string made = folder_ + "/made";
  EXPECT_EQ(Within(enter,
                   [&] {
                     if (open(made.c_str(), O_WRONLY | O_CREAT, 0600) < 0) return -1;
                     return unlink(made.c_str());
                   }),
            0);
  EXPECT_EQ(Within(enter, [] { return open("/tmp/made", O_WRONLY | O_CREAT, 0600); }), EACCES);
}

TEST_F(AllowedFilesTest, AreThoseOfWhatIsExecuted) {
  if (!HasLandlock()) return;
  const auto enter = [] { return RestrictFiles({.readable = SystemFolders()}); };
  EXPECT_EQ(Within(enter, [] { return execl("/bin/cat", "cat", "/dev/null", nullptr); }), 0);
  EXPECT_NE(Within(enter, [] { return execl("/bin/cat", "cat", "/etc/passwd", nullptr); }), 0);
}

TEST_F(AllowedFilesTest, TheNetworkIsOneOfThem) {
  if (!HasLandlock()) return;
  const auto without = [] { return RestrictFiles({}); };
  const auto with = [] { return RestrictFiles({.may_use_network = true}); };
  EXPECT_EQ(Within(with, Connect), ECONNREFUSED);
  const int found = Within(without, Connect);
  EXPECT_TRUE(found == EACCES || found == ECONNREFUSED) << found;
}

}  // namespace
}  // namespace tidemill::sandbox
