// Links whose other end is killed.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "preprocess/transport/testing/served_worker.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using testing::AwaitClosed;
using testing::MakeMessage;
using testing::Received;
using testing::ServedWorker;
using testing::TextOf;
using tidemill::testing::StatusIs;

// transport_test_peer, which is beside this program.
class Peer {
 public:
  explicit Peer(std::vector<std::string> arguments) {
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "transport_test_peer";
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    EXPECT_EQ(pipe2(input_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(output_, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_[1], STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&process_, program.c_str(), &actions, nullptr, pointers.data(), environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
    close(input_[0]);
    close(output_[1]);
  }
  ~Peer() {
    Kill();
    close(input_[1]);
    close(output_[0]);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void AwaitReady() const {
    char text[6] = {};
    ASSERT_EQ(read(output_[0], text, sizeof(text)), 6);
  }
  void Kill() {
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  int input_[2] = {-1, -1};
  int output_[2] = {-1, -1};
  pid_t process_ = 0;
};

// Mappings of rings that this process has: memory without a name, which is gone with them.
int NumRings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("tidemill-ring") == std::string::npos) continue;
    EXPECT_NE(line.find("/memfd:"), std::string::npos) << line;
    ++count;
  }
  return count;
}

class KilledPeers : public ::testing::TestWithParam<Transport> {};

TEST_P(KilledPeers, AWorkerLeavesWhatItHadSent) {
  rpc::testing::TokenFolder folder;
  Peer worker({"worker", folder.path()});
  worker.AwaitReady();
  v1::ReadBatchesRequest::Open open;
  open.set_job_id(1);
  open.add_lanes(0);
  Received received;
  auto link = OpenLink({.endpoint = {}, .token = folder.TokenOf(rpc::v1::ROLE_SERVICE)},
                       testing::DescribeWorker("unix:" + folder.path() + "/w", folder.path()), open,
                       {.transport = GetParam(), .ring_bytes = 4 << 20}, received.Handler());
  link->Grant(20 * BytesOf(MakeMessage(0, 0, 100'000)), {});
  received.AwaitCount(20);
  worker.Kill();
  EXPECT_THAT(received.AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_FALSE(link->counters().fallback);
  link.reset();  // The batches stay.
  const std::vector<BatchMessage> messages = received.Take();
  ASSERT_EQ(messages.size(), 20);
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(TextOf(messages[static_cast<size_t>(i)]) == TextOf(MakeMessage(0, i, 100'000)));
  }
  EXPECT_EQ(received.num_calls_after_end(), 0);
}

TEST_P(KilledPeers, AConsumerClosesItsOutboxAndLeavesNothing) {
  ServedWorker worker;
  worker.outboxes.OnOpen([](Outbox& outbox) {
    for (int64_t i = 0; i < 100; ++i) outbox.Put(MakeMessage(0, i, 100'000));
  });
  Peer consumer(
      {"consumer", worker.folder.path(), GetParam() == Transport::kFrames ? "frames" : "ring"});
  consumer.AwaitReady();
  const auto outbox = worker.outboxes.Await();
  EXPECT_EQ(outbox->closed(), std::nullopt);
  EXPECT_EQ(NumRings() > 0, GetParam() == Transport::kRing);
  consumer.Kill();
  EXPECT_THAT(AwaitClosed(*outbox), StatusIs(absl::StatusCode::kUnavailable, _));
  worker.Stop();
  EXPECT_EQ(NumRings(), 0);
}

INSTANTIATE_TEST_SUITE_P(Both, KilledPeers, ::testing::Values(Transport::kFrames, Transport::kRing),
                         [](const auto& instance) {
                           return instance.param == Transport::kFrames ? "Frames" : "Ring";
                         });

}  // namespace
}  // namespace tidemill::preprocess
