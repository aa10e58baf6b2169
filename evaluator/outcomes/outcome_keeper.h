// Decides which outcomes of the models of an evaluation are kept after it, so that one model can be
// compared with another, sample by sample, also with one of another run.
#pragma once

#include <cstdint>

#include "evaluator/outcomes/outcome_table.h"

namespace tidemill::evaluator {

// Kept are the outcomes of the model in use, of the first model, and of the rules without a model,
// window after window. Each of them takes at most about `max_bytes`; then only half as many samples
// are kept from there on. Which ones depends on their keys alone, so that two models keep the same
// samples. Thread-compatible.
class OutcomeKeeper {
 public:
  // Some 40,000 samples of two classes, or 80,000 of real values.
  static constexpr int64_t kMaxBytes = int64_t{2} << 20;
  // Scores of more classes are not kept.
  static constexpr int64_t kMaxScores = 20;

  explicit OutcomeKeeper(int64_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // Whether this is the earliest model so far. Models of no trigger are not.
  bool IsFirst(int64_t trigger);

  // Returns a table for the outcomes of one model on one window.
  OutcomeTable NewTable() const { return OutcomeTable(max_bytes_, limit_); }

  // Notes the table of the model in use on a window.
  void NoteTable(const OutcomeTable& table);

 private:
  const int64_t max_bytes_;
  int64_t first_trigger_ = 0;
  uint64_t limit_ = OutcomeTable::kNoLimit;
  int64_t num_bytes_ = 0;  // Since the limit was set.
};

}  // namespace tidemill::evaluator
