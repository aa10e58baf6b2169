#include "loader/batches/row_maker.h"

#include <algorithm>
#include <utility>

#include "loader/batches/cut_rows.h"
#include "loader/plan/length_buckets.h"

namespace tidemill::loader {
namespace {

// Samples run through the graph together where batches are small: its columns stay in the cache.
constexpr int64_t kGraphSamples = 2048;
// Rows that are found and kept together.
constexpr int64_t kKeptBytes = int64_t{8} << 20;

// Drops the columns that training does not need.
absl::StatusOr<batch::Batch> Narrow(const batch::Batch& transformed) {
  batch::Batch rows(transformed.num_rows());
  for (const batch::Column& column : transformed.columns()) {
    if (column.name != batch::kEventTimeColumn) RETURN_IF_ERROR(rows.Set(column));
  }
  return rows;
}

}  // namespace

transform::RunContext RowMaker::ContextOf(int64_t number) const {
  const BatchPlan& plan = ordinals_.plan();
  return {.training = plan.training,
          .seed = plan.shuffle.seed,
          .trigger = plan.shuffle.trigger,
          .epoch = ordinals_.EpochOf(number),
          .standardize_target = plan.standardize_target};
}

absl::Status RowMaker::Transform(const transform::RunContext& context, batch::Batch& piece,
                                 Rows& rows) const {
  ASSIGN_OR_RETURN(const transform::Transformed transformed,
                   parts_.graph->Run(piece, parts_.fitted.get(), context, &counters_.ops()));
  for (const transform::BadSample& bad : transformed.bad) {
    rows.bad.push_back({piece.keys()[bad.row], bad.reason});
  }
  if (transformed.num_filtered > 0) {
    AddFiltered(piece.keys(), transformed.batch.keys(), transformed.bad, rows.filtered);
  }
  ASSIGN_OR_RETURN(piece, Narrow(transformed.batch));
  return absl::OkStatus();
}

int64_t RowMaker::SamplesOfBatch() const {
  const BatchPlan& plan = ordinals_.plan();
  return std::max<int64_t>(1, plan.batch_size / plan.num_slices);
}

// Whole batches, so that most of them need not be concatenated.
int64_t RowMaker::SamplesAtOnce() const {
  const int64_t size = SamplesOfBatch();
  return std::max<int64_t>(1, kGraphSamples / size) * size;
}

absl::StatusOr<Rows> RowMaker::MakeInTwoParts(const OpenCut& cut, std::span<const int64_t> ordinals,
                                              int64_t number, const std::stop_token& stop) const {
  const CutRowsSetup setup{.set = *parts_.set,
                           .reader = parts_.reader,
                           .cache = *parts_.cache,
                           .cut = cut,
                           .context = ContextOf(number)};
  const auto& buckets = ordinals_.plan().buckets;
  const int64_t batch = SamplesOfBatch();
  const int64_t fitting = kKeptBytes / std::max<int64_t>(1, cut.cut.point().row_bytes);
  const auto at_once =
      static_cast<size_t>(std::clamp(fitting / batch * batch, batch, SamplesAtOnce()));
  Rows rows;
  for (size_t from = 0; from < ordinals.size(); from += at_once) {
    const auto some = ordinals.subspan(from, std::min(at_once, ordinals.size() - from));
    ASSIGN_OR_RETURN(Rows made, MakeCutRows(setup, some, counters_, stop));
    for (batch::Batch& piece : made.pieces) {
      ASSIGN_OR_RETURN(piece, Narrow(piece));
      if (buckets) RETURN_IF_ERROR(MakeRagged(*buckets, piece));
      rows.pieces.push_back(std::move(piece));
    }
    rows.num_missing += made.num_missing;
    rows.bad.insert(rows.bad.end(), made.bad.begin(), made.bad.end());
    rows.filtered.insert(rows.filtered.end(), made.filtered.begin(), made.filtered.end());
  }
  if (parts_.bad != nullptr) parts_.bad->Add(rows.bad);
  parts_.cache->Observe(counters_);
  return rows;
}

absl::StatusOr<Rows> RowMaker::Make(std::span<const int64_t> ordinals, int64_t number,
                                    const std::stop_token& stop) const {
  if (parts_.cache != nullptr) {
    const std::shared_ptr<const OpenCut> cut = parts_.cache->cut();
    if (cut != nullptr) return MakeInTwoParts(*cut, ordinals, number, stop);
  }
  const transform::RunContext context = ContextOf(number);
  const auto& buckets = ordinals_.plan().buckets;
  const int64_t begin = transform::ThreadTime::WallNow();
  int64_t graph_ns = 0;
  const auto run_graph = [&](batch::Batch& piece, Rows& rows) -> absl::Status {
    const int64_t arrived = transform::ThreadTime::WallNow();
    RETURN_IF_ERROR(Transform(context, piece, rows));
    if (buckets) {
      RETURN_IF_ERROR(MakeRagged(*buckets, piece));
    } else if (parts_.kept != nullptr) {
      parts_.kept->Keep(piece);
    }
    graph_ns += transform::ThreadTime::WallNow() - arrived;
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(
      Rows rows, ReadRows(*parts_.set, ordinals, parts_.reader, SamplesAtOnce(), run_graph, stop));
  counters_.AddRead(transform::ThreadTime::WallNow() - begin - graph_ns);
  if (parts_.bad != nullptr) parts_.bad->Add(rows.bad);
  if (parts_.cache != nullptr) parts_.cache->Observe(counters_);
  return rows;
}

}  // namespace tidemill::loader
