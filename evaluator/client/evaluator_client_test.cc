#include "evaluator/client/evaluator_client.h"

#include <atomic>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/mutex.h"
#include "base/testing/status_matchers.h"
#include "rpc/grpc_status.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::evaluator {
namespace {

using ::testing::SizeIs;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

// Its first list breaks; all others are whole.
class BreakingEvaluator final : public v1::EvaluatorService::Service {
 public:
  int num_lists() const { return num_lists_; }

  grpc::Status ListEvaluations(grpc::ServerContext* /*context*/,
                               const v1::ListEvaluationsRequest* /*request*/,
                               grpc::ServerWriter<v1::ListEvaluationsResponse>* writer) override {
    writer->Write(v1::ListEvaluationsResponse());
    if (++num_lists_ == 1) return ToGrpc(Unavailable("the list broke"));
    return grpc::Status::OK;
  }

 private:
  std::atomic<int> num_lists_ = 0;
};

// Names a model, waits for the first records, and breaks.
class BreakingPredictor final : public v1::EvaluatorService::Service {
 public:
  grpc::Status Predict(
      grpc::ServerContext* /*context*/,
      grpc::ServerReaderWriter<v1::PredictResponse, v1::PredictRequest>* stream) override {
    v1::PredictRequest request;
    stream->Read(&request);
    v1::PredictResponse response;
    response.mutable_model()->set_model_id(7);
    stream->Write(response);
    stream->Read(&request);
    return ToGrpc(Unavailable("the stream broke"));
  }
};

TEST(EvaluatorClient, ABrokenStreamEndsThePredictionThatWaitsForRecords) {
  const rpc::testing::TokenFolder folder;
  BreakingPredictor evaluator;
  const auto server = rpc::Server::Start({.listen = "unix:" + folder.path() + "/socket"},
                                         folder.tokens(), {&evaluator});
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  EvaluatorClient client(
      {.endpoint = (*server)->endpoint(), .token = folder.TokenOf(rpc::v1::ROLE_SERVICE)});
  int num_asked = 0;
  // The second records never come.
  const auto next =
      [&](const std::stop_token& stop) -> absl::StatusOr<std::optional<v1::PredictionRecords>> {
    if (++num_asked == 1) return v1::PredictionRecords();
    Mutex mutex;
    CondVar stopped;
    MutexLock lock(mutex);
    stopped.wait(mutex, stop, [] { return false; });
    return Cancelled("stopped");
  };
  const absl::Status status =
      client.Predict(v1::PredictionModel(), next,
                     {.model = [](const v1::PredictingModel&) { return absl::OkStatus(); },
                      .predictions = [](const v1::Predictions&) { return absl::OkStatus(); }});
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, "the stream broke"));
  EXPECT_EQ(num_asked, 2);
}

TEST(EvaluatorClient, DoesNotRepeatAListOfEvaluationsThatBroke) {
  const rpc::testing::TokenFolder folder;
  BreakingEvaluator evaluator;
  const auto server = rpc::Server::Start({.listen = "unix:" + folder.path() + "/socket"},
                                         folder.tokens(), {&evaluator});
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  EvaluatorClient client(
      {.endpoint = (*server)->endpoint(), .token = folder.TokenOf(rpc::v1::ROLE_SERVICE)});
  EXPECT_THAT(client.ListEvaluations(RunId{7}),
              StatusIs(absl::StatusCode::kUnavailable, "the list broke"));
  EXPECT_EQ(evaluator.num_lists(), 1);
  EXPECT_THAT(client.ListEvaluations(RunId{7}), IsOkAndHolds(SizeIs(1)));
}

}  // namespace
}  // namespace tidemill::evaluator
