// The client against the dispatcher through a real server.
#include "preprocess/dispatcher/dispatcher_service.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/threads/worker_pool.h"
#include "base/time.h"
#include "externalscaler/externalscaler.grpc.pb.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/dispatcher/dispatcher_server.h"
#include "preprocess/dispatcher/testing/dispatcher_life.h"
#include "preprocess/scaling/external_scaler.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RequestOf;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

std::string AddressThatWasFree() {
  return (*ExternalScaler::Start({.address = "127.0.0.1:0"}, [] { return ScaleWanted(); }))
      ->endpoint();
}

class DispatcherServiceTest : public ::testing::Test {
 protected:
  DispatcherServiceTest() : service_(*life_) {
    server_ = *rpc::Server::Start({.listen = "unix:" + folder_.path() + "/socket"},
                                  folder_.tokens(), {&service_});
    client_ = std::make_unique<DispatcherClient>(
        rpc::Peer{.endpoint = server_->endpoint(),
                  .token = folder_.TokenOf(rpc::v1::ROLE_SERVICE),
                  .deadline = std::chrono::seconds{20}});
  }
  ~DispatcherServiceTest() override { life_->Stop(); }

  // The process of a job of run 7.
  DispatcherClient ClientOf(const std::string& holder) {
    rpc::v1::JobClaims claims;
    claims.set_holder(holder);
    claims.set_run_id(7);
    claims.set_expires_at(Now().micros + int64_t{60} * 1'000'000);
    return DispatcherClient(
        {.endpoint = server_->endpoint(), .token = folder_.tokens().SignForJob(claims).value()});
  }

  v1::LeaseSplitsRequest LeaseRequest(const v1::WorkerIncarnation& worker, int32_t max_splits) {
    v1::LeaseSplitsRequest request;
    *request.mutable_worker() = worker;
    request.set_max_splits(max_splits);
    return request;
  }

  rpc::testing::TokenFolder folder_;
  testing::DispatcherLife life_;
  DispatcherService service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<DispatcherClient> client_;
};

TEST_F(DispatcherServiceTest, CarriesAJobFromItsCreationToItsEnd) {
  const auto job = client_->CreateJob(RequestOf(testing::JobShape{.lanes = {{.end_batch = 8}}}));
  ASSERT_THAT(job, IsOk());
  EXPECT_EQ(client_->GetJob(*job)->spec(), "spec of a job");
  const auto worker = client_->RegisterWorker(testing::RegistrationOf("a"));
  ASSERT_THAT(worker, IsOk());
  v1::ReportProgressRequest report = RequestOf(testing::Report{.job_id = *job});
  *report.add_connected() = *worker;
  const auto told = client_->ReportProgress(report);
  ASSERT_THAT(told, IsOk());
  ASSERT_THAT(told->workers(), SizeIs(1));
  EXPECT_EQ(told->workers(0).endpoint(), "unix:/run/a");
  const auto leased = client_->LeaseSplits(LeaseRequest(*worker, 5));
  ASSERT_THAT(leased, IsOk());
  EXPECT_THAT(leased->splits(), SizeIs(2));
  EXPECT_EQ(client_->ListJobs()->jobs(0).num_leased(), 2);
  EXPECT_EQ(client_->ListWorkers()->workers(0).num_leased(), 2);
  EXPECT_GT(client_->ListWorkers()->workers(0).last_seen(), 1'700'000'000'000'000);
  EXPECT_THAT(client_->DrainWorker(worker->worker_id()), IsOk());
  EXPECT_TRUE(client_->LeaseSplits(LeaseRequest(*worker, 0))->draining());
  v1::FinishJobRequest finish;
  finish.set_job_id(*job);
  EXPECT_THAT(client_->FinishJob(finish), IsOk());
  EXPECT_THAT(client_->GetJob(*job), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(DispatcherServiceTest, AJobOfOneProcessIsNoneOfAnother) {
  DispatcherClient own = ClientOf("train-7-1");
  DispatcherClient other = ClientOf("train-8-1");
  v1::CreateJobRequest request = RequestOf(testing::JobShape{.lanes = {{.end_batch = 8}}});
  request.mutable_command()->set_run_id(0);
  const auto job = own.CreateJob(request);
  ASSERT_THAT(job, IsOk());
  EXPECT_EQ(client_->GetJob(*job)->scope().holder(), "train-7-1") << "for its workers";
  const auto denied = StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("train-8-1"));
  EXPECT_THAT(other.CreateJob(request), denied) << "that of the same name";
  v1::ReportProgressRequest report;
  report.set_job_id(*job);
  EXPECT_THAT(other.ReportProgress(report), denied);
  EXPECT_THAT(own.ReportProgress(report), IsOk());
  v1::FinishJobRequest finish;
  finish.set_job_id(*job);
  EXPECT_THAT(other.FinishJob(finish), denied);
  finish.mutable_command()->set_run_id(9);
  EXPECT_THAT(own.FinishJob(finish),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("run 9")));
  finish.mutable_command()->set_run_id(7);
  EXPECT_THAT(own.FinishJob(finish), IsOk());
  EXPECT_THAT(own.GetJob(*job), StatusIs(absl::StatusCode::kPermissionDenied, _));
  EXPECT_THAT(own.ListJobs(), StatusIs(absl::StatusCode::kPermissionDenied, _));
}

TEST_F(DispatcherServiceTest, SaysWhatIsWrong) {
  EXPECT_THAT(client_->CreateJob({}), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(client_->ReportProgress({}), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(client_->LeaseSplits({}), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(client_->RegisterWorker({}), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(client_->DrainWorker(9), StatusIs(absl::StatusCode::kNotFound, HasSubstr("9")));
}

TEST_F(DispatcherServiceTest, TheRunningServiceAnswersCallersThatWaitedLongEnough) {
  rpc::ServiceContext context;
  context.cluster.database = life_.postgres().connection_string();
  context.config_text = "preprocess: {worker_timeout: 2s}\n";
  const auto service = StartDispatcher(context);
  ASSERT_THAT(service, IsOk());
  const auto server = rpc::Server::Start({.listen = "unix:" + folder_.path() + "/running"},
                                         folder_.tokens(), (*service)->Faces());
  ASSERT_THAT(server, IsOk());
  ASSERT_THAT((*service)->Started(""), IsOk());
  DispatcherClient client(
      {.endpoint = (*server)->endpoint(), .token = folder_.TokenOf(rpc::v1::ROLE_SERVICE)});
  const auto worker = client.RegisterWorker(testing::RegistrationOf("a"));
  ASSERT_THAT(worker, IsOk());
  v1::LeaseSplitsRequest request = LeaseRequest(*worker, 1);
  request.set_wait_millis(100);
  const auto response = client.LeaseSplits(request);
  ASSERT_THAT(response, IsOk());
  EXPECT_THAT(response->splits(), IsEmpty());
  (*service)->Stopping();
}

TEST_F(DispatcherServiceTest, TheRunningServiceTellsKedaWhetherThereAreJobs) {
  const std::string address = AddressThatWasFree();
  rpc::ServiceContext context;
  context.cluster.database = life_.postgres().connection_string();
  context.config_text = "preprocess: {scaler_address: \"" + address + "\"}\n";
  const auto service = StartDispatcher(context);
  ASSERT_THAT(service, IsOk());
  ASSERT_THAT((*service)->Started("unix:unused"), IsOk());
  const auto keda = externalscaler::ExternalScaler::NewStub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext call;
  externalscaler::IsActiveResponse response;
  ASSERT_TRUE(keda->IsActive(&call, {}, &response).ok());
  EXPECT_FALSE(response.result());
  (*service)->Stopping();
}

TEST_F(DispatcherServiceTest, RefusesASectionThatMakesNoSense) {
  rpc::ServiceContext context;
  context.cluster.database = life_.postgres().connection_string();
  context.config_text = "preprocess: {worker_timeout: 1ms}\n";
  EXPECT_THAT(StartDispatcher(context),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("worker_timeout")));
}

// More workers wait at once than a server has threads for.
TEST_F(DispatcherServiceTest, ManyWorkersWaitAndAllAreGivenWorkWhenThereIsSome) {
  constexpr int64_t kWorkers = 40;
  std::vector<v1::WorkerIncarnation> workers;
  for (int64_t i = 0; i < kWorkers; ++i) {
    workers.push_back(*client_->RegisterWorker(testing::RegistrationOf(std::to_string(i))));
  }
  Mutex mutex;
  std::set<int64_t> given;
  WorkerPool pool("leases", kWorkers + 1);
  pool.ParallelFor(kWorkers + 1, [&](int64_t i) {
    if (i == kWorkers) {
      const int64_t job = *client_->CreateJob(
          RequestOf(testing::JobShape{.lanes = {{.end_batch = kWorkers}}, .split_batches = 1}));
      v1::ReportProgressRequest report =
          RequestOf(testing::Report{.job_id = job, .lanes = {{.window = kWorkers}}});
      for (const auto& worker : workers) *report.add_connected() = worker;
      EXPECT_THAT(client_->ReportProgress(report), IsOk());
      return;
    }
    for (bool has_one = false; !has_one;) {
      v1::LeaseSplitsRequest request = LeaseRequest(workers[static_cast<size_t>(i)], 1);
      request.set_wait_millis(1000);
      const auto response = client_->LeaseSplits(request);
      ASSERT_THAT(response, IsOk());
      has_one = !response->splits().empty();
      MutexLock lock(mutex);
      for (const v1::Split& split : response->splits()) given.insert(split.from_batch());
    }
  });
  EXPECT_THAT(given, SizeIs(kWorkers));
}

}  // namespace
}  // namespace tidemill::preprocess
