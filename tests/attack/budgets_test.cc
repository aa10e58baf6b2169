// Callers that want much and take nothing: streams that are not read, uploads that never end, work
// whose caller has gone. Each service stays within its budget, and lets go of it afterwards.
//
// TIDEMILL_TEST_STREAMS: how many of each kind, 600 unless it says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/dynamic_message.h"
#include "grpcpp/generic/generic_stub.h"

#include "base/testing/process_memory.h"
#include "base/testing/process_time.h"
#include "rpc/channel.h"
#include "tests/attack/every_method.h"
#include "tests/stack.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::tests {
namespace {

using google::protobuf::Message;
using tidemill::testing::AnonymousBytesOf;
using tidemill::testing::AwaitAtMost;

// What the streams of a service may hold (docs/security.md), and what it may cost beside them.
constexpr int64_t kStreamBudget = int64_t{256} << 20;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int64_t kBeside = int64_t{1} << 30;
#else
constexpr int64_t kBeside = int64_t{128} << 20;
#endif
// Longer than any call here lasts.
constexpr std::chrono::minutes kNever{10};
constexpr std::chrono::seconds kTimeToGiveBack{60};
constexpr int kNumUploads = 400;
// The share of a processor below which a service does nothing that was asked for.
constexpr double kIdleShare = 0.06;
constexpr int kNumBacktests = 200;

int NumStreams() {
  const char* const text = std::getenv("TIDEMILL_TEST_STREAMS");
  return text == nullptr ? 600 : std::atoi(text);
}

// Calls that have begun and are never heard. They are cancelled with this object.
// Thread-compatible.
class UnheardCalls {
 public:
  explicit UnheardCalls(const rpc::Peer& peer)
      : peer_(peer), channel_(rpc::Connect(peer)), stub_(channel_) {}
  ~UnheardCalls() {
    for (Call& call : calls_) call.context->TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }
  UnheardCalls(const UnheardCalls&) = delete;
  UnheardCalls& operator=(const UnheardCalls&) = delete;

  // Begins a call with these messages. What of them the server does not take waits here.
  void Begin(const std::string& path, const std::vector<grpc::ByteBuffer>& messages,
             bool is_whole) {
    calls_.push_back({.context = std::make_unique<grpc::ClientContext>()});
    Call& call = calls_.back();
    rpc::Prepare(peer_, kNever, *call.context);
    call.context->set_wait_for_ready(true);
    call.stream = stub_.PrepareCall(call.context.get(), path, &queue_);
    call.stream->StartCall(NewTag());
    bool began = AwaitNewestTag();
    for (size_t i = 0; began && i < messages.size(); ++i) {
      const bool is_last = i + 1 == messages.size();
      if (is_last && is_whole) {
        call.stream->WriteLast(messages[i], {}, NewTag());
      } else {
        call.stream->Write(messages[i], NewTag());
      }
      // The last one may wait for its server for good.
      if (!is_last) began = AwaitNewestTag();
    }
  }

 private:
  struct Call {
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream = nullptr;
  };

  void* NewTag() { return reinterpret_cast<void*>(++newest_tag_); }
  // Passes over writes of earlier calls.
  bool AwaitNewestTag() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
      if (tag == reinterpret_cast<void*>(newest_tag_)) return ok;
    }
    return false;
  }

  const rpc::Peer peer_;
  const std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  std::vector<Call> calls_;
  uintptr_t newest_tag_ = 0;
};

grpc::ByteBuffer BytesOf(const Message& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

class Budgets : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = new Stack();
    CommandResult result = stack_->Tidemill({"up"});
    ASSERT_EQ(result.exit_code, 0) << result.err << stack_->Logs();
    const std::string pipeline = WriteSmallPipeline(stack_->files(), "{type: amount, samples: 50}");
    result = stack_->Tidemill({"run", pipeline, "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err << stack_->Logs();
    for (const char* const service :
         {"tidemill-storage", "tidemill-selector", "tidemill-supervisor", "tidemill-trainer-server",
          "tidemill-evaluator", "tidemill-model-store", "tidemill-preprocess"}) {
      const std::vector<int> found = stack_->Processes(service);
      ASSERT_FALSE(found.empty()) << service;
      for (const int process : found) before_[process] = AnonymousBytesOf(process);
    }
  }
  static void TearDownTestSuite() { delete stack_; }

  // Checks the memory that a process holds beyond what it held at first.
  static void ExpectGrowthWithin(int64_t most, const std::string& when) {
    int64_t greatest = 0;
    for (const auto& [process, bytes] : before_) {
      greatest = std::max(greatest, AnonymousBytesOf(process) - bytes);
    }
    std::printf("%5lld MiB more %s\n", static_cast<long long>(greatest >> 20), when.c_str());
    EXPECT_LE(greatest, most) << when;
  }

  // And the stack serves others.
  static void ExpectAllIsGivenBack() {
    for (const auto& [process, bytes] : before_) {
      EXPECT_LE(AwaitAtMost(process, bytes + kBeside, kTimeToGiveBack), bytes + kBeside)
          << "process " << process;
    }
    const CommandResult listed = stack_->Tidemill({"runs", "list", "--json"});
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
  }

  // Its share of a processor in a moment.
  static double LoadOfSupervisor() {
    return tidemill::testing::Busiest(stack_->Processes("tidemill-supervisor")).second;
  }

  std::unique_ptr<Message> RequestOf(const Method& method) {
    std::unique_ptr<Message> request(
        messages_.GetPrototype(method.descriptor->input_type())->New());
    FillInRequest(method, *request);
    return request;
  }

  static Stack* stack_;
  static std::map<int, int64_t> before_;
  google::protobuf::DynamicMessageFactory messages_;
};

Stack* Budgets::stack_ = nullptr;
std::map<int, int64_t> Budgets::before_;

TEST_F(Budgets, HoldWhatStreamsCostThatNobodyReads) {
  int num_kinds = 0;
  for (const Method& method : AllMethods()) {
    if (!method.descriptor->server_streaming()) continue;
    ++num_kinds;
    UnheardCalls calls(stack_->PeerOf(method.service, method.Role()));
    for (int i = 0; i < NumStreams(); ++i) {
      calls.Begin(method.Path(), {BytesOf(*RequestOf(method))},
                  /*is_whole=*/!method.descriptor->client_streaming());
    }
    ExpectGrowthWithin(kStreamBudget + kBeside, "with unread " + method.Path());
  }
  EXPECT_GE(num_kinds, 16);
  ExpectAllIsGivenBack();
}

TEST_F(Budgets, HoldWhatUploadsCostThatNeverEnd) {
  // The uploads of all services look alike. One memory for the bytes of all.
  supervisor::v1::SendNetworkRequest piece;
  piece.set_bytes(std::string(1 << 20, 'x'));
  const grpc::ByteBuffer bytes = BytesOf(piece);
  int num_kinds = 0;
  for (const Method& method : AllMethods()) {
    if (!method.descriptor->client_streaming() || method.descriptor->server_streaming()) continue;
    ++num_kinds;
    UnheardCalls calls(stack_->PeerOf(method.service, method.Role()));
    const google::protobuf::FieldDescriptor* const field =
        method.descriptor->input_type()->FindFieldByName("bytes");
    ASSERT_NE(field, nullptr) << method.Path();
    ASSERT_EQ(field->number(), supervisor::v1::SendNetworkRequest::kBytesFieldNumber);
    for (int i = 0; i < kNumUploads; ++i) {
      const std::unique_ptr<Message> request = RequestOf(method);
      Message& header = Below(*request, *request->GetDescriptor()->FindFieldByName("header"));
      if (const auto* const size = header.GetDescriptor()->FindFieldByName("size_bytes")) {
        SetInteger(header, *size, int64_t{64} << 20);
      }
      if (const auto* const digest = header.GetDescriptor()->FindFieldByName("digest")) {
        header.GetReflection()->SetString(&header, digest, std::string(64, 'a'));
      }
      calls.Begin(method.Path(), {BytesOf(*request), bytes, bytes}, /*is_whole=*/false);
    }
    ExpectGrowthWithin(kStreamBudget + kBeside, "with slow " + method.Path());
  }
  EXPECT_EQ(num_kinds, 3);
  ExpectAllIsGivenBack();
}

TEST_F(Budgets, HoldWhatBacktestsCostWhoseCallersHaveGone) {
  supervisor::v1::WatchBacktestRequest request;
  request.set_pipeline_name("small");
  request.set_num_shuffles(1'000);
  for (int i = 0; i < 20; ++i) {
    auto& policy = *request.add_policies();
    policy.set_name("drift " + std::to_string(i));
    policy.set_text(
        "{type: drift, evaluate: {samples: 20}, of: columns, columns: [a, b, c], statistic: {type: "
        "mmd, permutations: 1000}, criterion: {type: threshold, at: 0.5}}");
  }
  {
    UnheardCalls calls(stack_->PeerOf("supervisor", rpc::v1::ROLE_OPERATOR));
    for (int i = 0; i < kNumBacktests; ++i) {
      calls.Begin("/tidemill.supervisor.v1.SupervisorService/WatchBacktest", {BytesOf(request)},
                  /*is_whole=*/true);
    }
    ExpectGrowthWithin(kStreamBudget + kBeside, "with backtests");
    EXPECT_GT(LoadOfSupervisor(), kIdleShare);
  }
  ExpectAllIsGivenBack();
  double load = 1;
  for (int moment = 0; moment < 240 && load >= kIdleShare; ++moment) load = LoadOfSupervisor();
  EXPECT_LT(load, kIdleShare);
}

}  // namespace
}  // namespace tidemill::tests
