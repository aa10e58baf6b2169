#include "supervisor/measuring/evaluation_matrix.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/confusion_matrix.h"
#include "supervisor/measuring/windows.h"
#include "supervisor/testing/event_times.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using testing::kSecond;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

Cut At(double second) { return {{static_cast<int64_t>(second * kSecond)}, {}}; }

std::vector<TriggerState> TriggersAtSeconds(const std::vector<int64_t>& seconds) {
  std::vector<TriggerState> triggers;
  for (const int64_t second : seconds) {
    TriggerState& trigger = triggers.emplace_back();
    trigger.trigger.set_number(static_cast<int64_t>(triggers.size()));
    trigger.trigger.mutable_at()->set_event_time(second * kSecond);
  }
  return triggers;
}

v1::DatasetSynced Dataset() {
  v1::DatasetSynced dataset;
  dataset.set_name("tides");
  dataset.mutable_to()->set_event_time(40 * kSecond);
  return dataset;
}

evaluator::v1::Evaluation Value(int64_t trigger, int64_t window, double value,
                                int64_t num_samples) {
  evaluator::v1::Evaluation evaluation;
  evaluation.set_trigger(trigger);
  evaluation.mutable_from()->set_event_time(10 * window * kSecond);
  evaluation.mutable_to()->set_event_time(10 * (window + 1) * kSecond);
  evaluation.set_measure("accuracy");
  evaluation.set_value(value);
  evaluation.set_num_samples(num_samples);
  return evaluation;
}

// Models of the seconds 8 and 20 on four windows of ten seconds each, with 1, 2, 4 and no samples.
std::vector<evaluator::v1::Evaluation> Values() {
  return {Value(1, 0, .1, 1), Value(1, 1, .2, 2), Value(1, 2, .3, 4), Value(1, 3, .9, 0),
          Value(2, 0, .5, 1), Value(2, 1, .6, 2), Value(2, 2, .7, 4), Value(2, 3, .9, 0)};
}

EvaluationMatrix Matrix(const std::vector<evaluator::v1::Evaluation>& values) {
  auto matrix = EvaluationMatrix::Create(evaluator::Slices{.every = {10 * kSecond}}, Dataset(),
                                         TriggersAtSeconds({8, 20}), values, "accuracy");
  EXPECT_THAT(matrix, IsOk());
  return *std::move(matrix);
}

MatrixMean Mean(const EvaluationMatrix& matrix, const std::vector<double>& triggers) {
  MatrixMean mean(matrix);
  for (const double second : triggers) mean.Fired(At(second));
  mean.Finish();
  return mean;
}

TEST(MatrixMean, IsThatOfTheNewestModelsThatThePolicyCouldHaveHad) {
  const EvaluationMatrix matrix = Matrix(Values());
  const MatrixMean own = Mean(matrix, {8, 20});
  EXPECT_EQ(own.Value(), (.2 * 2 + .7 * 4) / 6);
  EXPECT_EQ(own.num_samples(), 6);
  EXPECT_EQ(own.num_left_out(), 1);
  // Never retrained; trained late, so that the first model stands for it; trained once at the end.
  EXPECT_EQ(Mean(matrix, {8}).Value(), (.2 * 2 + .3 * 4) / 6);
  EXPECT_EQ(Mean(matrix, {9, 19}).Value(), (.2 * 2 + .3 * 4) / 6);
  EXPECT_EQ(Mean(matrix, {20}).Value(), .7);
  EXPECT_EQ(Mean(matrix, {20}).num_left_out(), 2);
}

TEST(MatrixMean, CountsAModelThatHasSeenTheSameSamples) {
  const EvaluationMatrix matrix = Matrix(Values());
  MatrixMean mean(matrix);
  mean.Fired(At(7));
  mean.Extend(At(8));
  mean.Fired(At(12));
  mean.Extend(At(19));
  mean.Finish();
  EXPECT_EQ(mean.Value(), (.2 * 2 + .3 * 4) / 6);
}

TEST(MatrixMean, HasTheIntervalOfTheWindowsThatItIsOver) {
  std::vector<evaluator::v1::Evaluation> values = Values();
  EXPECT_EQ(Mean(Matrix(values), {8, 20}).Interval(), std::nullopt);
  for (evaluator::v1::Evaluation& value : values) {
    value.set_low(value.value() - .03);
    value.set_high(value.value() + .06);
  }
  // The mean over two windows, with 2 and 4 samples.
  const MatrixMean mean = Mean(Matrix(values), {8, 20});
  const auto interval = mean.Interval();
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->first, *mean.Value() - std::sqrt(4 * .0009 + 16 * .0009) / 6, 1e-12);
  EXPECT_NEAR(interval->second, *mean.Value() + std::sqrt(4 * .0036 + 16 * .0036) / 6, 1e-12);
}

TEST(EvaluationMatrix, KnowsModelsByTheNumbersOfTheirTriggers) {
  std::vector<TriggerState> triggers = TriggersAtSeconds({8, 12, 20});
  triggers.erase(triggers.begin() + 1);  // It was skipped.
  std::vector<evaluator::v1::Evaluation> values = Values();
  for (evaluator::v1::Evaluation& value : values) {
    if (value.trigger() == 2) value.set_trigger(3);
  }
  const auto matrix = EvaluationMatrix::Create(evaluator::Slices{.every = {10 * kSecond}},
                                               Dataset(), triggers, values, "accuracy");
  ASSERT_THAT(matrix, IsOk());
  EXPECT_EQ(Mean(*matrix, {8, 20}).Value(), (.2 * 2 + .7 * 4) / 6);
}

TEST(MatrixMean, LeavesOutWindowsWithoutAModel) {
  const EvaluationMatrix matrix = Matrix(Values());
  // Before the first model of the run, no model can represent the policy's.
  const MatrixMean early = Mean(matrix, {3, 7});
  EXPECT_EQ(early.Value(), std::nullopt);
  EXPECT_EQ(early.num_left_out(), 3);
  EXPECT_EQ(Mean(matrix, {}).Value(), std::nullopt);
  EXPECT_EQ(Mean(matrix, {35}).Value(), std::nullopt);
}

TEST(MatrixMean, LeavesOutWhatHasNoValue) {
  std::vector<evaluator::v1::Evaluation> values = Values();
  values[1].clear_value();
  values[6].set_value(std::numeric_limits<double>::quiet_NaN());
  const EvaluationMatrix matrix = Matrix(values);
  const MatrixMean first = Mean(matrix, {8});
  EXPECT_EQ(first.Value(), .3);
  EXPECT_EQ(first.num_left_out(), 2);
  EXPECT_EQ(Mean(matrix, {8, 20}).Value(), std::nullopt);
}

TEST(MatrixMean, PassesOverSlicesAndOtherMeasures) {
  std::vector<evaluator::v1::Evaluation> values = Values();
  for (evaluator::v1::Evaluation value : Values()) {
    value.set_value(-1);
    value.set_slice("class=UP");
    values.push_back(value);
    value.clear_slice();
    value.set_measure("f1");
    values.push_back(value);
  }
  EXPECT_EQ(Mean(Matrix(values), {8, 20}).Value(), (.2 * 2 + .7 * 4) / 6);
}

TEST(MatrixMean, EqualsTheCompositeSeriesOfTheRunsOwnTriggers) {
  // Many windows that overlap, with values whose sum depends on its order.
  const std::vector<TriggerState> triggers = TriggersAtSeconds({3, 8, 9, 15, 20, 33});
  evaluator::EvaluationSpec spec;
  spec.windows = evaluator::Periodic{.every = Duration{kSecond}, .length = Duration{5 * kSecond}};
  const auto windows = MakeWindows(spec.windows, Dataset(), triggers);
  ASSERT_THAT(windows, IsOk());
  std::vector<evaluator::v1::Evaluation> values;
  for (const Window& window : *windows) {
    for (const TriggerState& trigger : triggers) {
      evaluator::v1::Evaluation& value = values.emplace_back(Value(0, 0, 0, 0));
      value.set_trigger(trigger.trigger.number());
      *value.mutable_from() = window.from;
      *value.mutable_to() = window.to;
      value.set_value(1.0 / static_cast<double>(values.size()));
      value.set_num_samples(static_cast<int64_t>(values.size() * 7919 % 101));
    }
  }
  double sum = 0;
  int64_t samples = 0;
  std::vector<evaluator::v1::Evaluation*> marked;
  for (auto& value : values) marked.push_back(&value);
  MarkSeries(spec, Dataset(), triggers, marked);
  for (const auto& value : values) {
    if (!value.active()) continue;
    sum += value.value() * static_cast<double>(value.num_samples());
    samples += value.num_samples();
  }
  const auto matrix =
      EvaluationMatrix::Create(spec.windows, Dataset(), triggers, values, "accuracy");
  ASSERT_THAT(matrix, IsOk());
  const MatrixMean mean = Mean(*matrix, {3, 8, 9, 15, 20, 33});
  EXPECT_EQ(mean.num_samples(), samples);
  EXPECT_EQ(mean.Value(), sum / static_cast<double>(samples));
}

class ChooseMatrixTest : public ::testing::Test {
 protected:
  ChooseMatrixTest() {
    spec_.preprocess.dataset = "tides";
    Add("other", evaluator::Slices{.every = {10 * kSecond}}, {evaluator::Accuracy{}});
    Add("tides", evaluator::Whole{}, {evaluator::Accuracy{}});
    Add("tides", evaluator::Slices{.every = {10 * kSecond}},
        {evaluator::ConfusionMatrix{}, evaluator::Accuracy{}});
    for (const char* name : {"tides", "other"}) {
      v1::RunEvent synced;
      *synced.mutable_dataset_synced() = Dataset();
      synced.mutable_dataset_synced()->set_name(name);
      state_.Apply(synced);
    }
    for (const int64_t second : {8, 20}) {
      v1::RunEvent fired;
      fired.mutable_trigger_fired()->set_trigger(second == 8 ? 1 : 2);
      fired.mutable_trigger_fired()->mutable_at()->set_event_time(second * kSecond);
      state_.Apply(fired);
    }
    for (const int32_t evaluation : {0, 2}) {
      for (evaluator::v1::Evaluation value : Values()) {
        value.set_evaluation(evaluation);
        values_.push_back(value);
      }
    }
  }
  void Add(const std::string& dataset, evaluator::WindowsSpec windows,
           std::vector<evaluator::MeasureSpec> measures) {
    evaluator::EvaluationSpec& evaluation = spec_.evaluation.emplace_back();
    evaluation.dataset = dataset;
    evaluation.windows = std::move(windows);
    evaluation.measures = std::move(measures);
  }
  void FinishEvaluations() {
    for (int32_t i = 0; i < 3; ++i) {
      v1::RunEvent finished;
      finished.mutable_evaluation_finished()->set_evaluation(i);
      state_.Apply(finished);
    }
  }

  PipelineSpec spec_;
  RunState state_;
  std::vector<evaluator::v1::Evaluation> values_;
};

TEST_F(ChooseMatrixTest, PrefersWhatTheRunWasTrainedOn) {
  FinishEvaluations();
  const auto chosen = ChooseMatrix(spec_, state_, values_, "");
  ASSERT_THAT(chosen, IsOk());
  ASSERT_TRUE(chosen->has_value());
  EXPECT_EQ((*chosen)->dataset, "tides");
  EXPECT_EQ((*chosen)->measure, "accuracy");
  const auto other = ChooseMatrix(spec_, state_, values_, "accuracy on other");
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ((*other)->dataset, "other");
}

TEST_F(ChooseMatrixTest, TellsWhichMeasuresThereAre) {
  FinishEvaluations();
  EXPECT_THAT(ChooseMatrix(spec_, state_, values_, "recall").status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("it has: accuracy on tides, accuracy on other")));
}

TEST_F(ChooseMatrixTest, TakesNoneThatIsNotFinished) {
  const auto chosen = ChooseMatrix(spec_, state_, values_, "accuracy");
  ASSERT_THAT(chosen, IsOk());
  EXPECT_FALSE(chosen->has_value());
}

}  // namespace
}  // namespace tidemill::supervisor
