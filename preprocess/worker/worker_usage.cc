#include "preprocess/worker/worker_usage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/usage/account.h"

namespace tidemill::preprocess {

void WorkerUsage::Divide(const Jobs& jobs) {
  MutexLock lock(mutex_);
  const int64_t now = usage::ProcessNanos();
  int64_t left = now - std::exchange(divided_nanos_, now);
  std::map<int64_t, int64_t> made_before = std::exchange(made_nanos_, {});
  std::map<int64_t, int64_t> weights;
  int64_t left_weight = 0;
  for (const auto& [id, job] : jobs) {
    made_nanos_[id] = job->work().cpu_ns;
    left_weight += weights[id] = std::max<int64_t>(0, made_nanos_[id] - made_before[id]);
  }
  if (left_weight == 0) {
    for (auto& [id, weight] : weights) left_weight += weight = 1;
  }
  // Each gets its share of what is left, so that nothing is lost by rounding.
  for (const auto& [id, job] : jobs) {
    const int64_t weight = weights[id];
    if (weight == 0) continue;
    const auto share = static_cast<int64_t>(
        static_cast<double>(left) * static_cast<double>(weight) / static_cast<double>(left_weight));
    job->account()->Add({.worker_nanos = share});
    left -= share;
    left_weight -= weight;
  }
}

}  // namespace tidemill::preprocess
