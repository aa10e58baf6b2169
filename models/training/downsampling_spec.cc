#include "models/training/downsampling_spec.h"

namespace tidemill::models {

DownsamplingSpec MethodOf(const DownsamplingSpec& spec, int64_t trigger) {
  if (const auto* const schedule = std::get_if<DownsamplingSchedule>(&spec)) {
    int64_t first = 1;
    for (const DownsamplingStep& step : schedule->steps) {
      if (!step.triggers || trigger < first + *step.triggers) {
        return MethodOf(step.use, trigger - first + 1);
      }
      first += *step.triggers;
    }
  }
  const bool warms_up = std::visit(
      [&](const auto& method) {
        if constexpr (requires { method.warmup_triggers; }) {
          return trigger <= method.warmup_triggers;
        } else {
          return false;
        }
      },
      spec);
  return warms_up ? NoDownsampling{} : spec;
}

}  // namespace tidemill::models
