#include "evaluator/outcomes/outcome_keeper.h"

namespace tidemill::evaluator {

bool OutcomeKeeper::IsFirst(int64_t trigger) {
  if (trigger <= 0 || (first_trigger_ > 0 && trigger > first_trigger_)) return false;
  first_trigger_ = trigger;
  return true;
}

void OutcomeKeeper::NoteTable(const OutcomeTable& table) {
  num_bytes_ += table.num_bytes();
  const bool is_full = num_bytes_ > max_bytes_;
  if (!is_full && table.limit() >= limit_) return;
  limit_ = is_full && table.limit() >= limit_ ? limit_ / 2 : table.limit();
  num_bytes_ = 0;
}

}  // namespace tidemill::evaluator
