#include "loader/batches/batch_cutter.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/check.h"
#include "batch/slice.h"

// Rows come back for the ordinals that were asked for, in their order, without those that could not
// be used. Ordinals 7, 2 and 9, 4, 1 were asked for as batches of three and two; 2 was unreadable:
//
//   wanted    7  2  9 | 4  1        rows    7  9  4  1
//   batch 0   7  .  9               one hole: num_skipped = 1, or num_filtered
//   batch 1             4  1
//
// A batch is a slice of the rows: holes make it smaller and never move a sample to another batch.

namespace tidemill::loader {
namespace {

std::span<const int64_t> OrdinalsIn(const batch::Batch& rows) {
  return rows.num_rows() > 0 ? rows.Find(batch::kOrdinalColumn)->Values<int64_t>()
                             : std::span<const int64_t>();
}

// The weights of the rows, by ordinal: those of the set times those of the subset.
absl::Status SetWeights(const TrainingSet& set, const Subset* subset, batch::Batch& rows) {
  const bool is_chosen = subset != nullptr && !subset->weights.empty();
  if (set.weights.empty() && !is_chosen) return absl::OkStatus();
  std::vector<float> weights;
  weights.reserve(static_cast<size_t>(rows.num_rows()));
  for (const int64_t ordinal : rows.Find(batch::kOrdinalColumn)->Values<int64_t>()) {
    float weight = set.weights.empty() ? 1 : set.weights[static_cast<size_t>(ordinal)];
    if (is_chosen) {
      const auto at = std::lower_bound(subset->ordinals.begin(), subset->ordinals.end(), ordinal);
      TIDEMILL_DCHECK(at != subset->ordinals.end() && *at == ordinal);
      weight *= subset->weights[static_cast<size_t>(at - subset->ordinals.begin())];
    }
    weights.push_back(weight);
  }
  return rows.Set(batch::MakeColumn<float>(batch::kWeightColumn, weights));
}

// Walks along rows that are in the order of the ordinals asked for, with holes, in pieces.
class RowCursor {
 public:
  explicit RowCursor(std::span<const batch::Batch> pieces) : pieces_(pieces) {}

  // The rows of the next ordinals, as far as there are any.
  absl::StatusOr<batch::Batch> Take(std::span<const int64_t> wanted) {
    std::vector<batch::Batch> parts;
    for (size_t next = 0; next < wanted.size() && piece_ < pieces_.size();) {
      const batch::Batch& piece = pieces_[piece_];
      const int64_t first = row_;
      next = Walk(piece, wanted, next);
      if (row_ > first) parts.push_back(batch::Slice(piece, first, row_));
      if (row_ < piece.num_rows()) break;
      ++piece_;
      row_ = 0;
    }
    if (parts.empty()) return batch::Batch();
    if (parts.size() == 1) return std::move(parts[0]);
    return batch::Concatenate(parts);
  }

 private:
  // Passes the rows of a piece that are wanted from `next` on; returns the rows after them.
  size_t Walk(const batch::Batch& piece, std::span<const int64_t> wanted, size_t next) {
    if (piece.num_rows() == 0) return next;
    const auto have = piece.Find(batch::kOrdinalColumn)->Values<int64_t>();
    for (; next < wanted.size() && row_ < piece.num_rows(); ++next) {
      if (have[static_cast<size_t>(row_)] == wanted[next]) ++row_;
    }
    return next;
  }

  const std::span<const batch::Batch> pieces_;
  size_t piece_ = 0;
  int64_t row_ = 0;
};

// Calls visit(ordinal) with the ordinals that are not among the rows.
template <typename Visit>
void VisitHoles(const batch::Batch& rows, std::span<const int64_t> wanted, Visit visit) {
  const auto have = OrdinalsIn(rows);
  size_t row = 0;
  for (const int64_t ordinal : wanted) {
    if (row < have.size() && have[row] == ordinal) {
      ++row;
    } else {
      visit(ordinal);
    }
  }
}

// If a batch has more samples than the epoch has positions left, the samples beyond them fill it
// up.
absl::Status SetPadding(int64_t num_true, std::span<const int64_t> wanted, batch::Batch& rows) {
  const auto ordinals = rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
  const batch::Column* const given = rows.Find(batch::kWeightColumn);
  std::vector<float> weights(ordinals.size(), 1.0f);
  if (given != nullptr) std::ranges::copy(given->Values<float>(), weights.begin());
  size_t row = 0;
  for (int64_t i = 0; i < std::ssize(wanted) && row < ordinals.size(); ++i) {
    if (ordinals[row] != wanted[i]) continue;
    if (i >= num_true) weights[row] = 0;
    ++row;
  }
  return rows.Set(batch::MakeColumn<float>(batch::kWeightColumn, weights));
}

absl::StatusOr<batch::Batch> JoinPieces(const std::vector<batch::Batch>& pieces) {
  if (pieces.empty()) return batch::Batch();
  if (pieces.size() == 1) return pieces[0];
  return batch::Concatenate(pieces);
}

// Says where the ordinals whose place was unknown are now: the rows read are theirs, in the same
// order, with holes. Returns the holes.
std::vector<int64_t> PlaceRead(const batch::Batch& read, std::span<const int64_t> ordinals,
                               std::vector<int64_t>& places) {
  std::vector<int64_t> holes;
  int64_t row = 0;
  const auto have = OrdinalsIn(read);
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (places[i] != DecodedSamples::kUnknown) continue;
    if (row < read.num_rows() && have[row] == ordinals[i]) {
      places[i] = DecodedSamples::PlaceOfRead(row++);
    } else {
      places[i] = DecodedSamples::kHole;
      holes.push_back(ordinals[i]);
    }
  }
  return holes;
}

}  // namespace

SkipReasons::SkipReasons(const Rows& rows, std::string otherwise)
    : otherwise_(std::move(otherwise)) {
  for (const Unreadable& bad : rows.bad) by_key_.emplace(bad.key, bad.reason);
  filtered_.insert(rows.filtered.begin(), rows.filtered.end());
}

std::string SkipReasons::Of(int64_t key) const {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) return fmt::format("sample {}: {}", key, found->second);
  return otherwise_;
}

absl::StatusOr<std::vector<TrainingBatch>> BatchCutter::Cut(const Rows& rows,
                                                            const WantedSamples& wanted,
                                                            int64_t first) const {
  const SkipReasons reasons(rows, "");
  RowCursor cursor(rows.pieces);
  std::vector<TrainingBatch> batches;
  std::span<const int64_t> rest = wanted.ordinals;
  for (const int64_t size : wanted.sizes) {
    const auto ordinals = rest.first(static_cast<size_t>(size));
    rest = rest.subspan(ordinals.size());
    TrainingBatch cut = ordinals_.Numbered(first++);
    ASSIGN_OR_RETURN(cut.rows, cursor.Take(ordinals));
    RETURN_IF_ERROR(Finish(cut, ordinals, reasons));
    batches.push_back(std::move(cut));
  }
  return batches;
}

absl::StatusOr<std::vector<TrainingBatch>> BatchCutter::CutKept(const Rows& rows,
                                                                const WantedSamples& wanted,
                                                                std::vector<int64_t> places,
                                                                int64_t first) const {
  ASSIGN_OR_RETURN(const batch::Batch read, JoinPieces(rows.pieces));
  const std::vector<int64_t> holes = PlaceRead(read, wanted.ordinals, places);
  const auto& bad = rows.bad;
  const absl::flat_hash_set<int64_t> filtered(rows.filtered.begin(), rows.filtered.end());
  std::vector<int64_t> unreadable;
  std::vector<int64_t> left_out;
  for (const int64_t hole : holes) {
    const int64_t key = parts_.set->keys[static_cast<size_t>(hole)];
    (filtered.contains(key) ? left_out : unreadable).push_back(hole);
  }
  parts_.kept->KeepHoles(
      unreadable, bad.empty() ? "" : fmt::format("sample {}: {}", bad[0].key, bad[0].reason));
  parts_.kept->KeepFiltered(left_out);
  SkipReasons reasons(rows, parts_.kept->reason());
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] != DecodedSamples::kFiltered) continue;
    reasons.AddFiltered(parts_.set->keys[static_cast<size_t>(wanted.ordinals[i])]);
  }
  std::vector<TrainingBatch> batches;
  size_t begin = 0;
  for (const int64_t size : wanted.sizes) {
    const auto count = static_cast<size_t>(size);
    const auto asked = std::span(wanted.ordinals).subspan(begin, count);
    TrainingBatch cut = ordinals_.Numbered(first++);
    ASSIGN_OR_RETURN(cut.rows, Gather(asked, std::span(places).subspan(begin, count), read));
    begin += count;
    RETURN_IF_ERROR(Finish(cut, asked, reasons));
    batches.push_back(std::move(cut));
  }
  return batches;
}

absl::StatusOr<batch::Batch> BatchCutter::Gather(std::span<const int64_t> wanted,
                                                 std::span<const int64_t> places,
                                                 const batch::Batch& read) const {
  std::vector<int64_t> good;
  std::vector<int64_t> good_places;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (places[i] == DecodedSamples::kHole || places[i] == DecodedSamples::kFiltered) continue;
    good.push_back(wanted[i]);
    good_places.push_back(places[i]);
  }
  if (good.empty()) return batch::Batch();
  return parts_.kept->Gather(good, good_places, read);
}

std::optional<std::string> BatchCutter::ReasonOf(int64_t ordinal,
                                                 const SkipReasons& reasons) const {
  const int64_t key = parts_.set->keys[static_cast<size_t>(ordinal)];
  if (reasons.IsFiltered(key)) return std::nullopt;
  return reasons.Of(key);
}

absl::Status BatchCutter::Finish(TrainingBatch& cut, std::span<const int64_t> wanted,
                                 const SkipReasons& reasons) const {
  if (cut.rows.num_rows() < std::ssize(wanted)) {
    VisitHoles(cut.rows, wanted, [&](int64_t ordinal) {
      if (reasons.IsFiltered(parts_.set->keys[static_cast<size_t>(ordinal)])) {
        ++cut.num_filtered;
      } else if (cut.num_skipped++ == 0) {
        cut.reason = ReasonOf(ordinal, reasons).value_or("");
      }
    });
  }
  if (cut.rows.num_rows() == 0) return absl::OkStatus();
  return Weigh(wanted, ordinals_.OfSlice(cut.index).from, cut.rows);
}

absl::Status BatchCutter::Weigh(std::span<const int64_t> wanted, int64_t first_position,
                                batch::Batch& rows) const {
  TIDEMILL_CHECK(rows.num_rows() > 0);
  const BatchPlan& plan = ordinals_.plan();
  RETURN_IF_ERROR(SetWeights(*parts_.set, plan.subset.get(), rows));
  if (plan.last_batch != LastBatch::kPad) return absl::OkStatus();
  const int64_t num_true = ordinals_.num_positions() - first_position;
  if (num_true >= std::ssize(wanted)) return absl::OkStatus();
  return SetPadding(num_true, wanted, rows);
}

}  // namespace tidemill::loader
