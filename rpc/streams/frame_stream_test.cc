#include "rpc/streams/frame_stream.h"

#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "rpc/channel.h"
#include "rpc/grpc_status.h"
#include "rpc/request_door.h"
#include "rpc/server.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"

namespace tidemill::rpc {
namespace {

using preprocess::v1::ReadBatchesRequest;
using preprocess::v1::ReadBatchesResponse;
using preprocess::v1::WorkerService;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// The callers who fill the door, and one who waits at it.
constexpr int kMaxStreams = RequestDoor::kMaxAtOnce + 1;
// The time for a request, so that a client that sends none is given up soon.
constexpr Duration kRequestTime{1'000'000};

MATCHER(IsGivenUp, "") {
  return ::testing::ExplainMatchResult(
      StatusIs(absl::StatusCode::kDeadlineExceeded, "the request did not come within 1s"), arg,
      result_listener);
}

// One message, once it may be sent.
class OneMessage final : public FrameSource {
 public:
  explicit OneMessage(std::latch& may_answer) : may_answer_(may_answer) {}

  absl::StatusOr<std::optional<grpc::ByteBuffer>> Next(int64_t /*most_bytes*/) override {
    may_answer_.wait();
    if (is_sent_) return std::optional<grpc::ByteBuffer>();
    is_sent_ = true;
    return std::optional(ToBytes(ReadBatchesResponse()));
  }
  int64_t num_bytes_held() const override { return 0; }

 private:
  std::latch& may_answer_;
  bool is_sent_ = false;
};

// A service whose stub opens a stream first and sends the request when it is told to.
class OneMessageService final : public FrameService<WorkerService> {
 public:
  OneMessageService(const Senders& senders, std::latch& may_answer) {
    Serve("ReadBatches", senders, [&may_answer](const grpc::ByteBuffer&) {
      return std::make_unique<OneMessage>(may_answer);
    });
  }
};

// A stream from the caller's side, open once it is made.
class Caller {
 public:
  // Gives up itself long after the server should have.
  explicit Caller(const Peer& peer) {
    Prepare(peer, std::chrono::seconds{20}, context_);
    stream_ = WorkerService::NewStub(Connect(peer))->ReadBatches(&context_);
  }

  bool Ask() { return stream_->Write(ReadBatchesRequest()); }

  // Waits for the end of the stream.
  absl::Status End() {
    ReadBatchesResponse message;
    while (stream_->Read(&message)) ++num_messages_;
    return FromGrpc(stream_->Finish());
  }
  int num_messages() const { return num_messages_; }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<ReadBatchesRequest, ReadBatchesResponse>> stream_;
  int num_messages_ = 0;
};

class FrameStreamTest : public ::testing::Test {
 protected:
  std::unique_ptr<Caller> Open() const { return std::make_unique<Caller>(peer_); }

  // A caller may see the end of a stream before the server has let go of it.
  void ExpectAllPlacesFree() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (budget_.num_streams() > 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_EQ(budget_.num_streams(), 0);
  }

  const testing::TokenFolder folder_;
  std::latch may_answer_{1};
  WorkerPool pool_{"test.send", 2};
  StreamBudget budget_{{.max_streams = kMaxStreams, .max_streams_per_caller = kMaxStreams}};
  OneMessageService service_{{pool_, budget_, kRequestTime}, may_answer_};
  const std::unique_ptr<Server> server_ = *Server::Start(
      {.listen = "unix:" + folder_.path() + "/socket"}, folder_.tokens(), {&service_});
  const Peer peer_{.endpoint = server_->endpoint(), .token = folder_.TokenOf(v1::ROLE_SERVICE)};
};

TEST_F(FrameStreamTest, GivesUpCallersWithoutARequestAndServesThoseThatWait) {
  may_answer_.count_down();
  std::vector<std::unique_ptr<Caller>> silent(RequestDoor::kMaxAtOnce);
  for (auto& caller : silent) caller = Open();
  const auto waiting = Open();
  EXPECT_TRUE(waiting->Ask());
  EXPECT_THAT(waiting->End(), IsOk());
  EXPECT_EQ(waiting->num_messages(), 1);
  for (const auto& caller : silent) EXPECT_THAT(caller->End(), IsGivenUp());
  ExpectAllPlacesFree();
}

TEST_F(FrameStreamTest, GivesUpNobodyWhoseRequestHasComeHoweverLongTheAnswerTakes) {
  const auto asking = Open();
  EXPECT_TRUE(asking->Ask());
  // Whose time began later, so that the other's is over, too.
  EXPECT_THAT(Open()->End(), IsGivenUp());
  may_answer_.count_down();
  EXPECT_THAT(asking->End(), IsOk());
  EXPECT_EQ(asking->num_messages(), 1);
}

}  // namespace
}  // namespace tidemill::rpc
