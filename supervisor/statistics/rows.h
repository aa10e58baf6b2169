// Samples as rows of numbers, from which the statistics of drift are computed. It is a view and
// needs no libtorch: embeddings, predictions, raw columns and labels all come as rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "base/status.h"

namespace tidemill::supervisor::statistics {

// A view of a row-major matrix. A single column is {.values = column}.
struct Rows {
  std::span<const double> values = {};
  int64_t num_columns = 1;

  int64_t num_rows() const { return static_cast<int64_t>(values.size()) / num_columns; }
  std::span<const double> operator[](int64_t row) const {
    return values.subspan(static_cast<size_t>(row * num_columns), static_cast<size_t>(num_columns));
  }
};

// Returns OK when statistics of these two samples are defined: both have rows, the same number of
// columns, and finite numbers only. Otherwise INVALID_ARGUMENT names the first fault. Everything
// else in this folder assumes that its samples have passed this check.
absl::Status CheckSamples(const Rows& reference, const Rows& current);

// Returns OK when the samples have the same shape, as above, and no infinite number. A NaN is a
// number that a row lacks.
absl::Status CheckShapes(const Rows& reference, const Rows& current);

// Returns the values of a column, without those that rows lack.
std::vector<double> ColumnOf(const Rows& rows, int64_t column);

// Returns how many rows have a value, for each column.
std::vector<int64_t> CountValues(const Rows& rows);

// Returns the rows that lack no number, one after another.
std::vector<double> CompleteRows(const Rows& rows);

// Returns the rows with these numbers, one after another, in the given order.
std::vector<double> Gather(const Rows& rows, std::span<const int64_t> numbers);

// Returns `reference` followed by `current`.
std::vector<double> Pool(const Rows& reference, const Rows& current);

// Reorders `numbers` so that the first `count` are a draw without replacement, in which every order
// is equally likely (Durstenfeld, "Random permutation", Algorithm 235, 1964). A `count` of
// numbers.size() shuffles all. A pure function of the key.
void DrawFirst(std::span<int64_t> numbers, int64_t count, const RandomKey& key);

// Returns at most `most` rows, drawn without replacement, in their order. Returns all rows when
// there are no more. O(rows) time and memory.
std::vector<double> Subsample(const Rows& rows, int64_t most, const RandomKey& key);

}  // namespace tidemill::supervisor::statistics
