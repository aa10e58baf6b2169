#include "rpc/usage/call_usage.h"

#include <time.h>

#include <memory>
#include <optional>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/usage/account.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "rpc/streams/stream_call.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"

namespace tidemill::rpc {
namespace {

using ::testing::Ge;
using ::testing::Not;
using tidemill::testing::IsOk;
using Stub = selector::v1::SelectorService::Stub;

constexpr int64_t kMillis = 1'000'000;
constexpr int64_t kWorkNanos = 5 * kMillis;

void Work(int64_t nanos) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  const int64_t end = now() + nanos;
  while (now() < end) {
  }
}

// Works for each call, and asks another service, if it has one, for the same.
class WorkingService final : public selector::v1::SelectorService::Service {
 public:
  explicit WorkingService(std::optional<Peer> below = std::nullopt) : below_(std::move(below)) {}

  grpc::Status GetTrainingSet(grpc::ServerContext*,
                              const selector::v1::GetTrainingSetRequest* request,
                              selector::v1::GetTrainingSetResponse*) override {
    Work(kWorkNanos);
    usage::Add({.bytes_read = 7});
    if (request->trigger() < 0) return {grpc::StatusCode::INVALID_ARGUMENT, "no such trigger"};
    if (!below_) return grpc::Status::OK;
    const auto stub = selector::v1::SelectorService::NewStub(Connect(*below_));
    selector::v1::GetTrainingSetResponse response;
    EXPECT_THAT(Call(*below_, *stub, &Stub::GetTrainingSet, *request, &response), IsOk());
    return grpc::Status::OK;
  }

  grpc::Status ReadTrainingSet(
      grpc::ServerContext*, const selector::v1::ReadTrainingSetRequest*,
      grpc::ServerWriter<selector::v1::ReadTrainingSetResponse>* writer) override {
    selector::v1::ReadTrainingSetResponse response;
    response.set_batch(std::string(1000, 'x'));
    for (int i = 0; i < 3; ++i) writer->Write(response);
    Work(kWorkNanos);
    return grpc::Status::OK;
  }

 private:
  const std::optional<Peer> below_;
};

class CallUsage : public ::testing::Test {
 protected:
  std::unique_ptr<Server> Start(const std::string& name, grpc::Service& service) {
    auto server = Server::Start({.listen = "unix:" + folder_.path() + "/" + name}, folder_.tokens(),
                                {&service});
    EXPECT_THAT(server, IsOk());
    return *std::move(server);
  }
  Peer PeerOf(const Server& server) const {
    return {.endpoint = server.endpoint(), .token = folder_.TokenOf(v1::ROLE_SERVICE)};
  }
  static absl::Status Ask(const Peer& peer, int64_t trigger) {
    const auto stub = selector::v1::SelectorService::NewStub(Connect(peer));
    selector::v1::GetTrainingSetRequest request;
    request.set_trigger(trigger);
    selector::v1::GetTrainingSetResponse response;
    return Call(peer, *stub, &Stub::GetTrainingSet, request, &response);
  }

  const testing::TokenFolder folder_;
  const std::shared_ptr<usage::Account> account_ = std::make_shared<usage::Account>();
};

TEST_F(CallUsage, ComesBackToWhoeverCalls) {
  WorkingService service;
  const auto server = Start("socket", service);
  {
    const usage::Scope scope(account_);
    EXPECT_THAT(Ask(PeerOf(*server), 1), IsOk());
  }
  const usage::Amounts used = account_->Total();
  EXPECT_THAT(used.service_nanos, Ge(kWorkNanos));
  EXPECT_EQ(used.bytes_read, 7);
  EXPECT_THAT(used.bytes_sent, Ge(2)) << "the request";
}

TEST_F(CallUsage, ContainsThatOfTheServicesBelow) {
  WorkingService lowest;
  const auto below = Start("below", lowest);
  WorkingService middle(PeerOf(*below));
  const auto server = Start("socket", middle);
  {
    const usage::Scope scope(account_);
    EXPECT_THAT(Ask(PeerOf(*server), 1), IsOk());
  }
  EXPECT_THAT(account_->Total().service_nanos, Ge(2 * kWorkNanos));
  EXPECT_EQ(account_->Total().bytes_read, 14) << "each has read 7";
}

TEST_F(CallUsage, ComesBackFromACallThatFails) {
  WorkingService service;
  const auto server = Start("socket", service);
  {
    const usage::Scope scope(account_);
    EXPECT_THAT(Ask(PeerOf(*server), -1), Not(IsOk()));
  }
  EXPECT_THAT(account_->Total().service_nanos, Ge(kWorkNanos));
  EXPECT_EQ(account_->Total().bytes_read, 7);
}

TEST_F(CallUsage, CountsTheMessagesOfAStream) {
  WorkingService service;
  const auto server = Start("socket", service);
  const Peer peer = PeerOf(*server);
  const auto stub = selector::v1::SelectorService::NewStub(Connect(peer));
  int num_messages = 0;
  {
    const usage::Scope scope(account_);
    EXPECT_THAT(
        ReadStream(peer, *stub, &Stub::ReadTrainingSet, selector::v1::ReadTrainingSetRequest(),
                   [&](const selector::v1::ReadTrainingSetResponse&) {
                     ++num_messages;
                     return absl::OkStatus();
                   }),
        IsOk());
  }
  EXPECT_EQ(num_messages, 3);
  EXPECT_THAT(account_->Total().bytes_sent, Ge(3000));
  EXPECT_THAT(account_->Total().service_nanos, Ge(kWorkNanos));
}

TEST_F(CallUsage, IsNobodysWithoutAnAccount) {
  WorkingService service;
  const auto server = Start("socket", service);
  EXPECT_THAT(Ask(PeerOf(*server), 1), IsOk());
  EXPECT_EQ(account_->Total(), usage::Amounts());
}

}  // namespace
}  // namespace tidemill::rpc
