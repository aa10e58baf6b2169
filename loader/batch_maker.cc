#include "loader/batch_maker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "batch/slice.h"
#include "loader/mixed_order.h"
#include "loader/plan/length_buckets.h"

namespace tidemill::loader {
namespace {

// Samples read together where they are small: enough to pay for a call.
constexpr int64_t kMaxSamplesTogether = 8192;
// Samples run through the graph together where batches are small: its columns stay in the cache.
constexpr int64_t kGraphSamples = 2048;
// Windows that a maker keeps for itself.
constexpr int64_t kWindowBytes = int64_t{16} << 20;

// Drops the columns that training does not need.
absl::StatusOr<batch::Batch> Narrow(const batch::Batch& transformed) {
  batch::Batch rows(transformed.num_rows());
  for (const batch::Column& column : transformed.columns()) {
    if (column.name != batch::kEventTimeColumn) RETURN_IF_ERROR(rows.Set(column));
  }
  return rows;
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
      weight *= subset->weights[static_cast<size_t>(at - subset->ordinals.begin())];
    }
    weights.push_back(weight);
  }
  return rows.Set(batch::MakeColumn<float>(batch::kWeightColumn, weights));
}

// Walks along rows that stand in the order of the ordinals asked for, with holes, in pieces.
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
  // Passes the rows of a piece that are wanted from `next` on; returns what comes after them.
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

// The first of the ordinals that is not among the rows; there is one.
int64_t FirstHole(const batch::Batch& rows, std::span<const int64_t> wanted) {
  const auto have = rows.num_rows() > 0 ? rows.Find(batch::kOrdinalColumn)->Values<int64_t>()
                                        : std::span<const int64_t>();
  size_t row = 0;
  while (row < have.size() && have[row] == wanted[row]) ++row;
  return wanted[row];
}

// Where a batch has more samples than the epoch has positions left, those from there on are there
// to fill it.
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

// The order of epochs of `size` samples out of a set's.
std::unique_ptr<const SampleOrder> MakeOrder(const BatchPlan& plan, int64_t set_size,
                                             int64_t size) {
  RandomKey key = plan.shuffle;
  // Negative ordinals below those of orders are no one else's.
  constexpr int64_t kParts = int64_t{-1} << 40;
  if (plan.part != 0) key.seed = static_cast<int64_t>(RandomBits(key, kParts - plan.part));
  if (plan.sources != nullptr) return MakeMixedOrder(plan.sources, key, plan.batch_size, size);
  return plan.draw ? MakeDrawnOrder(plan.order, key, set_size, *plan.draw)
                   : MakeSampleOrder(plan.order, key, size);
}

}  // namespace

BatchMaker::Reasons BatchMaker::ReasonsOf(const Rows& rows, std::string otherwise) {
  Reasons reasons{.by_key = {}, .otherwise = std::move(otherwise)};
  for (const Unreadable& bad : rows.bad) reasons.by_key.emplace(bad.key, bad.reason);
  return reasons;
}

absl::StatusOr<std::unique_ptr<const BatchMaker>> BatchMaker::Create(BatchParts parts,
                                                                     const BatchPlan& plan) {
  if (plan.batch_size < 1 || plan.epochs < 1) {
    return InvalidArgument("batches of {} in {} epochs are none", plan.batch_size, plan.epochs);
  }
  if (plan.num_slices < 1 || plan.slice < 0 || plan.slice >= plan.num_slices) {
    return InvalidArgument("there is no slice {} of {}", plan.slice, plan.num_slices);
  }
  if (plan.sources != nullptr && plan.draw) {
    return InvalidArgument("a plan either mixes sources or draws, not both");
  }
  if (!parts.graph->target()) return InvalidArgument("the graph gives no `target` to learn");
  std::unique_ptr<BatchMaker> maker(new BatchMaker());
  maker->counters_ = std::make_unique<PathCounters>(parts.graph->op_types());
  maker->parts_ = std::move(parts);
  maker->plan_ = plan;
  if (plan.buckets) {
    ASSIGN_OR_RETURN(maker->width_, maker->FindWidth());
    std::shared_ptr<WindowCache>& windows = maker->parts_.windows;
    if (windows == nullptr) windows = std::make_shared<WindowCache>(kWindowBytes);
  }
  const int64_t size = maker->SamplesOfEpoch();
  maker->num_batches_ = plan.last_batch == LastBatch::kDrop
                            ? size / plan.batch_size
                            : (size + plan.batch_size - 1) / plan.batch_size;
  maker->order_ = MakeOrder(plan, maker->parts_.set->size(), size);
  return maker;
}

int64_t BatchMaker::SamplesOfEpoch() const {
  if (plan_.subset != nullptr) return plan_.subset->size();
  return plan_.draw ? plan_.draw->samples : parts_.set->size();
}

int64_t BatchMaker::num_samples() const {
  if (num_batches_ == 0) return 0;
  const auto [from, to] = PositionsOf(0);
  const auto [last_from, last_to] = PositionsOf(num_batches_ - 1);
  return (num_batches_ - 1) * (to - from) + last_to - last_from;
}

int64_t BatchMaker::batch_bytes() const {
  int64_t row_bytes = 3 * sizeof(int64_t);  // Key, ordinal and target.
  for (const transform::ColumnSchema& input : parts_.graph->inputs()) {
    row_bytes += input.Width() * static_cast<int64_t>(batch::SizeOf(input.type));
  }
  const int64_t rows = (plan_.batch_size + plan_.num_slices - 1) / plan_.num_slices;
  return rows * row_bytes;
}

int64_t BatchMaker::BatchesTogether(int64_t bytes) const {
  const int64_t rows = (plan_.batch_size + plan_.num_slices - 1) / plan_.num_slices;
  const int64_t most =
      std::max<int64_t>(1, std::min(kMaxSamplesTogether / rows, bytes / batch_bytes()));
  if (!plan_.buckets) return most;
  const int64_t window = plan_.buckets->window;
  return std::max<int64_t>(1, most / window) * window;
}

// The epoch's positions of a batch; those behind the last are the first ones again.
std::pair<int64_t, int64_t> BatchMaker::GlobalPositionsOf(int64_t index) const {
  const int64_t from = index * plan_.batch_size;
  const int64_t end = from + plan_.batch_size;
  return {from, plan_.last_batch == LastBatch::kKeep ? std::min(end, SamplesOfEpoch()) : end};
}

// Those of this slice of it.
std::pair<int64_t, int64_t> BatchMaker::PositionsOf(int64_t index) const {
  const auto [first, last] = GlobalPositionsOf(index);
  const auto border = [&, first = first, last = last](int64_t slice) {
    return std::min(first + plan_.batch_size * slice / plan_.num_slices, last);
  };
  return {border(plan_.slice), border(plan_.slice + 1)};
}

void BatchMaker::AppendOrdinals(int64_t epoch, int64_t from, int64_t to,
                                std::vector<int64_t>& ordinals) const {
  const int64_t size = SamplesOfEpoch();
  while (from < to) {
    const int64_t first = from % size;
    const int64_t count = std::min(to - from, size - first);
    ordinals.resize(ordinals.size() + static_cast<size_t>(count));
    const auto added = std::span(ordinals).last(static_cast<size_t>(count));
    order_->Get(epoch, first, added);
    if (plan_.subset != nullptr) {
      for (int64_t& ordinal : added) ordinal = plan_.subset->ordinals[ordinal];
    }
    from += count;
  }
}

BatchMaker::Wanted BatchMaker::WantedOf(int64_t epoch, int64_t first, int64_t last) const {
  Wanted wanted;
  auto [from, to] = PositionsOf(first);
  wanted.sizes.push_back(to - from);
  for (int64_t index = first + 1; index < last; ++index) {
    const auto [next_from, next_to] = PositionsOf(index);
    wanted.sizes.push_back(next_to - next_from);
    if (next_from != to) {
      AppendOrdinals(epoch, from, to, wanted.ordinals);
      from = next_from;
    }
    to = next_to;
  }
  AppendOrdinals(epoch, from, to, wanted.ordinals);
  return wanted;
}

absl::StatusOr<std::vector<TrainingBatch>> BatchMaker::Make(int64_t from, int64_t to,
                                                            const std::stop_token& stop) const {
  WorkTimer timer(*counters_);
  std::vector<TrainingBatch> batches;
  while (from < to) {
    const int64_t end_of_epoch = (from / num_batches_ + 1) * num_batches_;
    const int64_t end = std::min(to, end_of_epoch);
    ASSIGN_OR_RETURN(std::vector<TrainingBatch> part,
                     plan_.buckets ? MakeBucketed(from, end, stop) : MakeOfEpoch(from, end, stop));
    std::move(part.begin(), part.end(), std::back_inserter(batches));
    from = end;
  }
  int64_t rows = 0;
  int64_t bytes = 0;
  for (const TrainingBatch& batch : batches) {
    rows += batch.rows.num_rows();
    bytes += batch::BytesOf(batch.rows);
  }
  timer.Finish(std::ssize(batches), rows, bytes);
  return batches;
}

// What random ops draw depends on the epoch, so samples of several epochs are not run together.
transform::RunContext BatchMaker::ContextOf(int64_t number) const {
  return {.training = plan_.training,
          .seed = plan_.shuffle.seed,
          .trigger = plan_.shuffle.trigger,
          .epoch = plan_.first_epoch + number / num_batches_,
          .standardize_target = true};
}

absl::Status BatchMaker::Transform(const transform::RunContext& context, batch::Batch& piece,
                                   Rows& rows) const {
  ASSIGN_OR_RETURN(const transform::Transformed transformed,
                   parts_.graph->Run(piece, parts_.fitted.get(), context, &counters_->ops()));
  for (const transform::BadSample& bad : transformed.bad) {
    rows.bad.push_back({piece.keys()[bad.row], bad.reason});
  }
  ASSIGN_OR_RETURN(piece, Narrow(transformed.batch));
  return absl::OkStatus();
}

absl::StatusOr<Rows> BatchMaker::Read(std::span<const int64_t> ordinals,
                                      const transform::RunContext& context,
                                      const std::stop_token& stop) const {
  const int64_t begin = transform::ThreadTime::WallNow();
  int64_t graph_ns = 0;
  const auto run_graph = [&](batch::Batch& piece, Rows& rows) -> absl::Status {
    const int64_t arrived = transform::ThreadTime::WallNow();
    RETURN_IF_ERROR(Transform(context, piece, rows));
    if (plan_.buckets) {
      RETURN_IF_ERROR(MakeRagged(*plan_.buckets, piece));
    } else if (parts_.kept != nullptr) {
      parts_.kept->Keep(piece);
    }
    graph_ns += transform::ThreadTime::WallNow() - arrived;
    return absl::OkStatus();
  };
  // Whole batches, so that most of them need not be put together.
  const int64_t size = std::max<int64_t>(1, plan_.batch_size / plan_.num_slices);
  const int64_t max_rows = std::max<int64_t>(1, kGraphSamples / size) * size;
  ASSIGN_OR_RETURN(Rows rows,
                   ReadRows(*parts_.set, ordinals, parts_.reader, max_rows, run_graph, stop));
  counters_->AddRead(transform::ThreadTime::WallNow() - begin - graph_ns);
  if (parts_.bad != nullptr) parts_.bad->Add(rows.bad);
  return rows;
}

absl::StatusOr<std::vector<TrainingBatch>> BatchMaker::MakeOfEpoch(
    int64_t from, int64_t to, const std::stop_token& stop) const {
  const transform::RunContext context = ContextOf(from);
  const int64_t first = from % num_batches_;
  const Wanted wanted = WantedOf(context.epoch, first, first + to - from);
  if (parts_.kept == nullptr) {
    ASSIGN_OR_RETURN(const Rows rows, Read(wanted.ordinals, context, stop));
    return Cut(rows, wanted, from);
  }
  std::vector<int64_t> places = parts_.kept->Find(wanted.ordinals);
  std::vector<int64_t> unknown;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == DecodedSamples::kUnknown) unknown.push_back(wanted.ordinals[i]);
  }
  Rows rows;
  if (!unknown.empty()) {
    ASSIGN_OR_RETURN(rows, Read(unknown, context, stop));
    if (unknown.size() == wanted.ordinals.size() && rows.num_skipped == 0) {
      return Cut(rows, wanted, from);
    }
  }
  return CutKept(rows, wanted, std::move(places), from);
}

TrainingBatch BatchMaker::Numbered(int64_t number) const {
  return {.epoch = plan_.first_epoch + number / num_batches_, .index = number % num_batches_};
}

absl::StatusOr<std::vector<TrainingBatch>> BatchMaker::Cut(const Rows& rows, const Wanted& wanted,
                                                           int64_t from) const {
  const Reasons reasons = ReasonsOf(rows, "");
  RowCursor cursor(rows.pieces);
  std::vector<TrainingBatch> batches;
  std::span<const int64_t> rest = wanted.ordinals;
  for (const int64_t size : wanted.sizes) {
    const auto ordinals = rest.first(static_cast<size_t>(size));
    rest = rest.subspan(ordinals.size());
    TrainingBatch cut = Numbered(from++);
    ASSIGN_OR_RETURN(cut.rows, cursor.Take(ordinals));
    RETURN_IF_ERROR(Finish(cut, ordinals, reasons));
    batches.push_back(std::move(cut));
  }
  return batches;
}

absl::StatusOr<std::vector<TrainingBatch>> BatchMaker::CutKept(const Rows& rows,
                                                               const Wanted& wanted,
                                                               std::vector<int64_t> places,
                                                               int64_t from) const {
  batch::Batch read;
  if (rows.pieces.size() == 1) read = rows.pieces[0];
  if (rows.pieces.size() > 1) {
    ASSIGN_OR_RETURN(read, batch::Concatenate(rows.pieces));
  }
  const std::vector<int64_t>& ordinals = wanted.ordinals;
  // The rows read are those of the unknown ones, in the same order, with holes.
  std::vector<int64_t> holes;
  int64_t row = 0;
  const auto have = read.num_rows() > 0 ? read.Find(batch::kOrdinalColumn)->Values<int64_t>()
                                        : std::span<const int64_t>();
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (places[i] != DecodedSamples::kUnknown) continue;
    if (row < read.num_rows() && have[row] == ordinals[i]) {
      places[i] = DecodedSamples::PlaceOfRead(row++);
    } else {
      places[i] = DecodedSamples::kHole;
      holes.push_back(ordinals[i]);
    }
  }
  const auto& bad = rows.bad;
  parts_.kept->KeepHoles(
      holes, bad.empty() ? "" : fmt::format("sample {}: {}", bad[0].key, bad[0].reason));
  const Reasons reasons = ReasonsOf(rows, parts_.kept->reason());
  std::vector<TrainingBatch> batches;
  size_t begin = 0;
  for (const int64_t size : wanted.sizes) {
    const auto asked = std::span(ordinals).subspan(begin, static_cast<size_t>(size));
    std::vector<int64_t> good;
    std::vector<int64_t> good_places;
    for (size_t i = 0; i < asked.size(); ++i) {
      if (places[begin + i] == DecodedSamples::kHole) continue;
      good.push_back(asked[i]);
      good_places.push_back(places[begin + i]);
    }
    begin += asked.size();
    TrainingBatch cut = Numbered(from++);
    if (!good.empty()) {
      ASSIGN_OR_RETURN(cut.rows, parts_.kept->Gather(good, good_places, read));
    }
    RETURN_IF_ERROR(Finish(cut, asked, reasons));
    batches.push_back(std::move(cut));
  }
  return batches;
}

std::string BatchMaker::ReasonOf(int64_t ordinal, const Reasons& reasons) const {
  const int64_t key = parts_.set->keys[static_cast<size_t>(ordinal)];
  const auto found = reasons.by_key.find(key);
  if (found != reasons.by_key.end()) return fmt::format("sample {}: {}", key, found->second);
  return std::string(reasons.otherwise);
}

absl::Status BatchMaker::Finish(TrainingBatch& cut, std::span<const int64_t> wanted,
                                const Reasons& reasons) const {
  cut.num_skipped = std::ssize(wanted) - cut.rows.num_rows();
  if (cut.num_skipped > 0) cut.reason = ReasonOf(FirstHole(cut.rows, wanted), reasons);
  if (cut.rows.num_rows() == 0) return absl::OkStatus();
  return Weigh(wanted, PositionsOf(cut.index).first, cut.rows);
}

absl::Status BatchMaker::Weigh(std::span<const int64_t> wanted, int64_t first_position,
                               batch::Batch& rows) const {
  RETURN_IF_ERROR(SetWeights(*parts_.set, plan_.subset.get(), rows));
  if (plan_.last_batch != LastBatch::kPad) return absl::OkStatus();
  const int64_t num_true = SamplesOfEpoch() - first_position;
  if (num_true >= std::ssize(wanted)) return absl::OkStatus();
  return SetPadding(num_true, wanted, rows);
}

}  // namespace tidemill::loader
