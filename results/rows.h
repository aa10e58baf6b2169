// The table of results, and how it is asked.
//
// Its row is evaluator.v1.Evaluation: the value of one measure, of a model or of a rule without a
// model, on a window or a slice of it. Every report on a run is a query on the rows of its
// answer: some rows, grouped by some fields, pooled into one value (sample_mean.h), and shown in
// the columns of columns.h.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/time.h"
#include "tidemill/evaluator/v1/evaluation.pb.h"

namespace tidemill::results {

using Row = evaluator::v1::Evaluation;
// Views of rows: the table must outlive them.
using Rows = std::vector<const Row*>;
// Half-open.
using Window = std::pair<Cut, Cut>;

Cut CutOf(const rpc::v1::Cut& cut);
Window WindowOf(const Row& row);
// A model on a window, by the number of its trigger. A rule without a model has the place of the
// model in use.
using Place = std::pair<int64_t, Window>;
inline Place PlaceOf(const Row& row) { return {row.trigger(), WindowOf(row)}; }

// One measure of one evaluation on one dataset.
struct Measured {
  int32_t evaluation = 0;
  std::string dataset;
  std::string measure;

  friend auto operator<=>(const Measured&, const Measured&) = default;
  bool Holds(const Row& row) const;
};
Measured MeasuredOf(const Row& row);

inline bool IsOfModel(const Row& row) { return row.baseline().empty(); }
// A slice is not all samples of its window.
inline bool IsWhole(const Row& row) { return row.slice().empty(); }
// Whether the row is a cell of a matrix of models and windows. A confusion matrix has no single
// value.
bool IsCell(const Row& row);
inline bool HasValueOrSums(const Row& row) { return row.has_value() || !row.sums().empty(); }

// Returns the rows of a table, or of other rows, that `keep` takes, in their order.
template <typename Table, typename Keep>
Rows Select(const Table& table, const Keep& keep) {
  Rows kept;
  for (const auto& entry : table) {
    const Row* row = nullptr;
    if constexpr (std::is_pointer_v<std::decay_t<decltype(entry)>>) {
      row = entry;
    } else {
      row = &entry;
    }
    if (keep(*row)) kept.push_back(row);
  }
  return kept;
}

// Orders rows by evaluation and window; rows of the same window keep their order.
Rows ByWindow(Rows rows);

// The composite series of all samples, in the order of their windows.
template <typename Table>
Rows Active(const Table& table) {
  return ByWindow(Select(table, [](const Row& row) { return row.active() && IsWhole(row); }));
}
template <typename Table>
Rows Trained(const Table& table) {
  return ByWindow(Select(table, [](const Row& row) { return row.trained() && IsWhole(row); }));
}
template <typename Table>
Rows Baselines(const Table& table) {
  return Select(table, [](const Row& row) { return !IsOfModel(row); });
}

// The rows of the models that count: of those in use, or, in an evaluation in which none ever was,
// as on a whole dataset, of its last model.
template <typename Table>
Rows InUse(const Table& table);

// What a table measures, in the order of its cells.
template <typename Table>
std::vector<Measured> AllMeasured(const Table& table) {
  std::vector<Measured> all;
  for (const Row* row : Select(table, IsCell)) {
    bool is_known = false;
    for (const Measured& measured : all) is_known = is_known || measured.Holds(*row);
    if (!is_known) all.push_back(MeasuredOf(*row));
  }
  return all;
}

namespace internal {
Rows InUseOf(Rows of_models);
}  // namespace internal

template <typename Table>
Rows InUse(const Table& table) {
  return internal::InUseOf(Select(table, IsOfModel));
}

}  // namespace tidemill::results
