#include "supervisor/measuring/evaluation_values.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

evaluator::v1::Evaluation Accuracy(const std::string& slice, const std::string& detail = "") {
  evaluator::v1::Evaluation evaluation;
  evaluation.set_evaluation(2);
  evaluation.set_measure("accuracy");
  evaluation.set_slice(slice);
  evaluation.set_value(0.75);
  evaluation.set_low(0.5);
  evaluation.set_high(0.875);
  evaluation.set_detail(detail);
  return evaluation;
}

TEST(EvaluationValues, TellAllThatTheEvaluatorKnows) {
  v1::GetRunResponse response;
  AddResults({Accuracy("class=UP", "{}")}, response);
  ASSERT_EQ(response.results_size(), 1);
  const evaluator::v1::Evaluation& value = response.results(0);
  EXPECT_EQ(value.evaluation(), 2);
  EXPECT_EQ(value.slice(), "class=UP");
  EXPECT_EQ(value.value(), 0.75);
  EXPECT_EQ(value.low(), 0.5);
  EXPECT_EQ(value.high(), 0.875);
  EXPECT_EQ(value.detail(), "{}");
}

TEST(EvaluationValues, OfSlicesAndDetailsAreBounded) {
  v1::GetRunResponse response;
  AddResults({Accuracy("", "1234"), Accuracy("a"), Accuracy("b"), Accuracy("c"),
              Accuracy("", "5678"), Accuracy("", "90")},
             response, {.slice_values = 2, .detail_bytes = 7});
  ASSERT_EQ(response.results_size(), 5) << "the third slice is left out";
  EXPECT_EQ(response.results(0).detail(), "1234");
  EXPECT_EQ(response.results(2).slice(), "b");
  EXPECT_EQ(response.results(3).detail(), "");
  EXPECT_EQ(response.results(4).detail(), "");
  EXPECT_EQ(response.results(4).value(), 0.75);
  EXPECT_EQ(response.num_slice_values_left_out(), 1);
  EXPECT_EQ(response.num_details_left_out(), 2);
}

// The value of trigger 1, 2 or 3; a baseline has the trigger of the model in use.
evaluator::v1::Evaluation ValueOf(int64_t trigger, const std::string& baseline = "") {
  evaluator::v1::Evaluation evaluation = Accuracy("");
  evaluation.set_trigger(trigger);
  evaluation.set_baseline(baseline);
  evaluation.set_sums("[[0,1,1,1]]");
  return evaluation;
}

TEST(EvaluationValues, HaveSumsWhereTheyArePooled) {
  v1::GetRunResponse response;
  std::vector<evaluator::v1::Evaluation> values = {ValueOf(2, "last"), ValueOf(1), ValueOf(2),
                                                   ValueOf(3),         ValueOf(4), ValueOf(5)};
  values[3].set_active(true);
  values[4].set_trained(true);
  AddResults(values, response);
  EXPECT_NE(response.results(0).sums(), "") << "of a rule without a model";
  EXPECT_NE(response.results(1).sums(), "") << "of the first model";
  EXPECT_EQ(response.results(2).sums(), "");
  EXPECT_NE(response.results(3).sums(), "") << "of a series";
  EXPECT_NE(response.results(4).sums(), "") << "of a series";
  EXPECT_NE(response.results(5).sums(), "") << "of the last model";
}

}  // namespace
}  // namespace tidemill::supervisor
