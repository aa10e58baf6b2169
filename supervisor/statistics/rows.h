// Samples as rows of numbers: what statistics of drift are computed from. A view, free of libtorch:
// embeddings, predictions, raw columns and labels all come as rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/status.h"

namespace tidemill::supervisor::statistics {

// A row-major matrix that belongs to somebody else. A single column is {.values = column}.
struct Rows {
  std::span<const double> values = {};
  int64_t num_columns = 1;

  int64_t num_rows() const { return static_cast<int64_t>(values.size()) / num_columns; }
  std::span<const double> operator[](int64_t row) const {
    return values.subspan(static_cast<size_t>(row * num_columns), static_cast<size_t>(num_columns));
  }
};

// OK when statistics of these two samples are defined: both have rows, equally many columns, and
// finite numbers only. INVALID_ARGUMENT otherwise, with the first place that is at fault.
// Everything else in this folder takes for granted that its samples have passed.
absl::Status CheckSamples(const Rows& reference, const Rows& current);

std::vector<double> ColumnOf(const Rows& rows, int64_t column);

// The rows of these numbers, one behind the other, in the order given.
std::vector<double> Gather(const Rows& rows, std::span<const int64_t> numbers);

// `reference` and behind it `current`.
std::vector<double> Pool(const Rows& reference, const Rows& current);

// Brings `numbers` into an order in which the first `count` are a draw without replacement, each
// order of them equally likely (Durstenfeld, "Random permutation", Algorithm 235, 1964). `count` of
// numbers.size() shuffles all. A pure function of the key.
void DrawFirst(std::span<int64_t> numbers, int64_t count, const RandomKey& key);

// At most `most` rows, drawn without replacement and kept in their order; all of them in order when
// there are no more. Time and memory O(rows).
std::vector<double> Subsample(const Rows& rows, int64_t most, const RandomKey& key);

}  // namespace tidemill::supervisor::statistics
