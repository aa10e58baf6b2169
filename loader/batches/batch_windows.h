// Makes batches of samples of similar length. The samples of a window are read, sorted and cut
// together, and each maker takes its slice.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_cutter.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/row_maker.h"
#include "loader/batches/window_rows.h"
#include "models/training/buckets_spec.h"
#include "transform/graph.h"

namespace tidemill::loader {

// Returns the width of the column by which lengths are measured. INVALID_ARGUMENT when the graph
// makes no such column, or when its rows are single numbers.
absl::StatusOr<int64_t> WidthOfBuckets(const transform::Graph& graph,
                                       const models::Buckets& buckets);

// Serves a plan with buckets. Thread-safe.
class BatchWindows {
 public:
  // `width` is the width of the buckets' column. The other arguments must outlive this object.
  BatchWindows(const BatchOrdinals& ordinals, const RowMaker& rows, const BatchCutter& cutter,
               WindowCache& cache, int64_t width)
      : ordinals_(ordinals), rows_(rows), cutter_(cutter), cache_(cache), width_(width) {}

  // Returns the plan's slice of the batches [from, to), which must belong to one epoch. CANCELLED
  // when `stop` is requested.
  absl::StatusOr<std::vector<TrainingBatch>> Make(int64_t from, int64_t to,
                                                  const std::stop_token& stop) const;

 private:
  using Holes = std::vector<WindowRows::Hole>;

  // The batches [begin, end), by number.
  struct Window {
    int64_t begin = 0;
    int64_t end = 0;
  };
  Window WindowOf(int64_t number) const;
  absl::StatusOr<std::shared_ptr<const WindowRows>> FindWindow(Window window, bool is_wanted_once,
                                                               const std::stop_token& stop) const;
  absl::StatusOr<WindowRows> MakeWindow(Window window, const std::stop_token& stop) const;
  Holes HolesOf(const batch::Batch& rows, std::span<const int64_t> wanted, int64_t first_position,
                const SkipReasons& reasons) const;
  // Returns the number of rows of each batch. It is the number of positions that the epoch's order
  // gives it, without holes.
  std::vector<int64_t> SizesOf(Window window, const Holes& holes) const;
  TrainingBatch CutSlice(const WindowRows& window, int64_t begin, int64_t number) const;

  const BatchOrdinals& ordinals_;
  const RowMaker& rows_;
  const BatchCutter& cutter_;
  WindowCache& cache_;
  const int64_t width_;
};

}  // namespace tidemill::loader
