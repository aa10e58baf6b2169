#include "supervisor/measuring/evaluation_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemill::supervisor {
namespace {

v1::EvaluationValue ValueOf(const evaluator::v1::Evaluation& evaluation) {
  v1::EvaluationValue value;
  value.set_model_id(evaluation.model_id());
  value.set_trigger(evaluation.trigger());
  value.set_dataset(evaluation.dataset_name());
  *value.mutable_from() = evaluation.from();
  *value.mutable_to() = evaluation.to();
  value.set_measure(evaluation.measure());
  if (evaluation.has_value()) value.set_value(evaluation.value());
  value.set_num_samples(evaluation.num_samples());
  value.set_failure(evaluation.failure());
  value.set_slice(evaluation.slice());
  if (evaluation.has_low()) value.set_low(evaluation.low());
  if (evaluation.has_high()) value.set_high(evaluation.high());
  value.set_detail(evaluation.detail());
  value.set_evaluation(evaluation.evaluation());
  value.set_num_unlabelled(evaluation.num_unlabelled());
  value.set_num_bad(evaluation.num_bad());
  value.set_num_deleted(evaluation.num_deleted());
  value.set_num_filtered(evaluation.num_filtered());
  if (evaluation.has_num_known()) value.set_num_known(evaluation.num_known());
  return value;
}

v1::CompositeValue BaselineOf(const evaluator::v1::Evaluation& evaluation) {
  v1::CompositeValue value;
  *value.mutable_from() = evaluation.from();
  *value.mutable_to() = evaluation.to();
  value.set_measure(evaluation.measure());
  if (evaluation.has_value()) value.set_value(evaluation.value());
  value.set_num_samples(evaluation.num_samples());
  value.set_trigger(evaluation.trigger());
  value.set_dataset(evaluation.dataset_name());
  value.set_evaluation(evaluation.evaluation());
  value.set_sums(evaluation.sums());
  value.set_baseline(evaluation.baseline());
  return value;
}

// Whether people pool the values of a model: of the first one and of the last.
bool IsFirstOrLast(const evaluator::v1::Evaluation& value, int64_t first, int64_t last) {
  return value.trigger() == first || value.trigger() == last;
}

}  // namespace

std::vector<evaluator::v1::Evaluation> TakeBaselines(
    std::vector<evaluator::v1::Evaluation>& evaluations) {
  const auto of_models =
      std::stable_partition(evaluations.begin(), evaluations.end(),
                            [](const auto& value) { return value.baseline().empty(); });
  std::vector<evaluator::v1::Evaluation> baselines(std::make_move_iterator(of_models),
                                                   std::make_move_iterator(evaluations.end()));
  evaluations.erase(of_models, evaluations.end());
  return baselines;
}

void AddEvaluations(const std::vector<evaluator::v1::Evaluation>& evaluations,
                    v1::GetRunResponse& response, const ValueLimits& limits) {
  ValueLimits left = limits;
  const auto [first, last] =
      std::minmax_element(evaluations.begin(), evaluations.end(),
                          [](const auto& a, const auto& b) { return a.trigger() < b.trigger(); });
  for (const evaluator::v1::Evaluation& evaluation : evaluations) {
    if (!evaluation.slice().empty() && left.slice_values-- <= 0) {
      response.set_num_slice_values_left_out(response.num_slice_values_left_out() + 1);
      continue;
    }
    v1::EvaluationValue& value = *response.add_evaluations();
    value = ValueOf(evaluation);
    if (evaluation.slice().empty() &&
        IsFirstOrLast(evaluation, first->trigger(), last->trigger())) {
      value.set_sums(evaluation.sums());
    }
    if (value.detail().empty()) continue;
    left.detail_bytes -= static_cast<int64_t>(value.detail().size());
    if (left.detail_bytes >= 0) continue;
    value.clear_detail();
    response.set_num_details_left_out(response.num_details_left_out() + 1);
  }
}

void AddBaselines(const std::vector<evaluator::v1::Evaluation>& baselines,
                  v1::GetRunResponse& response) {
  for (const evaluator::v1::Evaluation& baseline : baselines) {
    *response.add_baselines() = BaselineOf(baseline);
  }
}

}  // namespace tidemill::supervisor
