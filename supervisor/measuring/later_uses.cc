#include "supervisor/measuring/later_uses.h"

#include <variant>

namespace tidemill::supervisor {

double LaterUsesOf(const RunState& state, const PipelineSpec& spec, int32_t evaluation) {
  constexpr double kMostTriggers = 4;
  const evaluator::EvaluationSpec& measured = spec.evaluation.at(static_cast<size_t>(evaluation));
  double uses = state.in_sweep() ? 1 : 0;
  for (size_t later = static_cast<size_t>(evaluation) + 1; later < spec.evaluation.size();
       ++later) {
    if (spec.evaluation[later].dataset == measured.dataset) ++uses;
  }
  if (!state.live() || state.stream_ended()) return uses;
  const bool is_each_model_measured_on_all =
      measured.dataset != spec.preprocess.dataset &&
      std::holds_alternative<evaluator::Whole>(measured.windows);
  return uses + 1 + (is_each_model_measured_on_all ? kMostTriggers : 0);
}

}  // namespace tidemill::supervisor
