#include "loader/batches/row_maker.h"

#include <algorithm>
#include <utility>

#include "loader/plan/length_buckets.h"

namespace tidemill::loader {
namespace {

// Samples run through the graph together where batches are small: its columns stay in the cache.
constexpr int64_t kGraphSamples = 2048;

// Drops the columns that training does not need.
absl::StatusOr<batch::Batch> Narrow(const batch::Batch& transformed) {
  batch::Batch rows(transformed.num_rows());
  for (const batch::Column& column : transformed.columns()) {
    if (column.name != batch::kEventTimeColumn) RETURN_IF_ERROR(rows.Set(column));
  }
  return rows;
}

// Adds the keys that are neither good nor bad.
void AddFiltered(std::span<const int64_t> keys, const transform::Transformed& transformed,
                 std::vector<int64_t>& filtered) {
  const std::span<const int64_t> good = transformed.batch.keys();
  size_t next_good = 0;
  auto next_bad = transformed.bad.begin();
  for (size_t row = 0; row < keys.size(); ++row) {
    if (next_bad != transformed.bad.end() && next_bad->row == static_cast<int64_t>(row)) {
      ++next_bad;
    } else if (next_good < good.size() && good[next_good] == keys[row]) {
      ++next_good;
    } else {
      filtered.push_back(keys[row]);
    }
  }
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
  if (transformed.num_filtered > 0) AddFiltered(piece.keys(), transformed, rows.filtered);
  ASSIGN_OR_RETURN(piece, Narrow(transformed.batch));
  return absl::OkStatus();
}

// Whole batches, so that most of them need not be concatenated.
int64_t RowMaker::SamplesAtOnce() const {
  const BatchPlan& plan = ordinals_.plan();
  const int64_t size = std::max<int64_t>(1, plan.batch_size / plan.num_slices);
  return std::max<int64_t>(1, kGraphSamples / size) * size;
}

absl::StatusOr<Rows> RowMaker::Make(std::span<const int64_t> ordinals, int64_t number,
                                    const std::stop_token& stop) const {
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
  return rows;
}

}  // namespace tidemill::loader
