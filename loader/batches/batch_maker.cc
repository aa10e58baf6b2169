#include "loader/batches/batch_maker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "batch/slice.h"

namespace tidemill::loader {
namespace {

// Samples read together where they are small: enough to pay for a call.
constexpr int64_t kMaxSamplesTogether = 8192;
// Windows that a maker keeps for itself.
constexpr int64_t kWindowBytes = int64_t{16} << 20;

absl::Status CheckPlan(const BatchPlan& plan) {
  if (plan.batch_size < 1 || plan.epochs < 1) {
    return InvalidArgument("{} samples a batch in {} epochs make no batches", plan.batch_size,
                           plan.epochs);
  }
  if (plan.num_slices < 1 || plan.slice < 0 || plan.slice >= plan.num_slices) {
    return InvalidArgument("there is no slice {} of {}", plan.slice, plan.num_slices);
  }
  if (plan.sources != nullptr && plan.draw) {
    return InvalidArgument("a plan either mixes sources or draws samples, not both");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<const BatchMaker>> BatchMaker::Create(BatchParts parts,
                                                                     const BatchPlan& plan) {
  RETURN_IF_ERROR(CheckPlan(plan));
  if (!parts.graph->target()) return InvalidArgument("the graph makes no `target` to learn");
  int64_t width = 0;
  if (plan.buckets) {
    ASSIGN_OR_RETURN(width, WidthOfBuckets(*parts.graph, *plan.buckets));
    if (parts.windows == nullptr) parts.windows = std::make_shared<WindowCache>(kWindowBytes);
  }
  return std::unique_ptr<const BatchMaker>(new BatchMaker(std::move(parts), plan, width));
}

BatchMaker::BatchMaker(BatchParts parts, const BatchPlan& plan, int64_t width)
    : parts_(std::move(parts)),
      counters_(std::make_unique<PathCounters>(parts_.graph->op_types())),
      ordinals_(plan, parts_.set->size()),
      rows_(parts_, ordinals_, *counters_),
      cutter_(parts_, ordinals_),
      shared_(CanShare(parts_, plan) ? std::make_unique<SharedRows>(parts_, ordinals_, rows_)
                                     : nullptr) {
  if (plan.buckets) windows_.emplace(ordinals_, rows_, cutter_, *parts_.windows, width);
}

int64_t BatchMaker::num_samples() const {
  if (num_batches() == 0) return 0;
  return (num_batches() - 1) * SamplesOf(0) + SamplesOf(num_batches() - 1);
}

int64_t BatchMaker::SamplesOf(int64_t number) const {
  const auto [from, to] = ordinals_.OfSlice(number % num_batches());
  return to - from;
}

int64_t BatchMaker::batch_bytes() const {
  int64_t row_bytes = 3 * sizeof(int64_t);  // Key, ordinal and target.
  for (const transform::ColumnSchema& input : parts_.graph->inputs()) {
    row_bytes += input.Width() * static_cast<int64_t>(batch::SizeOf(input.type));
  }
  const int64_t rows = (plan().batch_size + plan().num_slices - 1) / plan().num_slices;
  return rows * row_bytes;
}

int64_t BatchMaker::BatchesTogether(int64_t bytes) const {
  const int64_t rows = (plan().batch_size + plan().num_slices - 1) / plan().num_slices;
  const int64_t most =
      std::max<int64_t>(1, std::min(kMaxSamplesTogether / rows, bytes / batch_bytes()));
  if (!plan().buckets) return most;
  const int64_t window = plan().buckets->window;
  return std::max<int64_t>(1, most / window) * window;
}

PathWork BatchMaker::work() const {
  PathWork work = counters_->Snapshot();
  if (shared_ == nullptr) return work;
  work.shared = shared_->work();
  // What waits for others makes nothing. Waiting counts at once, and work when it has ended; what
  // was shown once never shrinks.
  const int64_t busy_ns = work.busy_ns - work.shared.wait_ns;
  int64_t shown = busy_ns_;
  while (shown < busy_ns && !busy_ns_.compare_exchange_weak(shown, busy_ns)) {
  }
  work.busy_ns = std::max(shown, busy_ns);
  return work;
}

absl::StatusOr<std::vector<TrainingBatch>> BatchMaker::Make(int64_t from, int64_t to,
                                                            const std::stop_token& stop) const {
  WorkTimer timer(*counters_);
  std::vector<TrainingBatch> batches;
  while (from < to) {
    const int64_t end = std::min(to, ordinals_.EndOfEpoch(from));
    ASSIGN_OR_RETURN(std::vector<TrainingBatch> part,
                     windows_ ? windows_->Make(from, end, stop) : MakeOfEpoch(from, end, stop));
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

absl::StatusOr<std::vector<TrainingBatch>> BatchMaker::MakeOfEpoch(
    int64_t from, int64_t to, const std::stop_token& stop) const {
  const WantedSamples wanted = ordinals_.WantedBy(from, to);
  if (parts_.kept == nullptr) {
    ASSIGN_OR_RETURN(const Rows rows, shared_ == nullptr
                                          ? rows_.Make(wanted.ordinals, from, stop)
                                          : shared_->Make(wanted.ordinals, from, to, stop));
    return cutter_.Cut(rows, wanted, from);
  }
  std::vector<int64_t> places = parts_.kept->Find(wanted.ordinals);
  std::vector<int64_t> unknown;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == DecodedSamples::kUnknown) unknown.push_back(wanted.ordinals[i]);
  }
  Rows rows;
  if (!unknown.empty()) {
    ASSIGN_OR_RETURN(rows, rows_.Make(unknown, from, stop));
    if (unknown.size() == wanted.ordinals.size() && rows.num_missing == 0) {
      return cutter_.Cut(rows, wanted, from);
    }
  }
  return cutter_.CutKept(rows, wanted, std::move(places), from);
}

}  // namespace tidemill::loader
