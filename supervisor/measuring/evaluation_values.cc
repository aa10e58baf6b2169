#include "supervisor/measuring/evaluation_values.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "results/rows.h"

namespace tidemill::supervisor {

void AddResults(std::vector<evaluator::v1::Evaluation> values, v1::GetRunResponse& response,
                const ValueLimits& limits) {
  ValueLimits left = limits;
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = 0;
  for (const evaluator::v1::Evaluation& value : values) {
    if (!results::IsOfModel(value)) continue;
    first = std::min(first, value.trigger());
    last = std::max(last, value.trigger());
  }
  for (evaluator::v1::Evaluation& value : values) {
    if (!results::IsWhole(value) && left.slice_values-- <= 0) {
      response.set_num_slice_values_left_out(response.num_slice_values_left_out() + 1);
      continue;
    }
    evaluator::v1::Evaluation& added = *response.add_results();
    added = std::move(value);
    const bool is_pooled = !results::IsOfModel(added) || added.active() || added.trained() ||
                           added.trigger() == first || added.trigger() == last;
    if (!results::IsWhole(added) || !is_pooled) added.clear_sums();
    if (added.detail().empty()) continue;
    left.detail_bytes -= static_cast<int64_t>(added.detail().size());
    if (left.detail_bytes >= 0) continue;
    added.clear_detail();
    response.set_num_details_left_out(response.num_details_left_out() + 1);
  }
}

}  // namespace tidemill::supervisor
