// Several ranks in one process, one on each thread.
#include "trainer_server/ranks/ranks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "trainer_server/ranks/gradient_sums.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;
using tidemill::testing::IsOk;

class RanksTest : public ::testing::Test {
 protected:
  RanksTest() {
    char pattern[] = "/tmp/ranks-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~RanksTest() override { fs::remove_all(folder_); }

  // Calls `body` in each rank.
  void Run(int64_t size, const std::function<void(Ranks&)>& body) {
    RunAt({.size = size, .store = fmt::format("{}/meeting-{}", folder_, ++num_meetings_)}, body);
  }
  static void RunAt(const RankPlace& meeting, const std::function<void(Ranks&)>& body) {
    std::vector<std::jthread> threads;
    for (int64_t rank = 0; rank < meeting.size; ++rank) {
      threads.emplace_back([&, rank] {
        RankPlace place = meeting;
        place.rank = rank;
        const auto ranks = Ranks::Join(place);
        ASSERT_TRUE(ranks.ok()) << ranks.status().ToString();
        body(**ranks);
      });
    }
  }

  std::string folder_;
  int num_meetings_ = 0;
};

TEST_F(RanksTest, AddUpAndSpreadWhatTheyHave) {
  for (const int64_t size : {1, 2, 5}) {
    Run(size, [size](Ranks& ranks) {
      double numbers[] = {1, static_cast<double>(ranks.rank())};
      ASSERT_THAT(ranks.Sum(numbers), IsOk());
      EXPECT_EQ(numbers[0], static_cast<double>(size));
      EXPECT_EQ(numbers[1], static_cast<double>(size * (size - 1) / 2));
      std::string bytes(static_cast<size_t>(ranks.rank() * 1000), static_cast<char>(ranks.rank()));
      ASSERT_THAT(ranks.Broadcast(size - 1, bytes), IsOk());
      EXPECT_EQ(bytes,
                std::string(static_cast<size_t>((size - 1) * 1000), static_cast<char>(size - 1)));
      std::string none = ranks.rank() == 0 ? "" : "x";
      ASSERT_THAT(ranks.Broadcast(0, none), IsOk());
      EXPECT_EQ(none, "");
      EXPECT_FALSE(ranks.is_waiting());
    });
  }
}

// A port that was free a moment ago.
int FreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(listener);
  return ntohs(address.sin_port);
}

TEST_F(RanksTest, MeetAtAnAddress) {
  RunAt({.size = 3, .address = "127.0.0.1", .port = FreePort()}, [](Ranks& ranks) {
    double number = 1;
    ASSERT_THAT(ranks.Sum({&number, 1}), IsOk());
    EXPECT_EQ(number, 3);
  });
}

TEST_F(RanksTest, NoticeThatOneIsLost) {
  Run(3, [](Ranks& ranks) {
    double number = 1;
    ASSERT_THAT(ranks.Sum({&number, 1}), IsOk());
    if (ranks.rank() == 1) return;
    const absl::Status lost = ranks.Sum({&number, 1});
    EXPECT_TRUE(absl::IsAborted(lost)) << lost.ToString();
    EXPECT_EQ(ranks.status(), lost);
    EXPECT_EQ(ranks.BeginSum(torch::ones({2})), lost) << "nothing works after that";
  });
}

TEST_F(RanksTest, DoNotWaitForOneThatWillNotCome) {
  const std::string store = folder_ + "/meeting";
  std::jthread rank([&] {
    const auto ranks = Ranks::Join({.rank = 0, .size = 2, .store = store});
    EXPECT_TRUE(absl::IsAborted(ranks.status())) << ranks.status().ToString();
  });
  while (!fs::exists(store)) std::this_thread::yield();
  fs::create_directory(EndOfRendezvous(store));
}

// A network of which a rank may use a part only.
struct Network {
  torch::Tensor first = torch::arange(6, torch::kFloat32).view({2, 3}).requires_grad_(true);
  torch::Tensor second = torch::ones({4}).requires_grad_(true);
  torch::Tensor frozen = torch::ones({2});
  torch::Tensor never = torch::ones({1}).requires_grad_(true);

  std::vector<torch::Tensor> parameters() const { return {first, second, frozen, never}; }
};

TEST_F(RanksTest, TheGradientsOfAllRanksAreAddedUp) {
  for (const int64_t bucket_bytes : {int64_t{1}, int64_t{20}, GradientSums::kBucketBytes}) {
    Run(3, [bucket_bytes](Ranks& ranks) {
      Network network;
      GradientSums sums(ranks, network.parameters(), bucket_bytes);
      for (int step = 0; step < 3; ++step) {
        for (const torch::Tensor& one : network.parameters()) one.mutable_grad().reset();
        // Two backward passes make a step. Rank 2 has nothing to learn from in the second one, and
        // rank 0 alone uses all of the network.
        (network.first.sum() * 2).backward();
        sums.Begin();
        if (ranks.rank() < 2) (network.first.sum() * (ranks.rank() + 1)).backward();
        if (ranks.rank() == 0) (network.second.sum() * 7).backward();
        ASSERT_THAT(sums.Finish(), IsOk());
        EXPECT_TRUE(torch::equal(network.first.grad(), torch::full({2, 3}, 3 * 2 + 1 + 2.F)));
        EXPECT_TRUE(torch::equal(network.second.grad(), torch::full({4}, 7.F)));
        EXPECT_FALSE(network.frozen.grad().defined());
        EXPECT_FALSE(network.never.grad().defined()) << "the optimiser must leave it alone";
      }
    });
  }
}

}  // namespace
}  // namespace tidemill::trainer_server
