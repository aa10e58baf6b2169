#include "subsets/usable_rows.h"

#include <utility>

#include "subsets/distances.h"

namespace tidemill::subsets {
namespace {

constexpr double kGreatestSquares = 1e36;

bool IsUsable(std::span<const float> row) {
  double squares = 0;
  for (const float value : row) squares += double{value} * double{value};
  return squares <= kGreatestSquares;  // Not for NaN either.
}

}  // namespace

UsableRows::UsableRows(const Rows& rows) : rows_(rows) {
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    if (!IsUsable(rows.Row(row))) ++num_left_out_;
  }
  if (num_left_out_ == 0) return;
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    if (IsUsable(rows.Row(row))) originals_.push_back(row);
  }
  copy_ = Gathered(rows, originals_);
  rows_ = {copy_, std::ssize(originals_), rows.width};
}

Choice UsableRows::ToOriginal(Choice choice) const {
  for (int64_t& row : choice.rows) row = Original(row);
  choice.num_left_out += num_left_out_;
  return choice;
}

}  // namespace tidemill::subsets
