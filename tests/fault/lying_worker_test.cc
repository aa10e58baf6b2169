// A worker with the token of services that does not do what it has leased.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/threads/worker_pool.h"
#include "preprocess/transport/frame_sender.h"
#include "preprocess/transport/testing/test_batches.h"
#include "rpc/access/tokens.h"
#include "rpc/server.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using preprocess::JobSpec;

// Listens like a worker on another host. Its links get what is put into `outboxes`, and else
// nothing.
class LyingWorker {
 public:
  explicit LyingWorker(const PreparedSet& set)
      : dispatcher_(set.Dispatcher()),
        tokens_(*rpc::Tokens::Read(set.stack().state() + "/token")),
        folder_(MakeFolder()),
        server_(*rpc::Server::Start({.listen = "unix:" + folder_ + "/w"}, tokens_, {&face_})) {}

  ~LyingWorker() {
    server_->Stop(std::chrono::milliseconds{10});
    std::filesystem::remove_all(folder_);
  }

  void Register() {
    preprocess::v1::RegisterWorkerRequest request;
    request.set_name("liar");
    request.set_endpoint(server_->endpoint());
    request.set_boot_id("elsewhere");
    request.set_num_threads(64);
    incarnation_ = *dispatcher_.RegisterWorker(request);
  }

  // Takes all that it can get until it is refused. Returns why.
  absl::Status LeaseAll() {
    while (true) {
      preprocess::v1::LeaseSplitsRequest request;
      *request.mutable_worker() = incarnation_;
      request.set_max_splits(256);
      request.set_wait_millis(100);
      const auto leased = dispatcher_.LeaseSplits(request);
      if (!leased.ok()) return leased.status();
    }
  }

  preprocess::v1::Worker Known() {
    const auto known = dispatcher_.ListWorkers();
    for (const auto& worker : known->workers()) {
      if (worker.name() == "liar") return worker;
    }
    return {};
  }

  preprocess::testing::TestOutboxes outboxes;

 private:
  static std::string MakeFolder() {
    std::string folder = "/tmp/liar-XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    return folder;
  }

  preprocess::DispatcherClient dispatcher_;
  const rpc::Tokens tokens_;
  const std::string folder_;
  WorkerPool pool_{"test.liar", 2};
  preprocess::WorkerFace face_{outboxes, pool_};
  const std::unique_ptr<rpc::Server> server_;
  preprocess::v1::WorkerIncarnation incarnation_;
};

std::vector<std::string> DescribeAll(const std::vector<loader::TrainingBatch>& batches) {
  std::vector<std::string> described;
  for (const loader::TrainingBatch& batch : batches) described.push_back(Describe(batch));
  return described;
}

TEST(LyingWorkers, OneThatSendsABatchThatTheLaneDoesNotHaveIsGivenUpAtOnce) {
  const PreparedSet set(2000, 1);
  const JobSpec job = set.Job(50, 1);
  for (const auto& [lane, number] :
       {std::pair(0, int64_t{1} << 40), std::pair(0, int64_t{-1}), std::pair(999, int64_t{0})}) {
    LyingWorker liar(set);
    liar.outboxes.OnOpen([lane = lane, number = number](preprocess::Outbox& outbox) {
      outbox.Put(preprocess::testing::MakeMessage(lane, number, 100));
    });
    liar.Register();
    const auto source = set.Consume(job);
    while (liar.Known().lost_because().empty()) {
    }
    EXPECT_EQ(liar.Known().state(), preprocess::v1::WORKER_STATE_LOST);
    EXPECT_EQ(liar.Known().lost_because(),
              fmt::format("sent batch {} of lane {}, which it was not asked for", number, lane));
    EXPECT_EQ(ReadAll(*source), DescribeAll(set.Expected(job)));
  }
}

TEST(LyingWorkers, OneThatKeepsWhatItHasLeasedIsGivenUp) {
  const PreparedSet set(2000, 0);
  const JobSpec job = set.Job(50, 1);
  LyingWorker liar(set);
  liar.Register();
  const auto source = set.Consume(
      job, 0, 0,
      {.patience = std::chrono::milliseconds{100}, .standstill = std::chrono::milliseconds{300}});
  absl::Status refused;
  {
    WorkerPool leasing("test.leasing", 1);
    leasing.Submit([&] { refused = liar.LeaseAll(); });
    EXPECT_EQ(ReadAll(*source), DescribeAll(set.Expected(job)));
  }
  EXPECT_TRUE(absl::IsNotFound(refused)) << refused;
  EXPECT_EQ(liar.Known().lost_because(), "did not send what it had leased");
  EXPECT_EQ(liar.Known().state(), preprocess::v1::WORKER_STATE_LOST);
}

}  // namespace
}  // namespace tidemill::tests
