#include "loader/prepared/point_advice.h"

#include <cmath>
#include <numeric>

#include "base/check.h"

namespace tidemill::loader {
std::vector<PointAdvice> AdviseOn(const CacheQuestion& question, int num_threads) {
  TIDEMILL_CHECK(num_threads > 0);
  const SampleCosts& costs = question.costs;
  const double whole = std::accumulate(costs.op_ns.begin(), costs.op_ns.end(), costs.read_ns);
  std::vector<PointAdvice> advice;
  for (const transform::CutPoint& point : question.points) {
    double before = costs.read_ns;
    for (int place = 0; place < point.num_ops; ++place) {
      before += costs.op_ns[static_cast<size_t>(question.order[static_cast<size_t>(place)])];
    }
    const double read = question.disk.speed.ReadNs(point.row_bytes) + question.name_ns;
    const double prepare = before + question.disk.speed.WriteNs(point.row_bytes);
    const double threads = num_threads;
    PointAdvice& of = advice.emplace_back(PointAdvice{
        .last_op = point.last_op,
        .row_bytes = point.row_bytes,
        .bytes = question.num_samples * (point.row_bytes + prepared::kEntryBytes),
        .prepare_seconds = static_cast<double>(question.num_samples) * prepare / threads / 1e9,
        .now = threads * 1e9 / whole,
        .later = threads * 1e9 / (whole - before + read)});
    if (before > read) of.pays_after = static_cast<int64_t>(std::ceil(prepare / (before - read)));
  }
  return advice;
}

}  // namespace tidemill::loader
