#include "loader/batches/batch_windows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "batch/slice.h"
#include "loader/plan/length_buckets.h"

// Windows of 4 batches in epochs of 6, with batches of 2 samples, padded to their longest:
//
//   number      0   1   2   3 | 4   5 |  6   7 | 8   9   10  11 |
//   epoch       0   0   0   0   0   0 |  1   1   1   1   1   1  |
//   window      +-- of four --+ +---+    +---+   +--- of four --+
//
//   lengths in the order of the epoch      7 2   9 3   1 8   2 9
//   sorted and cut into batches            1 2   2 3   7 8   9 9      padding: 3 numbers, not 25
//   in an order drawn for the window       7 8   1 2   9 9   2 3
//
// Windows begin at multiples of their size among all numbers, and end with the epoch. A batch has
// as many rows as it would have without buckets, and all slices of a window share its rows.

namespace tidemill::loader {

absl::StatusOr<int64_t> WidthOfBuckets(const transform::Graph& graph,
                                       const models::Buckets& buckets) {
  for (const transform::ColumnSchema& input : graph.inputs()) {
    if (input.name != buckets.column) continue;
    if (!input.shape.empty()) return input.shape[0];
    return InvalidArgument("buckets.column: the rows of '{}' are single numbers", input.name);
  }
  return InvalidArgument("buckets.column: the graph makes no '{}' for the model", buckets.column);
}

// Numbers of batches, not places in the epoch, begin a window: who takes batches in pieces of a
// window's size never divides one.
BatchWindows::Window BatchWindows::WindowOf(int64_t number) const {
  const int64_t size = ordinals_.plan().buckets->window;
  const int64_t window = number / size * size;
  const int64_t end_of_epoch = ordinals_.EndOfEpoch(number);
  return {std::max(window, end_of_epoch - ordinals_.num_batches()),
          std::min(window + size, end_of_epoch)};
}

absl::StatusOr<std::vector<TrainingBatch>> BatchWindows::Make(int64_t from, int64_t to,
                                                              const std::stop_token& stop) const {
  TIDEMILL_CHECK(to <= ordinals_.EndOfEpoch(from));
  std::vector<TrainingBatch> batches;
  while (from < to) {
    const Window window = WindowOf(from);
    const bool is_wanted_once =
        ordinals_.plan().num_slices == 1 && from == window.begin && to >= window.end;
    ASSIGN_OR_RETURN(const std::shared_ptr<const WindowRows> rows,
                     FindWindow(window, is_wanted_once, stop));
    for (; from < std::min(to, window.end); ++from) {
      batches.push_back(CutSlice(*rows, window.begin, from));
    }
  }
  return batches;
}

absl::StatusOr<std::shared_ptr<const WindowRows>> BatchWindows::FindWindow(
    Window window, bool is_wanted_once, const std::stop_token& stop) const {
  if (!is_wanted_once) {
    return cache_.Get(window.begin, [&] { return MakeWindow(window, stop); });
  }
  ASSIGN_OR_RETURN(WindowRows made, MakeWindow(window, stop));
  return std::make_shared<const WindowRows>(std::move(made));
}

absl::StatusOr<WindowRows> BatchWindows::MakeWindow(Window window,
                                                    const std::stop_token& stop) const {
  const int64_t num_batches = ordinals_.num_batches();
  const int64_t epoch = ordinals_.EpochOf(window.begin);
  const int64_t first_index = window.begin % num_batches;
  const int64_t first_position = ordinals_.OfBatch(first_index).from;
  const int64_t last_position = ordinals_.OfBatch((window.end - 1) % num_batches).to;
  std::vector<int64_t> wanted;
  ordinals_.Append(epoch, {first_position, last_position}, wanted);
  ASSIGN_OR_RETURN(const Rows read, rows_.Make(wanted, window.begin, stop));
  ASSIGN_OR_RETURN(batch::Batch rows, batch::Concatenate(read.pieces));
  WindowRows made;
  made.holes = HolesOf(rows, wanted, first_position, SkipReasons(read, ""));
  if (rows.num_rows() > 0) RETURN_IF_ERROR(cutter_.Weigh(wanted, first_position, rows));
  const BatchPlan& plan = ordinals_.plan();
  ASSIGN_OR_RETURN(made.batches,
                   CutByLength(*plan.buckets, width_, rows, SizesOf(window, made.holes),
                               {.seed = plan.shuffle.seed,
                                .purpose = "buckets",
                                .trigger = plan.shuffle.trigger,
                                .epoch = epoch * num_batches + first_index}));
  return made;
}

BatchWindows::Holes BatchWindows::HolesOf(const batch::Batch& rows, std::span<const int64_t> wanted,
                                          int64_t first_position,
                                          const SkipReasons& reasons) const {
  const auto have = rows.num_rows() > 0 ? rows.Find(batch::kOrdinalColumn)->Values<int64_t>()
                                        : std::span<const int64_t>();
  Holes holes;
  size_t row = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (row < have.size() && have[row] == wanted[i]) {
      ++row;
    } else {
      std::optional<std::string> reason = cutter_.ReasonOf(wanted[i], reasons);
      holes.push_back({.position = first_position + static_cast<int64_t>(i),
                       .filtered = !reason,
                       .reason = std::move(reason).value_or("")});
    }
  }
  return holes;
}

std::vector<int64_t> BatchWindows::SizesOf(Window window, const Holes& holes) const {
  std::vector<int64_t> sizes;
  auto hole = holes.begin();
  for (int64_t number = window.begin; number < window.end; ++number) {
    const auto [from, to] = ordinals_.OfBatch(number % ordinals_.num_batches());
    int64_t size = to - from;
    for (; hole != holes.end() && hole->position < to; ++hole) --size;
    sizes.push_back(size);
  }
  return sizes;
}

// The slice has the rows of a batch that its positions would give it, had all come in the epoch's
// order: as many as without buckets, and those that slices before it left.
TrainingBatch BatchWindows::CutSlice(const WindowRows& window, int64_t begin,
                                     int64_t number) const {
  TrainingBatch cut = ordinals_.Numbered(number);
  const int64_t first = ordinals_.OfBatch(cut.index).from;
  const auto [from, to] = ordinals_.OfSlice(cut.index);
  const auto hole_at = [&](int64_t position) {
    return std::ranges::lower_bound(window.holes, position, {}, &WindowRows::Hole::position);
  };
  const auto first_hole = hole_at(first);
  const auto own_hole = hole_at(from);
  const auto end_hole = hole_at(to);
  for (auto hole = own_hole; hole != end_hole; ++hole) {
    if (hole->filtered) {
      ++cut.num_filtered;
    } else if (cut.num_skipped++ == 0) {
      cut.reason = hole->reason;
    }
  }
  const int64_t num_rows = to - from - (end_hole - own_hole);
  if (num_rows == 0) return cut;
  const int64_t first_row = from - first - (own_hole - first_hole);
  const batch::Batch& whole = window.batches[static_cast<size_t>(number - begin)];
  cut.rows = SliceAligned(whole, first_row, first_row + num_rows);
  return cut;
}

}  // namespace tidemill::loader
