#include "rpc/channel.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "base/metrics.h"
#include "base/testing/status_matchers.h"
#include "rpc/call_metrics.h"
#include "rpc/grpc_status.h"
#include "rpc/server.h"
#include "rpc/streams/stream_call.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::rpc {
namespace {

using storage::v1::StorageService;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// More than a header may hold, of characters that grow there.
const std::string kLong = [] {
  std::string text;
  while (text.size() < 40'000) text += "é%";
  return text;
}();

// Knows one dataset; can be told to be busy first.
class FakeStorage : public StorageService::Service {
 public:
  explicit FakeStorage(int busy = 0) : busy_(busy) {}

  grpc::Status GetDataset(grpc::ServerContext* context,
                          const storage::v1::GetDatasetRequest* request,
                          storage::v1::GetDatasetResponse* response) override {
    EXPECT_EQ(context->client_metadata().count("authorization"), 0);
    if (request->name() == "long") return ToGrpc(InvalidArgument("{}", kLong));
    if (busy_-- > 0) return {grpc::StatusCode::UNAVAILABLE, "busy"};
    if (request->name() != "elec2") return {grpc::StatusCode::NOT_FOUND, "no such dataset"};
    response->mutable_dataset()->set_name("elec2");
    return grpc::Status::OK;
  }

  grpc::Status ListQuarantine(
      grpc::ServerContext* /*context*/, const storage::v1::ListQuarantineRequest* /*request*/,
      grpc::ServerWriter<storage::v1::ListQuarantineResponse>* writer) override {
    writer->Write({});
    return grpc::Status::OK;
  }

 private:
  std::atomic<int> busy_;
};

// Takes one connection like a service that has to wait for its processor: it is connected at once,
// and its bytes get to the service after a while.
class LateSocket {
 public:
  LateSocket(const std::string& path, std::string to, std::chrono::milliseconds late)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_un address = AddressOf(path);
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    thread_ = std::jthread([this, to = std::move(to), late] {
      for (int client = 0; (client = accept(listener_, nullptr, nullptr)) >= 0;) {
        // A client that stops waiting closes its connection.
        pollfd hangs_up{.fd = client, .events = POLLRDHUP, .revents = 0};
        if (poll(&hangs_up, 1, static_cast<int>(late.count())) == 0) PassOn(client, to);
        close(client);
      }
    });
  }
  ~LateSocket() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

 private:
  static sockaddr_un AddressOf(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    return address;
  }

  static void PassOn(int client, const std::string& to) {
    const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = AddressOf(to);
    EXPECT_EQ(connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    {
      const std::jthread back([&] { Copy(server, client); });
      Copy(client, server);
    }
    close(server);
  }

  static void Copy(int from, int to) {
    char bytes[4096];
    for (ssize_t size = 0; (size = read(from, bytes, sizeof(bytes))) > 0;) {
      if (send(to, bytes, static_cast<size_t>(size), MSG_NOSIGNAL) != size) break;
    }
    shutdown(to, SHUT_RDWR);
  }

  const int listener_;
  std::jthread thread_;
};

class ChannelTest : public ::testing::Test {
 protected:
  Peer PeerAt(std::chrono::milliseconds deadline = std::chrono::seconds{30}) const {
    return {.endpoint = endpoint_, .token = folder_.TokenOf(v1::ROLE_READER), .deadline = deadline};
  }

  absl::Status Get(const Peer& peer, const std::string& name) {
    const auto stub = StorageService::NewStub(Connect(peer));
    storage::v1::GetDatasetRequest request;
    request.set_name(name);
    storage::v1::GetDatasetResponse response;
    RETURN_IF_ERROR(Call(peer, *stub, &StorageService::Stub::GetDataset, request, &response));
    EXPECT_EQ(response.dataset().name(), "elec2");
    return absl::OkStatus();
  }

  std::unique_ptr<Server> Serve(grpc::Service& service) {
    auto server = Server::Start({.listen = endpoint_}, folder_.tokens(), {&service});
    EXPECT_THAT(server, IsOk());
    return *std::move(server);
  }

  testing::TokenFolder folder_;
  const std::string endpoint_ = "unix:" + folder_.path() + "/socket";
};

TEST_F(ChannelTest, RepeatsACallWhileTheServiceIsUnavailable) {
  FakeStorage storage(/*busy=*/2);
  const auto server = Serve(storage);
  EXPECT_THAT(Get(PeerAt(), "elec2"), IsOk());
}

TEST_F(ChannelTest, DoesNotRepeatAnAnswer) {
  FakeStorage storage;
  const auto server = Serve(storage);
  EXPECT_THAT(Get(PeerAt(), "other"), StatusIs(absl::StatusCode::kNotFound, "no such dataset"));
}

TEST_F(ChannelTest, EveryServerCountsItsCalls) {
  constexpr char kCalls[] =
      "tidemill_rpc_calls_total{method=\"/tidemill.storage.v1.StorageService/GetDataset\"} ";
  const auto count = [&] {
    const std::string text = metrics::Process().Text();
    const size_t at = text.find(kCalls);
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + sizeof(kCalls) - 1);
  };
  const int before = count();
  {
    FakeStorage storage;
    const auto server = Serve(storage);
    EXPECT_THAT(Get(PeerAt(), "elec2"), IsOk());
    EXPECT_FALSE(Get(PeerAt(), "other").ok());
  }
  EXPECT_EQ(count(), before + 2);
  const std::string text = metrics::Process().Text();
  EXPECT_THAT(text, HasSubstr("tidemill_rpc_failed_calls_total{code=\"NOT_FOUND\"}"));
  EXPECT_THAT(text, HasSubstr("tidemill_rpc_seconds_bucket{method=\"/tidemill.storage.v1."));
  EXPECT_THAT(text, HasSubstr("tidemill_rpc_open_streams "));
  ProcessCallMetrics().MeasureMemory();
  EXPECT_THAT(metrics::Process().Text(), ::testing::Not(HasSubstr("process_memory_bytes 0\n")));
}

TEST_F(ChannelTest, ALongMessageIsCutAndKeepsItsCode) {
  FakeStorage storage;
  const auto server = Serve(storage);
  const absl::Status status = Get(PeerAt(), "long");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("é%é%")));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cut here: ")));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("of 40002 bytes")));
}

TEST_F(ChannelTest, FindsAServiceThatStartsLater) {
  absl::Status status;
  FakeStorage storage;
  std::unique_ptr<Server> server;
  {
    std::jthread caller([&] { status = Get(PeerAt(), "elec2"); });
    server = Serve(storage);
  }
  EXPECT_THAT(status, IsOk());
}

TEST_F(ChannelTest, AStreamWaitsForAServiceThatIsSlowToAnswerItsConnection) {
  FakeStorage storage;
  const auto server = Serve(storage);
  const std::string path = folder_.path() + "/late";
  const LateSocket late(path, folder_.path() + "/socket", std::chrono::milliseconds{500});
  Peer peer = PeerAt();
  peer.endpoint = "unix:" + path;
  const auto stub = StorageService::NewStub(Connect(peer));
  int num_messages = 0;
  EXPECT_THAT(ReadStream(peer, *stub, &StorageService::Stub::ListQuarantine,
                         storage::v1::ListQuarantineRequest(),
                         [&](const storage::v1::ListQuarantineResponse&) {
                           ++num_messages;
                           return absl::OkStatus();
                         }),
              IsOk());
  EXPECT_EQ(num_messages, 1);
}

TEST_F(ChannelTest, AwaitsAConnectionForTheGivenTime) {
  FakeStorage storage;
  const auto channel = Connect(PeerAt());
  const auto now = std::chrono::steady_clock::now;
  AwaitConnected(*channel, {}, now());
  EXPECT_NE(channel->GetState(false), GRPC_CHANNEL_READY);
  const auto server = Serve(storage);
  AwaitConnected(*channel, {}, now() + std::chrono::seconds{30});
  EXPECT_EQ(channel->GetState(false), GRPC_CHANNEL_READY);
}

TEST_F(ChannelTest, NamesTheServiceThatIsNotThere) {
  EXPECT_THAT(Get(PeerAt(std::chrono::milliseconds{100}), "elec2"),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("GetDatasetRequest"), HasSubstr(endpoint_))));
}

TEST(RequestId, Is26CharactersAndNeverTheSame) {
  EXPECT_EQ(NewRequestId().size(), 26);
  EXPECT_NE(NewRequestId(), NewRequestId());
}

}  // namespace
}  // namespace tidemill::rpc
