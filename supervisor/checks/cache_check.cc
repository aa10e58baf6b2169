#include "supervisor/checks/cache_check.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "transform/cut_points.h"

namespace tidemill::supervisor {
namespace {

std::string Advice(const transform::Graph& graph) {
  const std::vector<std::string> types = graph.op_types();
  std::vector<std::string> possible;
  for (const transform::CutPoint& point : transform::CutPointsOf(graph)) {
    const auto op = static_cast<size_t>(point.last_op);
    possible.push_back(fmt::format("{} ({})", op + 1, types[op]));
  }
  if (possible.empty()) return "rows of this graph cannot be kept after any op: use auto or off";
  return fmt::format("rows can be kept after op {}, or use auto", fmt::join(possible, ", "));
}

}  // namespace

void CheckCache(const models::CacheSpec& cache, const transform::Graph& graph,
                config::Problems& problems) {
  const auto op = cache->AfterOp();
  if (!op) return;
  const auto point = transform::CutPointAfter(graph, *op);
  if (point.ok()) return;
  problems.Add("training.cache.op", std::string(point.status().message()), Advice(graph));
}

}  // namespace tidemill::supervisor
