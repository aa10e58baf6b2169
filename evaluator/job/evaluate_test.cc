// The evaluator with its real job program: zygote, libtorch, model store and all.

#include <unistd.h>

#include <optional>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "devices/device_lock.h"
#include "evaluator/testing/running_evaluator.h"
#include "evaluator/testing/samples.h"
#include "evaluator/testing/weights.h"

namespace tidemill::evaluator {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

constexpr int64_t kNumSamples = 2500;

class EvaluateTest : public ::testing::Test {
 protected:
  // Starts the service; `failpoints` are armed in its job processes.
  EvaluatorClient& Serve(const char* failpoints = "") {
    return Serve(testing::RunningEvaluator::Options{.failpoints = failpoints});
  }
  EvaluatorClient& Serve(const testing::RunningEvaluator::Options& options) {
    running_.reset();
    running_ = std::make_unique<testing::RunningEvaluator>(cluster_, options);
    return running_->client();
  }

  // Evaluation 0 of run 1: three windows, all models on each.
  static v1::StartEvaluationRequest Request(const std::vector<int64_t>& model_ids) {
    v1::StartEvaluationRequest request;
    request.mutable_command()->set_run_id(1);
    request.mutable_snapshot()->set_dataset_id(1);
    request.set_dataset_name("test");
    request.set_dataset_spec(testing::kDatasetSpec);
    request.set_evaluation_spec("{dataset: test, measures: [accuracy]}");
    *request.add_windows() = testing::WindowOf(0, std::nullopt, 10, model_ids).window();
    *request.add_windows() = testing::WindowOf(1, 10, 1500, model_ids).window();
    *request.add_windows() = testing::WindowOf(2, 1500, std::nullopt, model_ids).window();
    return request;
  }

  absl::StatusOr<v1::WatchEvaluationResponse> Watch() {
    return running_->client().WatchEvaluation(RunId{1}, 0,
                                              [](const auto&) { return absl::OkStatus(); });
  }

  testing::Cluster cluster_{kNumSamples};
  std::unique_ptr<testing::RunningEvaluator> running_;
};

// Samples of [from, to) whose class a threshold gets right.
double Right(int64_t from, int64_t to, int64_t threshold) {
  int64_t right = 0;
  for (int64_t i = from; i < to; ++i) right += (i > threshold) == (i > 4);
  return static_cast<double>(right) / static_cast<double>(to - from);
}

TEST_F(EvaluateTest, MeasuresNetworksByTheirContent) {
  const int64_t exact = cluster_.Put(1, testing::LinearWeights(4.5F));
  const int64_t late = cluster_.Put(2, testing::LinearWeights(1700.5F));
  EvaluatorClient& client = Serve();
  ASSERT_THAT(client.StartEvaluation(Request({exact, late})), IsOk());
  const auto end = Watch();
  ASSERT_THAT(end, IsOk());
  EXPECT_EQ(end->state(), v1::EVALUATION_STATE_DONE) << end->error();
  EXPECT_EQ(end->samples_done(), kNumSamples);
  EXPECT_GT(end->seconds(), 0);
  const auto evaluations = client.ListEvaluations(RunId{1});
  ASSERT_THAT(evaluations, IsOk());
  ASSERT_EQ(evaluations->size(), 6u);
  const int64_t cuts[] = {0, 10, 1500, kNumSamples};
  for (const v1::Evaluation& evaluation : *evaluations) {
    const int64_t from = cuts[evaluation.window_index()];
    const int64_t to = cuts[evaluation.window_index() + 1];
    EXPECT_EQ(evaluation.num_samples(), to - from);
    EXPECT_DOUBLE_EQ(evaluation.value(),
                     Right(from, to, evaluation.model_id() == exact ? 4 : 1700));
    EXPECT_EQ(evaluation.trigger(), evaluation.model_id() == exact ? 1 : 2);
  }
  EXPECT_EQ(cluster_.num_samples_read(), kNumSamples) << "read once for both models";
  EXPECT_THAT(client.DeleteRun(Request({}).command()), IsOkAndHolds(1));
  EXPECT_THAT(Watch(), StatusIs(absl::StatusCode::kNotFound, _));
}

// The models in use: none in window 0, the exact one in window 1, the late one in window 2.
v1::StartEvaluationRequest InUse(v1::StartEvaluationRequest request, int64_t exact, int64_t late) {
  request.mutable_windows(1)->set_model_in_use(exact);
  request.mutable_windows(1)->set_trigger_in_use(1);
  request.mutable_windows(2)->set_model_in_use(late);
  request.mutable_windows(2)->set_trigger_in_use(2);
  return request;
}

TEST_F(EvaluateTest, ComparesTheModelsInUseWithTheFirstSampleBySample) {
  const int64_t exact = cluster_.Put(1, testing::LinearWeights(4.5F));
  const int64_t late = cluster_.Put(2, testing::LinearWeights(1700.5F));
  EvaluatorClient& client = Serve("evaluate.before_window=kill:3");
  ASSERT_THAT(client.StartEvaluation(InUse(Request({exact, late}), exact, late)), IsOk());
  ASSERT_THAT(Watch(), IsOk());
  const auto summary = client.SummariseOutcomes(RunId{1}, 1);
  ASSERT_THAT(summary, IsOk());
  ASSERT_EQ(summary->differences_size(), 1) << "there are no labels for rules";
  const v1::OutcomeDifference& difference = summary->differences(0);
  EXPECT_EQ(difference.than(), "first");
  EXPECT_EQ(difference.missing(), "");
  EXPECT_EQ(difference.num_samples(), kNumSamples - 10) << "of windows with a model in use";
  EXPECT_DOUBLE_EQ(difference.other(), 1);
  EXPECT_DOUBLE_EQ(difference.models(), 1 - 201.0 / (kNumSamples - 10));
  EXPECT_LT(difference.high(), 0) << "retraining has cost something";
  ASSERT_EQ(summary->calibrations_size(), 1);
  EXPECT_EQ(summary->calibrations(0).of_class(), "HIGH");
  EXPECT_EQ(summary->calibrations(0).num_samples(), kNumSamples - 10);
  EXPECT_EQ(summary->roc_curves_size(), 0) << "all samples are of one class";
  const auto again = client.SummariseOutcomes(RunId{1}, 1);
  EXPECT_EQ(again->SerializeAsString(), summary->SerializeAsString());
}

TEST_F(EvaluateTest, MeasuresWhichColumnsMatterOnTheLastWindowWithAModelInUse) {
  const int64_t exact = cluster_.Put(1, testing::LinearWeights(4.5F));
  const int64_t middle = cluster_.Put(2, testing::LinearWeights(2000.5F));
  EvaluatorClient& client = Serve();
  v1::StartEvaluationRequest request = InUse(Request({exact, middle}), exact, middle);
  request.set_evaluation_spec("{dataset: test, measures: [log_loss]}");
  ASSERT_THAT(client.StartEvaluation(request), IsOk());
  ASSERT_THAT(Watch(), IsOk());
  const auto summary = client.SummariseOutcomes(RunId{1}, 1);
  ASSERT_THAT(summary, IsOk());
  ASSERT_EQ(summary->importances_size(), 1);
  const v1::ColumnImportances& importances = summary->importances(0);
  EXPECT_EQ(importances.missing(), "");
  EXPECT_EQ(importances.measure(), "log_loss");
  EXPECT_EQ(importances.trigger(), 2);
  EXPECT_EQ(importances.num_samples(), 1000) << "one window is enough";
  EXPECT_EQ(importances.num_windows(), 1);
  ASSERT_EQ(importances.columns_size(), 1);
  EXPECT_EQ(importances.columns(0).column(), "x");
  EXPECT_NEAR(importances.columns(0).intact(), importances.columns(0).exchanged(), 1e-6)
      << "all samples have one class, whatever x is";
}

TEST_F(EvaluateTest, ComparesTheModelsInUseOfTwoRuns) {
  const int64_t exact = cluster_.Put(1, testing::LinearWeights(4.5F));
  const int64_t late = cluster_.Put(2, testing::LinearWeights(1700.5F));
  EvaluatorClient& client = Serve();
  ASSERT_THAT(client.StartEvaluation(InUse(Request({exact, late}), exact, late)), IsOk());
  ASSERT_THAT(Watch(), IsOk());
  v1::StartEvaluationRequest other = InUse(Request({exact, late}), exact, exact);
  other.mutable_command()->set_run_id(2);
  ASSERT_THAT(client.StartEvaluation(other), IsOk());
  ASSERT_THAT(client.WatchEvaluation(RunId{2}, 0, [](const auto&) { return absl::OkStatus(); }),
              IsOk());
  v1::CompareRunsRequest request;
  request.set_run_id(2);
  request.set_num_evaluations(1);
  request.set_other_run_id(1);
  request.set_num_other_evaluations(1);
  const auto compared = client.CompareRuns(request);
  ASSERT_THAT(compared, IsOk());
  ASSERT_EQ(compared->differences_size(), 1);
  EXPECT_EQ(compared->differences(0).num_samples(), kNumSamples - 10);
  EXPECT_GT(compared->differences(0).low(), 0) << "the second run kept the exact model";
  request.set_other_run_id(3);
  const auto unknown = client.CompareRuns(request);
  ASSERT_THAT(unknown, IsOk());
  EXPECT_THAT(unknown->differences(0).missing(), HasSubstr("no evaluation of this dataset"));
}

// As with `models: active`.
TEST_F(EvaluateTest, ComparesNothingWithAFirstModelThatNeverMeetsAnother) {
  const int64_t exact = cluster_.Put(1, testing::LinearWeights(4.5F));
  const int64_t late = cluster_.Put(2, testing::LinearWeights(1700.5F));
  EvaluatorClient& client = Serve();
  v1::StartEvaluationRequest request = InUse(Request({exact, late}), exact, late);
  for (v1::Window& window : *request.mutable_windows()) {
    window.clear_model_ids();
    window.add_model_ids(window.model_in_use() == late ? late : exact);
  }
  ASSERT_THAT(client.StartEvaluation(request), IsOk());
  ASSERT_THAT(Watch(), IsOk());
  const auto summary = client.SummariseOutcomes(RunId{1}, 1);
  ASSERT_THAT(summary, IsOk());
  EXPECT_EQ(summary->differences_size(), 0);
  EXPECT_EQ(summary->calibrations_size(), 1);
}

TEST_F(EvaluateTest, SaysWhyThereIsNothingToCompare) {
  const int64_t exact = cluster_.Put(1, testing::LinearWeights(4.5F));
  EvaluatorClient& client = Serve();
  v1::StartEvaluationRequest request = InUse(Request({exact}), exact, exact);
  request.set_evaluation_spec(
      "{dataset: test, measures: [accuracy], bootstrap: {replicates: 0}, importance: false}");
  ASSERT_THAT(client.StartEvaluation(request), IsOk());
  ASSERT_THAT(Watch(), IsOk());
  const auto summary = client.SummariseOutcomes(RunId{1}, 1);
  ASSERT_THAT(summary, IsOk());
  ASSERT_EQ(summary->differences_size(), 1);
  EXPECT_THAT(summary->differences(0).missing(), HasSubstr("replicates: 0"));
  EXPECT_EQ(summary->importances_size(), 0);
}

TEST_F(EvaluateTest, AKilledProcessIsReplacedUntilAllWindowsAreMeasured) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(4.5F));
  EvaluatorClient& client = Serve("evaluate.before_window=kill:2");
  ASSERT_THAT(client.StartEvaluation(Request({model})), IsOk());
  const auto end = Watch();
  ASSERT_THAT(end, IsOk());
  EXPECT_EQ(end->state(), v1::EVALUATION_STATE_DONE) << end->error();
  const auto evaluations = client.ListEvaluations(RunId{1});
  ASSERT_THAT(evaluations, IsOk());
  ASSERT_EQ(evaluations->size(), 3u);
  for (const v1::Evaluation& evaluation : *evaluations) EXPECT_EQ(evaluation.value(), 1.0);
  EXPECT_EQ(cluster_.num_samples_read(), kNumSamples) << "no window was read twice";
}

TEST_F(EvaluateTest, AnEvaluationHasTheDeviceThatItsSpecNames) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(4.5F));
  const std::string devices = fmt::format("2x80GiB@{}", getpid());
  EvaluatorClient& client = Serve({.devices = devices.c_str()});
  auto request = Request({model});
  request.set_evaluation_spec("{dataset: test, measures: [accuracy], device: \"cuda:2\"}");
  const absl::Status refused = client.StartEvaluation(request);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("has no cuda:2; it has cpu, and cuda:0"));

  request.set_evaluation_spec("{dataset: test, measures: [accuracy], device: \"cuda:1\"}");
  ASSERT_THAT(client.StartEvaluation(request), IsOk());
  std::set<std::string> seen;
  const auto end = client.WatchEvaluation(RunId{1}, 0, [&](const auto& progress) {
    if (progress.state() == v1::EVALUATION_STATE_RUNNING) seen.insert(progress.device());
    return absl::OkStatus();
  });
  ASSERT_THAT(end, IsOk());
  EXPECT_EQ(end->state(), v1::EVALUATION_STATE_DONE) << end->error();
  EXPECT_THAT(seen, ::testing::IsSubsetOf({"cuda:1"}));
  const auto evaluations = client.ListEvaluations(RunId{1});
  ASSERT_THAT(evaluations, IsOk());
  ASSERT_EQ(evaluations->size(), 3u);
  for (const v1::Evaluation& evaluation : *evaluations) EXPECT_EQ(evaluation.value(), 1.0);
}

TEST_F(EvaluateTest, AnEvaluationWaitsForADeviceThatAnotherProcessHas) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(4.5F));
  const std::string devices = fmt::format("1x80GiB@{}", getpid());
  std::optional<devices::DeviceLock> training =
      *devices::DeviceLock::Take(fmt::format("pretended-0@{}", getpid()), {});
  EvaluatorClient& client = Serve({.devices = devices.c_str()});
  auto request = Request({model});
  request.set_slot("cuda:0");
  ASSERT_THAT(client.StartEvaluation(request), IsOk());
  const auto end = client.WatchEvaluation(RunId{1}, 0, [&](const auto& progress) {
    EXPECT_TRUE(!training || progress.windows_done() == 0);
    if (progress.state() == v1::EVALUATION_STATE_RUNNING) training.reset();
    return absl::OkStatus();
  });
  ASSERT_THAT(end, IsOk());
  EXPECT_EQ(end->state(), v1::EVALUATION_STATE_DONE) << end->error();
}

// The device is gone when the service starts again.
TEST_F(EvaluateTest, AnUnfinishedEvaluationWhoseDeviceIsGoneSaysSo) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(4.5F));
  const std::string devices = fmt::format("1x80GiB@{}", getpid());
  auto request = Request({model});
  request.set_slot("cuda:0");
  {
    const auto held = *devices::DeviceLock::Take(fmt::format("pretended-0@{}", getpid()), {});
    ASSERT_THAT(Serve({.devices = devices.c_str()}).StartEvaluation(request), IsOk());
    running_.reset();
  }
  EXPECT_THAT(Serve().StartEvaluation(request), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                         HasSubstr("this machine has no cuda:0")));
}

TEST_F(EvaluateTest, DamagedWeightsAndWeightsOfAnotherNetworkAreNamed) {
  const int64_t fine = cluster_.Put(1, testing::LinearWeights(4.5F));
  const int64_t damaged = cluster_.Put(2, testing::LinearWeights(5.5F));
  const int64_t foreign =
      cluster_.Put(3, testing::LinearWeights(6.5F), "{type: mlp, hidden: [3], outputs: 2}");
  cluster_.Damage(damaged);
  EvaluatorClient& client = Serve();
  ASSERT_THAT(client.StartEvaluation(Request({damaged, fine, foreign})), IsOk());
  const auto end = Watch();
  ASSERT_THAT(end, IsOk());
  EXPECT_EQ(end->state(), v1::EVALUATION_STATE_DONE);
  EXPECT_THAT(end->error(), HasSubstr("model 2, 3 windows: reading part weights.safetensors"));
  EXPECT_THAT(end->error(), HasSubstr("model 3, 3 windows: "));
  const auto evaluations = client.ListEvaluations(RunId{1});
  ASSERT_THAT(evaluations, IsOk());
  for (const v1::Evaluation& evaluation : *evaluations) {
    EXPECT_EQ(evaluation.has_value(), evaluation.model_id() == fine);
  }
}

}  // namespace
}  // namespace tidemill::evaluator
