#include "base/logs/sparse_log.h"

#include <utility>

namespace tidemill::log {

void SparseLog::Warn(std::initializer_list<Field> fields) {
  {
    MutexLock lock(mutex_);
    const Clock::time_point now = now_();
    const bool is_new = now - second_begin_ >= std::chrono::seconds{1};
    if (!is_new && num_lines_ >= lines_per_second_) {
      ++num_left_out_;
      return;
    }
    if (is_new) {
      second_begin_ = now;
      num_lines_ = 0;
    }
    ++num_lines_;
  }
  Tell();
  log::Warn(message_, fields);
}

void SparseLog::Tell() {
  int64_t num_left_out = 0;
  {
    MutexLock lock(mutex_);
    num_left_out = std::exchange(num_left_out_, 0);
  }
  if (num_left_out == 0) return;
  log::Warn("lines were left out",
            {{"message", message_}, {"lines", std::to_string(num_left_out)}});
}

}  // namespace tidemill::log
