// Finds the rows for which distances can be computed.
#pragma once

#include <cstdint>
#include <vector>

#include "subsets/rows.h"

namespace tidemill::subsets {

// The rows whose numbers are all finite and whose distances fit into a float (no squared length
// above 1e36). They are the rows themselves, or a copy when some are left out.
class UsableRows {
 public:
  explicit UsableRows(const Rows& rows);
  UsableRows(const UsableRows&) = delete;
  UsableRows& operator=(const UsableRows&) = delete;

  const Rows& rows() const { return rows_; }
  int64_t num_left_out() const { return num_left_out_; }
  // Returns the number of the row before.
  int64_t Original(int64_t row) const {
    return num_left_out_ == 0 ? row : originals_[static_cast<size_t>(row)];
  }
  // Replaces the rows of a choice by the original ones, and counts the rows left out.
  Choice ToOriginal(Choice choice) const;

 private:
  Rows rows_;
  int64_t num_left_out_ = 0;
  std::vector<float> copy_;
  std::vector<int64_t> originals_;
};

}  // namespace tidemill::subsets
