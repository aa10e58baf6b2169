#include "supervisor/triggers/plain/lasting_errors.h"

#include <algorithm>

namespace tidemill::supervisor {

double LastingErrors::At(Timestamp time) const {
  if (!end_) return 0;
  return total_ + going_on_ * static_cast<double>(time.micros - end_->event_time.micros) / 1e6;
}

void LastingErrors::Add(Timestamp to, double num_samples, double num_wrong,
                        double expected_accuracy) {
  const double avoidable = std::max(0.0, num_wrong - (1 - expected_accuracy) * num_samples);
  const int64_t from = end_ ? end_->event_time.micros : to.micros;
  const double seconds = static_cast<double>(to.micros - from) / 1e6;
  total_ = At(to) + avoidable * seconds / 2;
  going_on_ += avoidable;
  end_ = Cut{to, {}};
}

void LastingErrors::Clear(Timestamp at) {
  total_ = 0;
  going_on_ = 0;
  end_ = Cut{at, {}};
}

}  // namespace tidemill::supervisor
