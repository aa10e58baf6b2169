// Predictions from the real job program, through the service.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/mutex.h"
#include "base/testing/status_matchers.h"
#include "evaluator/testing/running_evaluator.h"
#include "evaluator/testing/samples.h"
#include "evaluator/testing/weights.h"

namespace tidemill::evaluator {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr int64_t kNumRecords = 300;

// The processes below this one that have this name.
std::vector<pid_t> ProcessesNamed(const std::string& name) {
  std::map<pid_t, pid_t> parents;
  std::vector<pid_t> named;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    std::ifstream status(entry.path() / "stat");
    std::string text;
    if (pid <= 0 || !std::getline(status, text)) continue;
    const size_t end = text.rfind(')');
    parents[pid] = std::atoi(text.c_str() + end + 4);
    if (text.find("(" + name.substr(0, 15)) != std::string::npos) named.push_back(pid);
  }
  std::erase_if(named, [&](pid_t pid) {
    while (pid > 1 && pid != getpid()) pid = parents.contains(pid) ? parents[pid] : 0;
    return pid != getpid();
  });
  return named;
}

// A process that predicts is a child of the zygote of its service.
std::vector<pid_t> PidsOfPredictors() {
  std::vector<pid_t> pids = ProcessesNamed("tidemill-evaluate");
  std::erase(pids, pids.empty() ? 0 : *std::ranges::min_element(pids));
  return pids;
}

v1::PredictionModel Model(int64_t model_id) {
  v1::PredictionModel model;
  model.set_model_id(model_id);
  return model;
}

v1::PredictionRecords Records(const std::vector<std::string>& records) {
  v1::PredictionRecords message;
  for (const std::string& record : records) message.add_records(record);
  return message;
}

class PredictionTest : public ::testing::Test {
 protected:
  struct Answer {
    v1::PredictingModel model;
    std::vector<v1::Predictions> predictions = {};
  };

  void Serve(const testing::RunningEvaluator::Options& options = {}) {
    running_.reset();
    running_ = std::make_unique<testing::RunningEvaluator>(cluster_, options);
  }

  // `between` is called before each request but the first, when those before it are answered.
  absl::StatusOr<Answer> Predict(const v1::PredictionModel& model,
                                 const std::vector<v1::PredictionRecords>& requests,
                                 const std::function<void()>& between = {}) {
    Answer answer;
    size_t next = 0;
    Mutex mutex;
    CondVar answered;
    size_t num_answered = 0;
    const auto take_next =
        [&](const std::stop_token&) -> absl::StatusOr<std::optional<v1::PredictionRecords>> {
      MutexLock lock(mutex);
      if (between) answered.wait(mutex, [&] { return num_answered == next; });
      if (next == requests.size()) return std::nullopt;
      if (between && next > 0) between();
      return requests[next++];
    };
    RETURN_IF_ERROR(running_->client().Predict(model, take_next,
                                               {.model =
                                                    [&](const v1::PredictingModel& said) {
                                                      answer.model = said;
                                                      return absl::OkStatus();
                                                    },
                                                .predictions =
                                                    [&](v1::Predictions predictions) {
                                                      MutexLock lock(mutex);
                                                      answer.predictions.push_back(
                                                          std::move(predictions));
                                                      ++num_answered;
                                                      answered.notify_all();
                                                      return absl::OkStatus();
                                                    }}));
    return answer;
  }

  testing::Cluster cluster_{kNumRecords};
  std::unique_ptr<testing::RunningEvaluator> running_;
};

TEST_F(PredictionTest, EqualsWhatTheEvaluatorSaysAboutStoredSamples) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  const batch::Batch stored = testing::Samples(0, kNumRecords);
  v1::ReadModelColumnsRequest request;
  request.mutable_command()->set_run_id(1);
  request.mutable_command()->set_run_epoch(1);
  request.set_model_id(model);
  request.set_dataset_id(1);
  request.set_dataset_spec(testing::kDatasetSpec);
  request.mutable_keys()->Add(stored.keys().begin(), stored.keys().end());
  request.add_columns(v1::MODEL_COLUMN_PREDICTION);
  std::vector<float> expected;
  ASSERT_THAT(running_->client().ReadModelColumns(
                  request,
                  [&](const batch::Batch& rows) {
                    const auto numbers = rows.Find("prediction")->Values<float>();
                    expected.insert(expected.end(), numbers.begin(), numbers.end());
                    return absl::OkStatus();
                  }),
              IsOk());
  // In requests of other sizes than the evaluator's blocks.
  std::vector<v1::PredictionRecords> requests;
  for (int64_t row = 0; row < kNumRecords; ++row) {
    if (row % 37 == 0) requests.emplace_back();
    requests.back().add_records(std::string(stored.Find(batch::kPayloadColumn)->Bytes(row)));
  }
  const auto answer = Predict(Model(model), requests);
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->model.model_id(), model);
  EXPECT_EQ(answer->model.num_outputs(), 2);
  EXPECT_TRUE(answer->model.is_class());
  EXPECT_THAT(answer->model.classes(), ElementsAre("LOW", "HIGH"));
  std::vector<float> said;
  for (const v1::Predictions& predictions : answer->predictions) {
    said.insert(said.end(), predictions.outputs().begin(), predictions.outputs().end());
  }
  EXPECT_EQ(said, expected);
}

TEST_F(PredictionTest, ARecordWithoutAnAnswerCostsItselfAloneAndSaysWhy) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  const auto answer =
      Predict(Model(model), {Records({"1,", "much,LOW", "9", "3,HIGH"}), Records({})});
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer->predictions.size(), 2U);
  const v1::Predictions& predictions = answer->predictions[0];
  EXPECT_THAT(predictions.records(), ElementsAre(0, 3));
  EXPECT_EQ(predictions.outputs_size(), 4);
  ASSERT_EQ(predictions.unanswered_size(), 2);
  EXPECT_EQ(predictions.unanswered(0).record(), 1);
  EXPECT_THAT(predictions.unanswered(0).reason(), AllOf(HasSubstr("x"), HasSubstr("much")));
  EXPECT_EQ(predictions.unanswered(1).record(), 2);
  EXPECT_THAT(answer->predictions[1].records(), IsEmpty());
}

TEST_F(PredictionTest, AModelStaysLoadedAndAKilledProcessCostsNoAnswer) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  ASSERT_THAT(Predict(Model(model), {Records({"1,"})}), IsOk());
  const std::vector<pid_t> first = PidsOfPredictors();
  ASSERT_EQ(first.size(), 1U);
  ASSERT_THAT(Predict(Model(model), {Records({"1,"})}), IsOk());
  EXPECT_EQ(PidsOfPredictors(), first);
  const auto answer = Predict(Model(model), {Records({"1,"}), Records({"9,"})},
                              [&] { ASSERT_EQ(kill(first.front(), SIGKILL), 0); });
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer->predictions.size(), 2U);
  EXPECT_GT(answer->predictions[1].outputs(1), 0.5F);
  EXPECT_NE(PidsOfPredictors(), first);
}

TEST_F(PredictionTest, AnIdleModelMakesRoom) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  const int64_t other = cluster_.Put(2, testing::LinearWeights(2.5F));
  Serve({.max_predictors = 1, .longest_wait = std::chrono::milliseconds(0)});
  ASSERT_THAT(Predict(Model(model), {Records({"1,"})}), IsOk());
  // The process of the first model has to end before.
  absl::StatusOr<Answer> answer = Predict(Model(other), {Records({"4,"})});
  EXPECT_THAT(answer.status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("evaluator.predictors")));
  while (absl::IsResourceExhausted(answer.status())) {
    answer = Predict(Model(other), {Records({"4,"})});
  }
  ASSERT_THAT(answer, IsOk());
  EXPECT_GT(answer->predictions[0].outputs(1), 0.5F);
}

TEST_F(PredictionTest, AStreamWhoseCallerIsSilentKeepsNoProcessFromOthers) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  const int64_t other = cluster_.Put(2, testing::LinearWeights(2.5F));
  Serve({.max_predictors = 1});
  const auto answer = Predict(Model(model), {Records({"1,"}), Records({"9,"})}, [&] {
    EXPECT_THAT(Predict(Model(model), {Records({"4,"})}), IsOk());
    EXPECT_THAT(Predict(Model(other), {Records({"4,"})}), IsOk());
  });
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer->predictions.size(), 2U);
  EXPECT_GT(answer->predictions[1].outputs(1), 0.5F);
}

TEST_F(PredictionTest, APipelineIsAnsweredByItsModelInUse) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  supervisor::v1::ModelChange in_use;
  in_use.set_model_id(model);
  in_use.set_since_text("trained at trigger 1 of run 1");
  Serve({.model_in_use = [&](const v1::PredictionModel::PipelineName& pipeline)
             -> absl::StatusOr<supervisor::v1::ModelChange> {
    if (pipeline.name() != "tides") return NotFound("there is no pipeline {}", pipeline.name());
    return in_use;
  }});
  v1::PredictionModel named;
  named.mutable_pipeline()->set_name("tides");
  const auto answer = Predict(named, {Records({"1,"})});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->model.model_id(), model);
  EXPECT_EQ(answer->model.in_use().since_text(), in_use.since_text());
  named.mutable_pipeline()->set_name("ebb");
  EXPECT_THAT(Predict(named, {}).status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("ebb")));
}

TEST_F(PredictionTest, WhatCannotBeAnsweredSaysWhy) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  EXPECT_THAT(Predict(Model(99), {}).status(), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(Predict({}, {}).status(), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(Predict(Model(model), {Records(std::vector<std::string>(4097))}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4096")));
}

TEST_F(PredictionTest, AModelOfADeletedRunAnswersNoMore) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  const auto answer = Predict(Model(model), {Records({"1,"})});
  ASSERT_THAT(answer, IsOk());
  rpc::v1::Command command;
  command.set_run_id(answer->model.run_id());
  command.set_run_epoch(1);
  ASSERT_THAT(running_->client().DeleteRun(command), IsOk());
  while (!PidsOfPredictors().empty()) std::this_thread::yield();
}

TEST_F(PredictionTest, ProcessesOnADevicePredictAsOnProcessors) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(4.5F));
  const auto records = Records({"1", "9"});
  Serve();
  const auto expected = Predict(Model(model), {records});
  ASSERT_THAT(expected, IsOk());
  const std::string devices = fmt::format("1x80GiB@{}", getpid());
  Serve(
      {.devices = devices.c_str(), .answers_device = {.kind = config::DeviceChoice::Kind::kCuda}});
  const auto on_device = Predict(Model(model), {records});
  ASSERT_THAT(on_device, IsOk());
  ASSERT_EQ(on_device->predictions.size(), 1u);
  EXPECT_EQ(on_device->predictions[0].SerializeAsString(),
            expected->predictions[0].SerializeAsString());
  const auto listed = running_->client().ListDevices();
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(listed->slots(1).job(), fmt::format("predictions of model {}", model));
}

}  // namespace
}  // namespace tidemill::evaluator
