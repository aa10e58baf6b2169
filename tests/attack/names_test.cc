// Names and numbers that are none, sent to every method that takes one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/testing/status_matchers.h"
#include "rpc/channel.h"
#include "tests/stack.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::StatusIs;

const std::string kBadNames[] = {std::string("drift\0x", 7),
                                 "../../drift",
                                 "a\nb",
                                 "\x1b]0;owned\x07",
                                 std::string("gpj.\xE2\x80\xAE") + "exe",
                                 std::string(3'000, 'x'),
                                 std::string(11'000, 'y'),
                                 ".",
                                 "-rf",
                                 "a b",
                                 "a/b"};

class NamesAttackTest : public ::testing::Test {
 protected:
  NamesAttackTest() {
    const CommandResult up = stack_.Tidemill({"up"});
    EXPECT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
  }

  template <typename Face, typename Method, typename Request, typename Response>
  absl::Status Call(const std::string& service, Method method, const Request& request,
                    Response* response, rpc::v1::Role role = rpc::v1::ROLE_OPERATOR) {
    const rpc::Peer peer = stack_.PeerOf(service, role);
    return rpc::Call(peer, *Face::NewStub(rpc::Connect(peer)), method, request, response);
  }

  // Sends it with every bad name in the place that `set` fills. What refuses it is the grammar: no
  // answer, no words of PostgreSQL, and no code of another failure.
  template <typename Face, typename Response, typename Request, typename Method>
  void ExpectRefused(const std::string& service, Method method, Request request,
                     const std::function<void(Request&, const std::string&)>& set,
                     rpc::v1::Role role = rpc::v1::ROLE_OPERATOR) {
    for (const std::string& bad : kBadNames) {
      request.Clear();
      if constexpr (requires { request.mutable_command(); }) {
        request.mutable_command()->set_request_id(rpc::NewRequestId());
      }
      set(request, bad);
      Response response;
      const absl::Status status = Call<Face>(service, method, request, &response, role);
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                   AnyOf(HasSubstr("cannot name a"), HasSubstr("invisible"),
                                         HasSubstr("are allowed"))))
          << request.GetTypeName();
      const std::string message(status.message());
      EXPECT_THAT(message, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n")),
                                 Not(HasSubstr("\xE2\x80\xAE")), Not(HasSubstr("PostgreSQL"))));
      EXPECT_LT(message.size(), 1'000);
    }
  }

  const Stack stack_;
};

TEST_F(NamesAttackTest, StorageTakesNoneThatIsNone) {
  namespace v1 = storage::v1;
  using Face = v1::StorageService;
  ExpectRefused<Face, v1::RegisterDatasetResponse, v1::RegisterDatasetRequest>(
      "storage", &Face::Stub::RegisterDataset, {}, [&](auto& request, const std::string& bad) {
        request.set_name(bad);
        request.set_spec("path: " + stack_.files() + "\nformat: csv\n");
      });
  ExpectRefused<Face, v1::RegisterDatasetResponse, v1::RegisterDatasetRequest>(
      "storage", &Face::Stub::RegisterDataset, {}, [&](auto& request, const std::string& bad) {
        request.set_name("fine");
        request.set_namespace_(bad);
        request.set_spec("path: " + stack_.files() + "\nformat: csv\n");
      });
  ExpectRefused<Face, v1::GetDatasetResponse, v1::GetDatasetRequest>(
      "storage", &Face::Stub::GetDataset, {},
      [](auto& request, const std::string& bad) { request.set_name(bad); });
  ExpectRefused<Face, v1::GetDatasetResponse, v1::GetDatasetRequest>(
      "storage", &Face::Stub::GetDataset, {}, [](auto& request, const std::string& bad) {
        request.set_name("fine");
        request.set_namespace_(bad);
      });
  ExpectRefused<Face, v1::ListDatasetsResponse, v1::ListDatasetsRequest>(
      "storage", &Face::Stub::ListDatasets, {},
      [](auto& request, const std::string& bad) { request.set_namespace_(bad); });
  ExpectRefused<Face, v1::DeleteDatasetResponse, v1::DeleteDatasetRequest>(
      "storage", &Face::Stub::DeleteDataset, {}, [](auto& request, const std::string& bad) {
        request.set_name("fine");
        request.set_namespace_(bad);
      });
}

TEST_F(NamesAttackTest, AZeroByteDeletesNobodyElsesDataset) {
  namespace v1 = storage::v1;
  using Face = v1::StorageService;
  const CommandResult run =
      stack_.Tidemill({"datasets", "register", WriteSmallPipeline(stack_.files())});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack_.Logs();
  v1::DeleteDatasetRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_name(std::string("drift\0x", 7));
  v1::DeleteDatasetResponse response;
  EXPECT_THAT(Call<Face>("storage", &Face::Stub::DeleteDataset, request, &response),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("drift\\x00x")));
  EXPECT_EQ(stack_.Tidemill({"datasets", "show", "drift"}).exit_code, 0);
}

TEST_F(NamesAttackTest, TheSupervisorTakesNoneThatIsNone) {
  namespace v1 = supervisor::v1;
  using Face = v1::SupervisorService;
  ExpectRefused<Face, v1::GetPipelineResponse, v1::GetPipelineRequest>(
      "supervisor", &Face::Stub::GetPipeline, {},
      [](auto& request, const std::string& bad) { request.set_name(bad); });
  ExpectRefused<Face, v1::DeletePipelineResponse, v1::DeletePipelineRequest>(
      "supervisor", &Face::Stub::DeletePipeline, {},
      [](auto& request, const std::string& bad) { request.set_name(bad); });
  ExpectRefused<Face, v1::ListPipelinesResponse, v1::ListPipelinesRequest>(
      "supervisor", &Face::Stub::ListPipelines, {},
      [](auto& request, const std::string& bad) { request.set_namespace_(bad); });
  ExpectRefused<Face, v1::ListRunsResponse, v1::ListRunsRequest>(
      "supervisor", &Face::Stub::ListRuns, {},
      [](auto& request, const std::string& bad) { request.set_pipeline_name(bad); });
  ExpectRefused<Face, v1::SubmitPipelineResponse, v1::SubmitPipelineRequest>(
      "supervisor", &Face::Stub::SubmitPipeline, {}, [](auto& request, const std::string& bad) {
        request.set_namespace_(bad);
        request.set_pipeline("version: 1\n");
      });
}

TEST_F(NamesAttackTest, TheDispatcherTakesNoLabelThatCannotBeShown) {
  namespace v1 = preprocess::v1;
  using Face = v1::DispatcherService;
  // Jobs and workers are called by paths and endpoints: only what hides or does not end is refused.
  for (const std::string& bad :
       {std::string("job\0x", 5), std::string("a\nb"), std::string("\x1b[2J"),
        std::string("gpj.\xE2\x80\xAE"
                    "exe"),
        std::string(3'000, 'x')}) {
    v1::CreateJobRequest job;
    job.mutable_command()->set_request_id(rpc::NewRequestId());
    job.set_name(bad);
    v1::CreateJobResponse created;
    EXPECT_THAT(
        Call<Face>("preprocess", &Face::Stub::CreateJob, job, &created, rpc::v1::ROLE_SERVICE),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("job's name")));
    v1::RegisterWorkerRequest worker;
    worker.set_name(bad);
    worker.set_endpoint("unix:/nowhere");
    v1::RegisterWorkerResponse registered;
    EXPECT_THAT(Call<Face>("preprocess", &Face::Stub::RegisterWorker, worker, &registered,
                           rpc::v1::ROLE_SERVICE),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("worker's name")));
  }
}

TEST_F(NamesAttackTest, ABadNumberIsRefusedBeforeTheDatabaseSeesIt) {
  namespace v1 = storage::v1;
  using Face = v1::StorageService;
  const CommandResult registered =
      stack_.Tidemill({"datasets", "register", WriteSmallPipeline(stack_.files())});
  ASSERT_EQ(registered.exit_code, 0) << registered.err << stack_.Logs();
  v1::GetDatasetRequest get;
  get.set_name("drift");
  v1::GetDatasetResponse dataset;
  ASSERT_TRUE(Call<Face>("storage", &Face::Stub::GetDataset, get, &dataset).ok());
  const rpc::Peer peer = stack_.PeerOf("storage", rpc::v1::ROLE_OPERATOR);
  const auto stub = Face::NewStub(rpc::Connect(peer));
  v1::ListQuarantineRequest request;
  request.set_dataset_id(dataset.dataset().dataset_id());
  request.set_limit(-1);
  grpc::ClientContext context;
  rpc::Prepare(peer, peer.deadline, context);
  const auto reader = stub->ListQuarantine(&context, request);
  v1::ListQuarantineResponse response;
  EXPECT_FALSE(reader->Read(&response));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), AllOf(HasSubstr("-1"), Not(HasSubstr("LIMIT"))));
}

TEST_F(NamesAttackTest, AnErrorOfAnyLengthArrivesAsWhatItIs) {
  namespace v1 = supervisor::v1;
  using Face = v1::SupervisorService;
  v1::SubmitPipelineRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_file_name("long.yaml");
  std::string pipeline = "version: 1\n";
  for (int i = 0; i < 20; ++i) {
    pipeline += "unknown_" + std::to_string(i) + std::string(900, 'x') + ": 1\n";
  }
  request.set_pipeline(pipeline);
  v1::SubmitPipelineResponse response;
  EXPECT_THAT(Call<Face>("supervisor", &Face::Stub::SubmitPipeline, request, &response),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("unknown_"), HasSubstr("cut here"))));
}

}  // namespace
}  // namespace tidemill::tests
