#include "rpc/uploads/upload.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::rpc {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;
using Request = supervisor::v1::SendNetworkRequest;
using Response = supervisor::v1::SendNetworkResponse;
using Service = supervisor::v1::SupervisorService;

// Counts the received bytes.
class CountingService final : public Service::WithCallbackMethod_SendNetwork<Service::Service> {
 public:
  explicit CountingService(const UploadLimits& limits) : limits_(limits) {}

  grpc::ServerReadReactor<Request>* SendNetwork(grpc::CallbackServerContext* context,
                                                Response*) override {
    auto permit = budget_.AdmitHandler(context->peer(), "SendNetwork", 4);
    if (!permit.ok()) return new RefusedUpload<Request>(ToGrpc(permit.status()));
    return new Upload<Request>(*std::move(permit), pool_, limits_,
                               [this](const auto& next) { return Count(next); });
  }

  int64_t num_bytes() const { return num_bytes_; }
  StreamBudget& budget() { return budget_; }

 private:
  absl::Status Count(const Upload<Request>::Next& next) {
    while (true) {
      ASSIGN_OR_RETURN(const std::optional<Request> message, next());
      if (!message.has_value()) return absl::OkStatus();
      num_bytes_ += std::ssize(message->bytes());
    }
  }

  const UploadLimits limits_;
  StreamBudget budget_{{}};
  std::atomic<int64_t> num_bytes_ = 0;
  WorkerPool pool_{"uploads", 2};
};

class UploadTest : public ::testing::Test {
 protected:
  // An upload that has begun.
  struct Sender {
    explicit Sender(Service::Stub& stub, const Peer& peer) {
      Prepare(peer, std::chrono::minutes{1}, context);
      writer = stub.SendNetwork(&context, &response);
    }
    bool Send(size_t num_bytes) {
      Request request;
      request.set_bytes(std::string(num_bytes, 'x'));
      return writer->Write(request);
    }
    absl::Status End() {
      writer->WritesDone();
      return FromGrpc(writer->Finish());
    }

    grpc::ClientContext context;
    Response response;
    std::unique_ptr<grpc::ClientWriter<Request>> writer;
  };

  void Serve(const UploadLimits& limits) {
    service_ = std::make_unique<CountingService>(limits);
    server_ = *Server::Start({.listen = "unix:" + folder_.path() + "/socket"}, folder_.tokens(),
                             {service_.get()});
    peer_ = {.endpoint = server_->endpoint(), .token = folder_.TokenOf(v1::ROLE_OPERATOR)};
    stub_ = Service::NewStub(Connect(peer_));
  }
  ~UploadTest() override { server_.reset(); }

  testing::TokenFolder folder_;
  std::unique_ptr<CountingService> service_;
  std::unique_ptr<Server> server_;
  Peer peer_;
  std::unique_ptr<Service::Stub> stub_;
};

TEST_F(UploadTest, GivesEveryMessageToItsTask) {
  Serve({});
  Sender sender(*stub_, peer_);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(sender.Send(1 << 20));
  EXPECT_THAT(sender.End(), IsOk());
  EXPECT_EQ(service_->num_bytes(), 20 << 20);
}

TEST_F(UploadTest, EndsTheOneThatComesTooSlowlyAndSaysSo) {
  Serve({.time = std::chrono::milliseconds{100}, .bytes_per_second = 1'000'000'000});
  Sender sender(*stub_, peer_);
  sender.Send(10);
  // It is never ended from here.
  EXPECT_THAT(FromGrpc(sender.writer->Finish()),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("an upload may take")));
}

TEST_F(UploadTest, RefusesALargeMessage) {
  Serve({.message_bytes = 1'000});
  Sender sender(*stub_, peer_);
  sender.Send(2'000);
  EXPECT_THAT(sender.End(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("pieces of at most 1000")));
}

TEST_F(UploadTest, TakesFewAtOnceAndRefusesTheRest) {
  Serve({});
  std::vector<std::unique_ptr<Sender>> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(std::make_unique<Sender>(*stub_, peer_));
  while (service_->budget().num_streams() < 4) std::this_thread::yield();
  Sender refused(*stub_, peer_);
  EXPECT_THAT(refused.End(), StatusIs(absl::StatusCode::kResourceExhausted,
                                      HasSubstr("4 calls of SendNetwork run")));
  for (const auto& sender : waiting) sender->context.TryCancel();
  for (const auto& sender : waiting) EXPECT_FALSE(sender->End().ok());
  while (service_->budget().num_streams() > 0) std::this_thread::yield();
  Sender later(*stub_, peer_);
  EXPECT_THAT(later.End(), IsOk());
}

}  // namespace
}  // namespace tidemill::rpc
