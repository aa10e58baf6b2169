#include "cli/stack/local_stack.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

using ::testing::Eq;
using ::testing::Optional;

constexpr int kNumberInTheFile = 4711;

// Another process that holds a lock on a file, as `how` says to flock(), until the end.
class LockedElsewhere {
 public:
  LockedElsewhere(const std::string& path, int how) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const bool locked = flock(open(path.c_str(), O_RDONLY), how | LOCK_NB) == 0;
      if (locked && write(ready[1], "k", 1) == 1) pause();
      _exit(1);
    }
    close(ready[1]);
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1) << "the other process got no lock";
    close(ready[0]);
  }
  ~LockedElsewhere() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  LockedElsewhere(const LockedElsewhere&) = delete;
  LockedElsewhere& operator=(const LockedElsewhere&) = delete;

 private:
  pid_t child_;
};

class KeeperOfTest : public ::testing::Test {
 protected:
  KeeperOfTest() {
    std::string pattern = fs::temp_directory_path() / "local-stack-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    layout_.state_folder = folder_;
    layout_.sockets_folder = folder_ / "sockets";
    fs::create_directory(layout_.sockets_folder);
  }
  ~KeeperOfTest() override { fs::remove_all(folder_); }

  static void WriteNumber(const std::string& path) { std::ofstream(path) << kNumberInTheFile; }

  fs::path folder_;
  StackLayout layout_;
};

TEST_F(KeeperOfTest, IsNobodyWithoutALockFileOrWhenItsKeeperHasEnded) {
  EXPECT_EQ(KeeperOf(layout_), std::nullopt);
  WriteNumber(layout_.LockFile());
  EXPECT_EQ(KeeperOf(layout_), std::nullopt);
}

TEST_F(KeeperOfTest, IsTheProcessThatHoldsTheLockAlone) {
  WriteNumber(layout_.LockFile());
  const LockedElsewhere keeper(layout_.LockFile(), LOCK_EX);
  EXPECT_THAT(KeeperOf(layout_), Optional(Eq(kNumberInTheFile)));
}

TEST_F(KeeperOfTest, IsNotAProcessThatAsksAtTheSameTime) {
  WriteNumber(layout_.LockFile());
  const LockedElsewhere asks(layout_.LockFile(), LOCK_SH);
  EXPECT_EQ(KeeperOf(layout_), std::nullopt);
}

TEST_F(KeeperOfTest, IsAStrayOneWhereItHoldsTheSocketsOnly) {
  WriteNumber(layout_.SocketsLockFile());
  const LockedElsewhere keeper(layout_.SocketsLockFile(), LOCK_EX);
  EXPECT_EQ(KeeperOf(layout_), std::nullopt);
  EXPECT_THAT(StrayKeeperOf(layout_), Optional(Eq(kNumberInTheFile)));
}

TEST_F(KeeperOfTest, IsNotStrayWhileOthersAskForIt) {
  WriteNumber(layout_.SocketsLockFile());
  const LockedElsewhere asks(layout_.SocketsLockFile(), LOCK_SH);
  EXPECT_EQ(StrayKeeperOf(layout_), std::nullopt);
}

// What commands see of a service.
class AcceptedConnection : public ::testing::Test {
 protected:
  AcceptedConnection() {
    std::string pattern = fs::temp_directory_path() / "local-stack-XXXXXX";
    layout_.sockets_folder = mkdtemp(pattern.data());
    const std::string path = layout_.EndpointOf("storage").substr(5);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ~AcceptedConnection() override {
    close(listening_);
    fs::remove_all(layout_.sockets_folder);
  }

  bool IsKept() const { return KeepsConnections(layout_, "storage"); }

  StackLayout layout_;
  int listening_ = socket(AF_UNIX, SOCK_STREAM, 0);
};

TEST_F(AcceptedConnection, IsKeptByAServiceThatSaysSomethingAndByOneThatIsStopped) {
  EXPECT_FALSE(Listens(layout_, "storage"));
  EXPECT_FALSE(IsKept());
  ASSERT_EQ(listen(listening_, 4), 0);
  EXPECT_TRUE(Listens(layout_, "storage"));
  EXPECT_TRUE(IsKept()) << "the system has accepted it for a process that does nothing";
  std::jthread server([this] {
    // Before this one come the two connections above, which have ended.
    for (int connection = 0; connection < 3; ++connection) {
      const int accepted = accept(listening_, nullptr, nullptr);
      EXPECT_EQ(send(accepted, "0", 1, MSG_NOSIGNAL), connection == 2 ? 1 : -1);
      close(accepted);
    }
  });
  EXPECT_TRUE(IsKept());
}

TEST_F(AcceptedConnection, OfAProcessThatHasBeenKilledEnds) {
  ASSERT_EQ(listen(listening_, 4), 0);
  std::jthread end([this] {
    pollfd waiting = {.fd = listening_, .events = POLLIN, .revents = 0};
    EXPECT_EQ(poll(&waiting, 1, -1), 1);
    close(listening_);  // As the system does.
    listening_ = -1;
  });
  EXPECT_FALSE(IsKept());
}

}  // namespace
}  // namespace tidemill::cli
