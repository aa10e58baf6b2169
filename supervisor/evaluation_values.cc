#include "supervisor/evaluation_values.h"

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
  return value;
}

}  // namespace

void AddEvaluations(const std::vector<evaluator::v1::Evaluation>& evaluations,
                    v1::GetRunResponse& response, const ValueLimits& limits) {
  ValueLimits left = limits;
  for (const evaluator::v1::Evaluation& evaluation : evaluations) {
    if (!evaluation.slice().empty() && left.slice_values-- <= 0) continue;
    v1::EvaluationValue& value = *response.add_evaluations();
    value = ValueOf(evaluation);
    left.detail_bytes -= static_cast<int64_t>(value.detail().size());
    if (left.detail_bytes < 0) value.clear_detail();
  }
}

}  // namespace tidemill::supervisor
