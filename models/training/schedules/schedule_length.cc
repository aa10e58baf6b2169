#include "models/training/schedules/schedule_length.h"

#include <algorithm>
#include <cmath>

namespace tidemill::models {

int64_t ScheduleLength::StepsOf(int64_t total) const {
  if (steps) return *steps;
  return std::max<int64_t>(1, std::llround(share.value_or(1) * static_cast<double>(total)));
}

double ScheduleLength::ProgressAt(int64_t step, int64_t total) const {
  return std::min(1.0, static_cast<double>(step) / static_cast<double>(StepsOf(total)));
}

}  // namespace tidemill::models
