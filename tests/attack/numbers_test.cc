// Numbers that nothing has, in every integer of every request of every method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/dynamic_message.h"
#include "grpcpp/generic/generic_stub.h"

#include "base/testing/process_time.h"
#include "rpc/channel.h"
#include "rpc/grpc_status.h"
#include "tests/attack/every_method.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Generous, because the machine may be busy; work in proportion to the number would take years.
constexpr std::chrono::seconds kPatience{20};

// The way from a message to an integer below it.
using Path = std::vector<const FieldDescriptor*>;

void FindIntegers(const Descriptor& message, const Path& before, std::vector<Path>& found) {
  for (int i = 0; i < message.field_count(); ++i) {
    Path path = before;
    path.push_back(message.field(i));
    const bool is_message = message.field(i)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (IsInteger(*message.field(i))) found.push_back(path);
    if (!is_message || message.field(i)->is_map() || std::ssize(path) >= kMaxDepth) continue;
    FindIntegers(*message.field(i)->message_type(), path, found);
  }
}

class Numbers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = new Stack();
    CommandResult result = stack_->Tidemill({"up"});
    ASSERT_EQ(result.exit_code, 0) << result.err << stack_->Logs();
    result = stack_->Tidemill({"run", WriteSmallPipeline(stack_->files()), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err << stack_->Logs();
  }
  static void TearDownTestSuite() { delete stack_; }

  // A request that would be an ordinary one but for strings.
  std::unique_ptr<Message> RequestOf(const Method& method) {
    std::unique_ptr<Message> request(
        messages_.GetPrototype(method.descriptor->input_type())->New());
    FillInRequest(method, *request);
    return request;
  }

  // The end of a call, whatever its kind: one message is sent, and all that come are read.
  grpc::Status Call(const Method& method, const Message& request) {
    const rpc::v1::Role role = method.Role();
    Connection& connection = connections_[{method.service, role}];
    if (connection.channel == nullptr) {
      connection.peer = stack_->PeerOf(method.service, role);
      connection.channel = rpc::Connect(connection.peer);
    }
    grpc::GenericStub stub(connection.channel);
    grpc::ClientContext context;
    rpc::Prepare(connection.peer, kPatience, context);
    context.set_wait_for_ready(true);
    grpc::CompletionQueue queue;
    const auto step = [&] {
      void* tag = nullptr;
      bool ok = false;
      EXPECT_TRUE(queue.Next(&tag, &ok));
      return ok;
    };
    const auto call = stub.PrepareCall(&context, method.Path(), &queue);
    call->StartCall(nullptr);
    const grpc::Slice slice(request.SerializeAsString());
    if (step()) {
      call->WriteLast(grpc::ByteBuffer(&slice, 1), {}, nullptr);
      step();
      grpc::ByteBuffer answer;
      do call->Read(&answer, nullptr);
      while (step());
    }
    grpc::Status status;
    call->Finish(&status, nullptr);
    step();
    return status;
  }

  // Sends a request with the value at the end of the path.
  void ExpectAnswer(const Method& method, const Path& path, int64_t value) {
    const std::unique_ptr<Message> request = RequestOf(method);
    Message* holder = request.get();
    for (size_t i = 0; i + 1 < path.size(); ++i) holder = &Below(*holder, *path[i]);
    SetInteger(*holder, *path.back(), value);
    const grpc::Status status = Call(method, *request);
    EXPECT_NE(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED)
        << method.descriptor->full_name() << " with " << path.back()->full_name() << " " << value;
    // A service that dies breaks the connection.
    EXPECT_NE(status.error_code(), grpc::StatusCode::UNAVAILABLE)
        << method.descriptor->full_name() << " with " << path.back()->full_name() << " " << value
        << ": " << status.error_message();
    ++num_answers_;
  }

  static Stack* stack_;
  google::protobuf::DynamicMessageFactory messages_;
  struct Connection {
    rpc::Peer peer;
    std::shared_ptr<grpc::Channel> channel;
  };
  std::map<std::pair<std::string, rpc::v1::Role>, Connection> connections_;
  int64_t num_answers_ = 0;
};

Stack* Numbers::stack_ = nullptr;

TEST_F(Numbers, OfAnySizeGetAnAnswerAndLeaveNothingRunning) {
  constexpr int64_t kValues[] = {0,
                                 -1,
                                 1,
                                 std::numeric_limits<int32_t>::min(),
                                 std::numeric_limits<int32_t>::max(),
                                 1'000'000'000'000'000,
                                 std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()};
  const std::vector<int> services = stack_->Processes();
  const std::vector<Method> methods = AllMethods();
  EXPECT_GE(methods.size(), 67);
  for (const Method& method : methods) {
    std::vector<Path> paths;
    FindIntegers(*method.descriptor->input_type(), {}, paths);
    for (const Path& path : paths) {
      for (const int64_t value : kValues) ExpectAnswer(method, path, value);
    }
  }
  EXPECT_GT(num_answers_, 1'000);
  EXPECT_EQ(stack_->Processes("tidemill-trainer-server").size(), 1u);
  // What the answers left to do, such as writing what was changed, is soon done. On a busy machine
  // who never ends gets a small share of a processor, too.
  constexpr double kIdle = 0.06;
  std::pair<int, double> busiest;
  for (int moment = 0, num_idle = 0; moment < 240; ++moment) {
    busiest = tidemill::testing::Busiest(services);
    num_idle = busiest.second < kIdle ? num_idle + 1 : 0;
    if (num_idle == 4) return;
  }
  FAIL() << "process " << busiest.first << " takes " << busiest.second << " of a processor";
}

}  // namespace
}  // namespace tidemill::tests
