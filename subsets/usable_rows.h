// Which rows distances can be computed for.
#pragma once

#include <cstdint>
#include <vector>

#include "subsets/rows.h"

namespace tidemill::subsets {

// Rows of which all numbers are finite and distances fit a float (no squared length above 1e36):
// the rows themselves, or a copy where some are left out.
class UsableRows {
 public:
  explicit UsableRows(const Rows& rows);
  UsableRows(const UsableRows&) = delete;
  UsableRows& operator=(const UsableRows&) = delete;

  const Rows& rows() const { return rows_; }
  int64_t num_left_out() const { return num_left_out_; }
  // Where the row stood before.
  int64_t Original(int64_t row) const {
    return num_left_out_ == 0 ? row : originals_[static_cast<size_t>(row)];
  }
  // Replaces the rows of a choice by the original ones, and counts those left out.
  Choice ToOriginal(Choice choice) const;

 private:
  Rows rows_;
  int64_t num_left_out_ = 0;
  std::vector<float> copy_;
  std::vector<int64_t> originals_;
};

}  // namespace tidemill::subsets
