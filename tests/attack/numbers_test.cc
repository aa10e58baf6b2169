// Numbers that nothing has, in every integer of every request of every method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/dynamic_message.h"
#include "grpcpp/generic/generic_stub.h"

#include "base/testing/process_time.h"
#include "rpc/channel.h"
#include "rpc/grpc_status.h"
#include "tests/stack.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::tests {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::Reflection;

// Generous, because the machine may be busy; what goes by a number takes years.
constexpr std::chrono::seconds kPatience{20};
constexpr int kMaxDepth = 4;

// By the name that the configuration gives to where it is served.
const std::map<std::string, const google::protobuf::FileDescriptor*>& Services() {
  static const std::map<std::string, const google::protobuf::FileDescriptor*> services = {
      {"storage", storage::v1::RegisterDatasetRequest::descriptor()->file()},
      {"supervisor", supervisor::v1::SubmitPipelineRequest::descriptor()->file()},
      {"selector", selector::v1::SealTrainingSetRequest::descriptor()->file()},
      {"model_store", model_store::v1::RetireModelsRequest::descriptor()->file()},
      {"trainer_server", trainer_server::v1::FitGraphRequest::descriptor()->file()},
      {"evaluator", evaluator::v1::StartEvaluationRequest::descriptor()->file()},
      {"preprocess", preprocess::v1::CreateJobRequest::descriptor()->file()}};
  return services;
}

struct Method {
  std::string service;
  const MethodDescriptor* descriptor;
};

// Those that take something away come last.
std::vector<Method> AllMethods() {
  std::vector<Method> methods;
  for (const auto& [service, file] : Services()) {
    for (int i = 0; i < file->service_count(); ++i) {
      const bool is_worker = file->service(i)->name() == "WorkerService";
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back({is_worker ? "preprocess_worker" : service, file->service(i)->method(j)});
      }
    }
  }
  const auto takes_away = [](const Method& method) {
    const std::string& name = method.descriptor->name();
    return name.starts_with("Delete") || name.starts_with("Drain") || name.starts_with("Retire");
  };
  std::stable_partition(methods.begin(), methods.end(),
                        [&](const Method& method) { return !takes_away(method); });
  return methods;
}

bool Allows(const MethodDescriptor& method, rpc::v1::Role role) {
  const auto& allowed = method.options().GetRepeatedExtension(rpc::v1::allowed);
  return std::find(allowed.begin(), allowed.end(), role) != allowed.end();
}

bool IsInteger(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_INT32 ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_INT64;
}

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

void SetInteger(Message& message, const FieldDescriptor& field, int64_t value) {
  const Reflection& reflection = *message.GetReflection();
  const auto small = static_cast<int32_t>(std::clamp<int64_t>(
      value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
  const bool is_small = field.cpp_type() == FieldDescriptor::CPPTYPE_INT32;
  if (!field.is_repeated()) {
    is_small ? reflection.SetInt32(&message, &field, small)
             : reflection.SetInt64(&message, &field, value);
    return;
  }
  reflection.ClearField(&message, &field);
  is_small ? reflection.AddInt32(&message, &field, small)
           : reflection.AddInt64(&message, &field, value);
}

// The message below, of which there is one.
Message& Below(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) return *reflection.MutableMessage(&message, &field);
  if (reflection.FieldSize(message, &field) == 0) reflection.AddMessage(&message, &field);
  return *reflection.MutableRepeatedMessage(&message, &field, 0);
}

// Every integer is 1, the number of the first dataset, run, model and trigger.
void FillIn(Message& message, int depth) {
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (IsInteger(field)) {
      SetInteger(message, field, 1);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_map() &&
               depth < kMaxDepth) {
      FillIn(Below(message, field), depth + 1);
    }
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
  std::unique_ptr<Message> RequestOf(const MethodDescriptor& method) {
    std::unique_ptr<Message> request(messages_.GetPrototype(method.input_type())->New());
    FillIn(*request, 1);
    const std::string unique = fmt::format("n{}", ++num_requests_);
    const std::map<std::string, std::string> strings = {
        {"name", unique}, {"endpoint", "unix:/nowhere"}, {"pipeline_name", "small"}};
    for (const auto& [name, value] : strings) {
      const FieldDescriptor* const field = method.input_type()->FindFieldByName(name);
      if (field != nullptr) request->GetReflection()->SetString(request.get(), field, value);
    }
    if (Message* const command = CommandOf(*request)) {
      rpc::v1::Command sent;
      sent.set_request_id(rpc::NewRequestId());
      // People name none, and no run is taken from its supervisor.
      sent.set_run_id(Allows(method, rpc::v1::ROLE_OPERATOR) ? 0 : 1'000 + num_requests_);
      sent.set_run_epoch(1);
      EXPECT_TRUE(command->ParseFromString(sent.SerializeAsString()));
    }
    return request;
  }

  static Message* CommandOf(Message& request) {
    const FieldDescriptor* const header = request.GetDescriptor()->FindFieldByName("header");
    Message& holder = header == nullptr ? request : Below(request, *header);
    const FieldDescriptor* const field = holder.GetDescriptor()->FindFieldByName("command");
    return field == nullptr ? nullptr : &Below(holder, *field);
  }

  // The end of a call, whatever its kind: one message is sent, and all that come are read.
  grpc::Status Call(const Method& method, const Message& request) {
    const rpc::v1::Role role = Allows(*method.descriptor, rpc::v1::ROLE_SERVICE)
                                   ? rpc::v1::ROLE_SERVICE
                                   : rpc::v1::ROLE_OPERATOR;
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
    const auto call = stub.PrepareCall(
        &context,
        fmt::format("/{}/{}", method.descriptor->service()->full_name(), method.descriptor->name()),
        &queue);
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
    const std::unique_ptr<Message> request = RequestOf(*method.descriptor);
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
  int64_t num_requests_ = 0;
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
