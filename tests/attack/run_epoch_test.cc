// A client that sends a command with a run's highest epoch takes the run from its supervisor for
// good. Only services may; people may not, by any method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "fmt/format.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/dynamic_message.h"
#include "grpcpp/generic/generic_stub.h"

#include "base/testing/status_matchers.h"
#include "rpc/grpc_status.h"
#include "tests/attack/attacked_stack.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::tests {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using tidemill::testing::IsOk;

constexpr int64_t kRun = 77;

// By the name that the configuration gives to where it is served.
const std::map<std::string, std::string> kServices = {
    {"storage", "tidemill.storage.v1.StorageService"},
    {"supervisor", "tidemill.supervisor.v1.SupervisorService"},
    {"selector", "tidemill.selector.v1.SelectorService"},
    {"model_store", "tidemill.model_store.v1.ModelStoreService"},
    {"trainer_server", "tidemill.trainer_server.v1.TrainerService"},
    {"evaluator", "tidemill.evaluator.v1.EvaluatorService"},
    {"preprocess", "tidemill.preprocess.v1.DispatcherService"}};

class RunEpoch : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    attacked_ = new AttackedStack();
    // Linked in, so that their methods are known.
    (void)evaluator::v1::StartEvaluationRequest::descriptor();
    (void)model_store::v1::RetireModelsRequest::descriptor();
    (void)selector::v1::SealTrainingSetRequest::descriptor();
    (void)trainer_server::v1::FitGraphRequest::descriptor();
    (void)storage::v1::RegisterDatasetRequest::descriptor();
    (void)supervisor::v1::SubmitPipelineRequest::descriptor();
    (void)preprocess::v1::CreateJobRequest::descriptor();
  }
  static void TearDownTestSuite() { delete attacked_; }

  // A call of any method with a command of that epoch.
  static absl::Status Call(rpc::v1::Role role, const std::string& service,
                           const MethodDescriptor& method, int64_t epoch) {
    google::protobuf::DynamicMessageFactory messages;
    const std::unique_ptr<google::protobuf::Message> request(
        messages.GetPrototype(method.input_type())->New());
    const FieldDescriptor* const field = method.input_type()->FindFieldByName("command");
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    command.set_run_id(kRun);
    command.set_run_epoch(epoch);
    google::protobuf::Message* const set =
        request->GetReflection()->MutableMessage(request.get(), field);
    EXPECT_TRUE(set->ParseFromString(command.SerializeAsString()));
    // What the names' grammar would refuse at first.
    const FieldDescriptor* const name = method.input_type()->FindFieldByName("name");
    if (name != nullptr) request->GetReflection()->SetString(request.get(), name, "none");
    const std::string bytes = request->SerializeAsString();

    const rpc::Peer peer = attacked_->As(role, service);
    grpc::GenericStub stub(rpc::Connect(peer));
    grpc::ClientContext context;
    rpc::Prepare(peer, std::chrono::minutes{2}, context);
    // A connection may take its time on a machine that is busy; it is not an answer.
    context.set_wait_for_ready(true);
    grpc::CompletionQueue queue;
    const grpc::Slice slice(bytes);
    const grpc::ByteBuffer buffer(&slice, 1);
    const auto call = stub.PrepareUnaryCall(
        &context, fmt::format("/{}/{}", method.service()->full_name(), method.name()), buffer,
        &queue);
    grpc::ByteBuffer response;
    grpc::Status status;
    call->StartCall();
    call->Finish(&response, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    return FromGrpc(status);
  }

  static AttackedStack* attacked_;
};

AttackedStack* RunEpoch::attacked_ = nullptr;

TEST_F(RunEpoch, NoMethodTakesOneFromAPerson) {
  int num_methods = 0;
  for (const auto& [service, name] : kServices) {
    const auto* const descriptor = DescriptorPool::generated_pool()->FindServiceByName(name);
    ASSERT_NE(descriptor, nullptr) << name;
    for (int i = 0; i < descriptor->method_count(); ++i) {
      const MethodDescriptor& method = *descriptor->method(i);
      if (method.input_type()->FindFieldByName("command") == nullptr) continue;
      ++num_methods;
      for (const auto role : {rpc::v1::ROLE_READER, rpc::v1::ROLE_OPERATOR}) {
        const absl::Status status =
            Call(role, service, method, std::numeric_limits<int64_t>::max());
        const bool refused =
            absl::IsPermissionDenied(status) ||
            (absl::IsInvalidArgument(status) &&
             status.message().find("only services conduct runs") != std::string_view::npos);
        EXPECT_TRUE(refused) << method.full_name() << ": " << status;
      }
    }
  }
  EXPECT_GE(num_methods, 25);
}

// The run that was attacked above continues for its supervisor, at its own epoch.
TEST_F(RunEpoch, TheConductorOfTheRunIsHeardAfterwards) {
  const auto* const finish = DescriptorPool::generated_pool()->FindMethodByName(
      "tidemill.preprocess.v1.DispatcherService.FinishJob");
  const int64_t highest = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(Call(rpc::v1::ROLE_OPERATOR, "preprocess", *finish, highest).ok());
  EXPECT_THAT(Call(rpc::v1::ROLE_SERVICE, "preprocess", *finish, 1), IsOk());
}

TEST_F(RunEpoch, APersonStillDeletesWhatNoRunOwns) {
  const rpc::Peer peer = attacked_->As(rpc::v1::ROLE_OPERATOR, "storage");
  const auto stub = storage::v1::StorageService::NewStub(rpc::Connect(peer));
  storage::v1::DeleteDatasetRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_name("none");
  storage::v1::DeleteDatasetResponse response;
  EXPECT_THAT(
      rpc::Call(peer, *stub, &storage::v1::StorageService::Stub::DeleteDataset, request, &response),
      IsOk());
  EXPECT_FALSE(response.existed());
}

}  // namespace
}  // namespace tidemill::tests
