#include "supervisor/run_watcher.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/process_memory.h"
#include "base/testing/status_matchers.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::supervisor {
namespace {

using ::testing::Le;
using tidemill::testing::IsOk;
using tidemill::testing::kStallBudget;
using tidemill::testing::MemoryGrowth;

// Serves one feed, and another method beside it.
class FeedService final
    : public v1::SupervisorService::WithCallbackMethod_WatchRun<v1::SupervisorService::Service> {
 public:
  explicit FeedService(std::shared_ptr<RunFeed> feed) : feed_(std::move(feed)) {}
  grpc::ServerWriteReactor<v1::WatchRunResponse>* WatchRun(
      grpc::CallbackServerContext*, const v1::WatchRunRequest* request) override {
    return new RunWatcher(feed_, request->after_sequence());
  }
  grpc::Status ListRuns(grpc::ServerContext*, const v1::ListRunsRequest*,
                        v1::ListRunsResponse*) override {
    return grpc::Status::OK;
  }

 private:
  const std::shared_ptr<RunFeed> feed_;
};

class RunWatcherTest : public ::testing::Test {
 protected:
  RunWatcherTest() {
    auto server = rpc::Server::Start({.listen = "unix:" + folder_.path() + "/socket"},
                                     folder_.tokens(), {&service_});
    EXPECT_THAT(server, IsOk());
    server_ = *std::move(server);
    peer_ = {.endpoint = server_->endpoint(), .token = folder_.TokenOf(rpc::v1::ROLE_READER)};
    stub_ = v1::SupervisorService::NewStub(rpc::Connect(peer_));
  }

  // A call of WatchRun.
  struct Watch {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::WatchRunResponse>> reader;
  };
  std::unique_ptr<Watch> Begin() {
    auto watch = std::make_unique<Watch>();
    rpc::Prepare(peer_, std::chrono::milliseconds{0}, watch->context);
    watch->reader = stub_->WatchRun(&watch->context, v1::WatchRunRequest());
    return watch;
  }
  // Reads to the end.
  static int64_t CountEvents(Watch& watch) {
    int64_t count = 0;
    v1::WatchRunResponse response;
    while (watch.reader->Read(&response)) count += response.has_event() ? 1 : 0;
    EXPECT_TRUE(watch.reader->Finish().ok());
    return count;
  }

  void Append(int64_t sequence, const std::string& text) {
    v1::WatchRunResponse::Event event;
    event.set_sequence(sequence);
    event.set_text(text);
    feed_->Append(std::move(event));
  }

  rpc::testing::TokenFolder folder_;
  const std::shared_ptr<RunFeed> feed_ = std::make_shared<RunFeed>();
  FeedService service_{feed_};
  std::unique_ptr<rpc::Server> server_;
  rpc::Peer peer_;
  std::unique_ptr<v1::SupervisorService::Stub> stub_;
};

TEST_F(RunWatcherTest, AWatchThatStallsBlocksNeitherTheRunNorAnyOtherCall) {
  constexpr int kNumStalled = 64;
  constexpr int64_t kNumEvents = 500;
  std::vector<std::unique_ptr<Watch>> stalled;
  for (int i = 0; i < kNumStalled; ++i) stalled.push_back(Begin());
  Append(1, "begun");
  v1::WatchRunResponse response;
  for (const auto& watch : stalled) ASSERT_TRUE(watch->reader->Read(&response));
  // More than both ends of a stream hold for one who does not read.
  for (int64_t sequence = 2; sequence <= kNumEvents; ++sequence) {
    Append(sequence, std::string(64 << 10, 'x'));
  }
  v1::ListRunsResponse runs;
  EXPECT_THAT(rpc::Call(peer_, *stub_, &v1::SupervisorService::Stub::ListRuns,
                        v1::ListRunsRequest(), &runs),
              IsOk());
  feed_->Close(v1::Run());
  EXPECT_EQ(CountEvents(*Begin()), kNumEvents) << "one who reads is told all at once";
  EXPECT_EQ(CountEvents(*stalled.front()), kNumEvents - 1) << "and one who reads again";
  for (const auto& watch : stalled) watch->context.TryCancel();
}

TEST_F(RunWatcherTest, AWatchThatStallsCostsNoMoreThanItsBudget) {
  for (int64_t sequence = 1; sequence <= 2'000; ++sequence) {
    Append(sequence, std::string(64 << 10, 'x'));  // 128 MiB, which the feed holds once.
  }
  const MemoryGrowth growth({getpid()});  // Of both ends.
  const auto watch = Begin();
  v1::WatchRunResponse response;
  ASSERT_TRUE(watch->reader->Read(&response));
  EXPECT_THAT(growth.AwaitSettled(), Le(kStallBudget));
  feed_->Close(v1::Run());
  EXPECT_EQ(CountEvents(*watch), 1'999);
}

TEST_F(RunWatcherTest, AWatchEndsWithTheServer) {
  const auto watch = Begin();
  Append(1, "begun");
  v1::WatchRunResponse response;
  ASSERT_TRUE(watch->reader->Read(&response));
  server_->Stop();
  EXPECT_FALSE(watch->reader->Read(&response));
  EXPECT_EQ(watch->reader->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace tidemill::supervisor
