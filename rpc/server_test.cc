#include "rpc/server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "grpcpp/generic/generic_stub.h"

#include "base/mutex.h"
#include "base/testing/status_matchers.h"
#include "rpc/channel.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"

namespace tidemill::rpc {
namespace {

using tidemill::testing::IsOk;

// Answers once it is released.
class HeldService final : public selector::v1::SelectorService::Service {
 public:
  grpc::Status GetTrainingSet(grpc::ServerContext*, const selector::v1::GetTrainingSetRequest*,
                              selector::v1::GetTrainingSetResponse*) override {
    MutexLock lock(mutex_);
    while (!released_) changed_.wait(mutex_);
    return grpc::Status::OK;
  }
  void Release() {
    MutexLock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool released_ ABSL_GUARDED_BY(mutex_) = false;
};

struct PendingCall {
  grpc::ClientContext context;
  selector::v1::GetTrainingSetResponse response;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<selector::v1::GetTrainingSetResponse>> reader;
};

TEST(Server, SaysThatARequestDoesNotParse) {
  const testing::TokenFolder folder;
  HeldService service;
  service.Release();
  const auto server =
      Server::Start({.listen = "unix:" + folder.path() + "/socket"}, folder.tokens(), {&service});
  ASSERT_THAT(server, IsOk());
  const Peer peer{.endpoint = (*server)->endpoint(), .token = folder.TokenOf(v1::ROLE_READER)};
  grpc::GenericStub stub(Connect(peer));
  grpc::ClientContext context;
  Prepare(peer, std::chrono::minutes{1}, context);
  grpc::CompletionQueue queue;
  const grpc::Slice slice("\xff\xff\xff");
  const grpc::ByteBuffer request(&slice, 1);
  const auto call = stub.PrepareUnaryCall(
      &context, "/tidemill.selector.v1.SelectorService/GetTrainingSet", request, &queue);
  grpc::ByteBuffer response;
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "the request is not a message of the type that "
            "/tidemill.selector.v1.SelectorService/GetTrainingSet takes");
}

TEST(ServerThreads, AreLimitedAndCallsBeyondThemAreRefused) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 40;
  const testing::TokenFolder folder;
  HeldService service;
  const auto server =
      Server::Start({.listen = "unix:" + folder.path() + "/socket", .max_threads = kThreads},
                    folder.tokens(), {&service});
  ASSERT_THAT(server, IsOk());
  const Peer peer{.endpoint = (*server)->endpoint(), .token = folder.TokenOf(v1::ROLE_READER)};
  const auto stub = selector::v1::SelectorService::NewStub(Connect(peer));
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<PendingCall>> calls;
  for (int i = 0; i < kCalls; ++i) {
    PendingCall& call = *calls.emplace_back(std::make_unique<PendingCall>());
    Prepare(peer, std::chrono::minutes{1}, call.context);
    call.reader = stub->AsyncGetTrainingSet(&call.context, {}, &queue);
    call.reader->Finish(&call.response, &call.status, &call);
  }
  int num_done = 0;
  const auto next = [&] {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    ++num_done;
    return static_cast<PendingCall*>(tag)->status.error_code();
  };
  while (num_done < kCalls - kThreads) EXPECT_EQ(next(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  service.Release();
  int num_answered = 0;
  while (num_done < kCalls) num_answered += next() == grpc::StatusCode::OK ? 1 : 0;
  EXPECT_GT(num_answered, 0);
}

}  // namespace
}  // namespace tidemill::rpc
