#include "evaluator/reading/graph_rows.h"

#include <utility>

namespace tidemill::evaluator {

absl::StatusOr<GraphRows> RunGraph(const PreparedGraph& graph, const batch::Batch& samples,
                                   transform::OpCounters* counters) {
  ASSIGN_OR_RETURN(transform::Transformed transformed,
                   graph.graph.Run(samples, graph.fitted ? &*graph.fitted : nullptr, {}, counters));
  GraphRows made{.rows = std::move(transformed.batch), .num_filtered = transformed.num_filtered};
  made.rows.Drop(batch::kEventTimeColumn);
  for (transform::BadSample& bad : transformed.bad) {
    made.bad.push_back({samples.keys()[static_cast<size_t>(bad.row)], std::move(bad.reason)});
  }
  return made;
}

}  // namespace tidemill::evaluator
