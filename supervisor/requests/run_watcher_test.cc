#include "supervisor/requests/run_watcher.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/mutex.h"
#include "base/testing/process_memory.h"
#include "base/testing/status_matchers.h"
#include "rpc/channel.h"
#include "rpc/grpc_status.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::supervisor {
namespace {

using ::testing::Le;
using tidemill::testing::IsOk;
using tidemill::testing::kStallBudget;
using tidemill::testing::MemoryGrowth;

// A run whose events take long to read.
constexpr int64_t kNotReadYet = 7;
constexpr int kMaxWatches = 100;

// Serves one feed, and another method beside it.
class FeedService final
    : public v1::SupervisorService::WithCallbackMethod_WatchRun<v1::SupervisorService::Service> {
 public:
  explicit FeedService(std::shared_ptr<RunFeed> feed) : feed_(std::move(feed)) {}
  grpc::ServerWriteReactor<v1::WatchRunResponse>* WatchRun(
      grpc::CallbackServerContext* context, const v1::WatchRunRequest* request) override {
    auto permit = streams_.Admit(context->peer(), 0);
    if (!permit.ok()) return new FailedWatch(ToGrpc(permit.status()));
    auto* const watcher = new RunWatcher(*std::move(permit), request->after_sequence());
    const RunWatcher::Opener opener = watcher->opener();
    if (request->run_id() != kNotReadYet) {
      opener.Open(feed_);
    } else {
      MutexLock lock(mutex_);
      waiting_.push_back(opener);
    }
    return watcher;
  }
  grpc::Status ListRuns(grpc::ServerContext*, const v1::ListRunsRequest*,
                        v1::ListRunsResponse*) override {
    return grpc::Status::OK;
  }

  int num_streams() const { return streams_.num_streams(); }
  // The openers of the watches of kNotReadYet.
  std::vector<RunWatcher::Opener> waiting() {
    MutexLock lock(mutex_);
    return waiting_;
  }

 private:
  const std::shared_ptr<RunFeed> feed_;
  rpc::StreamBudget streams_{{.max_streams = 100}};
  Mutex mutex_;
  std::vector<RunWatcher::Opener> waiting_ ABSL_GUARDED_BY(mutex_);
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
  std::unique_ptr<Watch> Begin(int64_t run = 1) {
    auto watch = std::make_unique<Watch>();
    rpc::Prepare(peer_, std::chrono::milliseconds{0}, watch->context);
    v1::WatchRunRequest request;
    request.set_run_id(run);
    watch->reader = stub_->WatchRun(&watch->context, request);
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
  EXPECT_EQ(CountEvents(*Begin()), kNumEvents) << "a watcher receives everything at the same time";
  EXPECT_EQ(CountEvents(*stalled.front()), kNumEvents - 1) << "and a second watcher";
  for (const auto& watch : stalled) watch->context.TryCancel();
}

TEST_F(RunWatcherTest, AWatchThatStallsCostsNoMoreThanItsBudget) {
  for (int64_t sequence = 1; sequence <= 2'000; ++sequence) {
    Append(sequence, std::string(64 << 10, 'x'));  // 128 MiB, which the feed holds once.
  }
  const MemoryGrowth growth({getpid()});  // The memory of both ends.
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

TEST_F(RunWatcherTest, WatchesThatWaitForTheirEventsHoldUpNoOtherCall) {
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < kMaxWatches; ++i) watches.push_back(Begin(kNotReadYet));
  while (service_.waiting().size() < kMaxWatches) std::this_thread::yield();
  v1::ListRunsResponse runs;
  EXPECT_THAT(rpc::Call(peer_, *stub_, &v1::SupervisorService::Stub::ListRuns,
                        v1::ListRunsRequest(), &runs),
              IsOk());
  Append(1, "begun");
  feed_->Close(v1::Run());
  const std::vector<RunWatcher::Opener> waiting = service_.waiting();
  for (const RunWatcher::Opener& opener : waiting) opener.Open(feed_);
  for (const auto& watch : watches) EXPECT_EQ(CountEvents(*watch), 1);
}

TEST_F(RunWatcherTest, AWatchWithoutEventsLearnsWhy) {
  const auto watch = Begin(kNotReadYet);
  while (service_.waiting().empty()) std::this_thread::yield();
  service_.waiting().front().Open(NotFound("run 7 is unknown"));
  v1::WatchRunResponse response;
  EXPECT_FALSE(watch->reader->Read(&response));
  EXPECT_EQ(watch->reader->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(RunWatcherTest, AWatchThatIsCancelledBeforeItsEventsAreReadGivesItsPlaceBack) {
  const auto watch = Begin(kNotReadYet);
  while (service_.waiting().empty()) std::this_thread::yield();
  EXPECT_EQ(service_.num_streams(), 1);
  watch->context.TryCancel();
  while (service_.num_streams() > 0) std::this_thread::yield();
  const RunWatcher::Opener opener = service_.waiting().front();
  EXPECT_FALSE(opener.IsWanted());
  opener.Open(feed_);  // Too late, and does no harm.
  Append(1, "begun");
}

TEST_F(RunWatcherTest, OneWatchTooManyIsRefused) {
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < kMaxWatches; ++i) watches.push_back(Begin(kNotReadYet));
  while (service_.waiting().size() < kMaxWatches) std::this_thread::yield();
  const auto refused = Begin();
  v1::WatchRunResponse response;
  EXPECT_FALSE(refused->reader->Read(&response));
  const grpc::Status status = refused->reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("cluster.streams.max_streams"));
  for (const auto& watch : watches) watch->context.TryCancel();
}

}  // namespace
}  // namespace tidemill::supervisor
