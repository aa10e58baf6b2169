// A batch in steps: see BatchMaker::RowGroups.
#include <algorithm>
#include <limits>
#include <utility>

#include "batch/slice.h"
#include "loader/batch_maker.h"

namespace tidemill::loader {
namespace {

// Cuts pieces of rows that stand in the order of ordinals asked for, with holes, into groups.
class GroupCutter {
 public:
  GroupCutter(std::span<const batch::Batch> pieces, int64_t rows_of_group)
      : pieces_(pieces), rows_of_group_(rows_of_group) {}

  // The rows of the next ordinals, as far as there are any.
  std::vector<batch::Batch> Take(std::span<const int64_t> wanted) {
    std::vector<batch::Batch> groups;
    int64_t first = row_;
    const auto cut = [&] {
      if (row_ > first) groups.push_back(batch::Slice(pieces_[piece_], first, row_));
      first = row_;
    };
    for (const int64_t ordinal : wanted) {
      if (piece_ < pieces_.size() && row_ == pieces_[piece_].num_rows()) {
        cut();
        ++piece_;
        first = row_ = 0;
      }
      if (piece_ == pieces_.size()) break;
      const auto have = pieces_[piece_].Find(batch::kOrdinalColumn)->Values<int64_t>();
      if (have[static_cast<size_t>(row_)] != ordinal) continue;
      ++row_;
      if (row_ - first == rows_of_group_) cut();
    }
    if (piece_ < pieces_.size()) cut();
    return groups;
  }

 private:
  const std::span<const batch::Batch> pieces_;
  const int64_t rows_of_group_;
  size_t piece_ = 0;
  int64_t row_ = 0;
};

}  // namespace

int64_t BatchMaker::SamplesOf(int64_t number) const {
  const auto [from, to] = PositionsOf(number % num_batches_);
  return to - from;
}

absl::Status BatchMaker::ReadGroupsOfEpoch(int64_t from, int64_t to, int64_t rows_of_group,
                                           const std::stop_token& stop,
                                           std::vector<RowGroups>& into) const {
  const int64_t first = from % num_batches_;
  const Wanted wanted = WantedOf(plan_.first_epoch + from / num_batches_, first, first + to - from);
  const auto as_they_are = [](batch::Batch&, Rows&) { return absl::OkStatus(); };
  ASSIGN_OR_RETURN(const Rows rows,
                   ReadRows(*parts_.set, wanted.ordinals, parts_.reader,
                            std::numeric_limits<int64_t>::max() / 2, as_they_are, stop));
  if (parts_.bad != nullptr) parts_.bad->Add(rows.bad);
  GroupCutter cutter(rows.pieces, rows_of_group);
  std::span<const int64_t> rest = wanted.ordinals;
  for (const int64_t size : wanted.sizes) {
    const auto ordinals = rest.first(static_cast<size_t>(size));
    rest = rest.subspan(ordinals.size());
    into.push_back({.number = from++,
                    .wanted = {ordinals.begin(), ordinals.end()},
                    .groups = cutter.Take(ordinals),
                    .bad = rows.bad});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<BatchMaker::RowGroups>> BatchMaker::ReadGroups(
    int64_t from, int64_t to, int64_t rows_of_group, const std::stop_token& stop) const {
  WorkTimer timer(*counters_);
  const int64_t begin = transform::ThreadTime::WallNow();
  std::vector<RowGroups> batches;
  while (from < to) {
    const int64_t end = std::min(to, (from / num_batches_ + 1) * num_batches_);
    RETURN_IF_ERROR(ReadGroupsOfEpoch(from, end, rows_of_group, stop, batches));
    from = end;
  }
  counters_->AddRead(transform::ThreadTime::WallNow() - begin);
  timer.Finish(std::ssize(batches), 0, 0);
  return batches;
}

absl::StatusOr<Rows> BatchMaker::RunGraph(int64_t number, batch::Batch group) const {
  WorkTimer timer(*counters_);
  Rows rows;
  const int64_t read = group.num_rows();
  RETURN_IF_ERROR(Transform(ContextOf(number), group, rows));
  rows.num_skipped = read - group.num_rows();
  if (parts_.bad != nullptr) parts_.bad->Add(rows.bad);
  rows.pieces.push_back(std::move(group));
  timer.Finish(0, 0, 0);
  return rows;
}

absl::StatusOr<TrainingBatch> BatchMaker::PutTogether(int64_t number, std::vector<int64_t> ordinals,
                                                      const Rows& rows) const {
  WorkTimer timer(*counters_);
  const int64_t size = std::ssize(ordinals);
  ASSIGN_OR_RETURN(std::vector<TrainingBatch> cut,
                   Cut(rows, {.ordinals = std::move(ordinals), .sizes = {size}}, number));
  const batch::Batch& made = cut[0].rows;
  timer.Finish(0, made.num_rows(), batch::BytesOf(made));
  return std::move(cut[0]);
}

}  // namespace tidemill::loader
