// Batches of samples of similar length: those of a window are read, sorted and cut together, and
// each maker takes its slice of them.
#include <algorithm>
#include <utility>

#include "batch/slice.h"
#include "loader/batch_maker.h"
#include "loader/plan/length_buckets.h"

namespace tidemill::loader {

absl::StatusOr<int64_t> BatchMaker::FindWidth() const {
  for (const transform::ColumnSchema& input : parts_.graph->inputs()) {
    if (input.name != plan_.buckets->column) continue;
    if (!input.shape.empty()) return input.shape[0];
    return InvalidArgument("buckets.column: rows of '{}' are single numbers", input.name);
  }
  return InvalidArgument("buckets.column: the graph makes no '{}' for the model",
                         plan_.buckets->column);
}

// The first batch of the window of a batch, and the first one behind it. Numbers of batches, not
// places in the epoch, begin a window: who takes batches in pieces of a window's size never divides
// one.
std::pair<int64_t, int64_t> BatchMaker::WindowOf(int64_t number) const {
  const int64_t window = number / plan_.buckets->window * plan_.buckets->window;
  const int64_t epoch = number / num_batches_ * num_batches_;
  return {std::max(window, epoch), std::min(window + plan_.buckets->window, epoch + num_batches_)};
}

absl::StatusOr<std::vector<TrainingBatch>> BatchMaker::MakeBucketed(
    int64_t from, int64_t to, const std::stop_token& stop) const {
  std::vector<TrainingBatch> batches;
  while (from < to) {
    const auto [begin, end] = WindowOf(from);
    const bool is_wanted_once = plan_.num_slices == 1 && from == begin && to >= end;
    ASSIGN_OR_RETURN(const std::shared_ptr<const WindowRows> window,
                     FindWindow(begin, end, is_wanted_once, stop));
    for (; from < std::min(to, end); ++from) batches.push_back(CutSlice(*window, begin, from));
  }
  return batches;
}

absl::StatusOr<std::shared_ptr<const WindowRows>> BatchMaker::FindWindow(
    int64_t begin, int64_t end, bool is_wanted_once, const std::stop_token& stop) const {
  if (!is_wanted_once) {
    return parts_.windows->Get(begin, [&] { return MakeWindow(begin, end, stop); });
  }
  ASSIGN_OR_RETURN(WindowRows window, MakeWindow(begin, end, stop));
  return std::make_shared<const WindowRows>(std::move(window));
}

absl::StatusOr<WindowRows> BatchMaker::MakeWindow(int64_t begin, int64_t end,
                                                  const std::stop_token& stop) const {
  const transform::RunContext context = ContextOf(begin);
  const int64_t first_position = GlobalPositionsOf(begin % num_batches_).first;
  const int64_t last_position = GlobalPositionsOf((end - 1) % num_batches_).second;
  std::vector<int64_t> wanted;
  AppendOrdinals(context.epoch, first_position, last_position, wanted);
  ASSIGN_OR_RETURN(const Rows read, Read(wanted, context, stop));
  ASSIGN_OR_RETURN(batch::Batch rows, batch::Concatenate(read.pieces));
  WindowRows window;
  window.holes = HolesOf(rows, wanted, first_position, ReasonsOf(read, ""));
  if (rows.num_rows() > 0) RETURN_IF_ERROR(Weigh(wanted, first_position, rows));
  std::vector<int64_t> sizes;
  auto hole = window.holes.begin();
  for (int64_t number = begin; number < end; ++number) {
    const auto [from, to] = GlobalPositionsOf(number % num_batches_);
    int64_t size = to - from;
    for (; hole != window.holes.end() && hole->position < to; ++hole) --size;
    sizes.push_back(size);
  }
  ASSIGN_OR_RETURN(window.batches,
                   CutByLength(*plan_.buckets, width_, rows, sizes,
                               {.seed = plan_.shuffle.seed,
                                .purpose = "buckets",
                                .trigger = plan_.shuffle.trigger,
                                .epoch = context.epoch * num_batches_ + begin % num_batches_}));
  return window;
}

std::vector<WindowRows::Hole> BatchMaker::HolesOf(const batch::Batch& rows,
                                                  std::span<const int64_t> wanted,
                                                  int64_t first_position,
                                                  const Reasons& reasons) const {
  const auto have = rows.num_rows() > 0 ? rows.Find(batch::kOrdinalColumn)->Values<int64_t>()
                                        : std::span<const int64_t>();
  std::vector<WindowRows::Hole> holes;
  size_t row = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (row < have.size() && have[row] == wanted[i]) {
      ++row;
    } else {
      holes.push_back({.position = first_position + static_cast<int64_t>(i),
                       .reason = ReasonOf(wanted[i], reasons)});
    }
  }
  return holes;
}

// The slice has the rows of a batch that its positions would give it, had all come as they stand in
// the epoch's order: as many as without buckets, and those that slices before it left.
TrainingBatch BatchMaker::CutSlice(const WindowRows& window, int64_t begin, int64_t number) const {
  TrainingBatch cut = Numbered(number);
  const int64_t first = GlobalPositionsOf(cut.index).first;
  const auto [from, to] = PositionsOf(cut.index);
  const auto hole_at = [&](int64_t position) {
    return std::ranges::lower_bound(window.holes, position, {}, &WindowRows::Hole::position);
  };
  const auto first_hole = hole_at(first);
  const auto own_hole = hole_at(from);
  cut.num_skipped = hole_at(to) - own_hole;
  if (cut.num_skipped > 0) cut.reason = own_hole->reason;
  const int64_t num_rows = to - from - cut.num_skipped;
  if (num_rows == 0) return cut;
  const int64_t first_row = from - first - (own_hole - first_hole);
  const batch::Batch& whole = window.batches[static_cast<size_t>(number - begin)];
  cut.rows = SliceAligned(whole, first_row, first_row + num_rows);
  return cut;
}

}  // namespace tidemill::loader
