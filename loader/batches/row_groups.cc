#include "loader/batches/row_groups.h"

#include <algorithm>
#include <span>
#include <utility>

#include "batch/slice.h"

namespace tidemill::loader {
namespace {

// Cuts pieces of rows that are in the order of ordinals asked for, with holes, into groups.
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

absl::Status RowGroupMaker::ReadOfEpoch(int64_t from, int64_t to, int64_t rows_of_group,
                                        const std::stop_token& stop,
                                        std::vector<RowGroups>& into) const {
  const WantedSamples wanted = ordinals_.WantedBy(from, to);
  ASSIGN_OR_RETURN(const Rows rows, rows_.ReadSamples(wanted.ordinals, stop));
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

absl::StatusOr<std::vector<RowGroups>> RowGroupMaker::Read(int64_t from, int64_t to,
                                                           int64_t rows_of_group,
                                                           const std::stop_token& stop) const {
  WorkTimer timer(counters_);
  const int64_t begin = transform::ThreadTime::WallNow();
  std::vector<RowGroups> batches;
  while (from < to) {
    const int64_t end = std::min(to, ordinals_.EndOfEpoch(from));
    RETURN_IF_ERROR(ReadOfEpoch(from, end, rows_of_group, stop, batches));
    from = end;
  }
  counters_.AddRead(transform::ThreadTime::WallNow() - begin);
  timer.Finish(std::ssize(batches), 0, 0);
  return batches;
}

absl::StatusOr<Rows> RowGroupMaker::RunGraph(int64_t number, batch::Batch group) const {
  WorkTimer timer(counters_);
  ASSIGN_OR_RETURN(Rows rows, rows_.RunGraph(number, std::move(group)));
  timer.Finish(0, 0, 0);
  return rows;
}

absl::StatusOr<TrainingBatch> RowGroupMaker::PutTogether(int64_t number,
                                                         std::vector<int64_t> ordinals,
                                                         const Rows& rows) const {
  WorkTimer timer(counters_);
  const int64_t size = std::ssize(ordinals);
  ASSIGN_OR_RETURN(std::vector<TrainingBatch> cut,
                   cutter_.Cut(rows, {.ordinals = std::move(ordinals), .sizes = {size}}, number));
  const batch::Batch& made = cut[0].rows;
  timer.Finish(0, made.num_rows(), batch::BytesOf(made));
  return std::move(cut[0]);
}

}  // namespace tidemill::loader
