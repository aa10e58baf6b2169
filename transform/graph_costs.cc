#include "transform/graph_costs.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "transform/engine/remaining_rows.h"

namespace tidemill::transform {

// The columns that the ops of a graph read and make.
class OpTraffic {
 public:
  // Runs the ops one by one, so that the columns of each are there in full.
  static absl::StatusOr<std::vector<OpCost>> Of(const Graph& graph, const batch::Batch& samples,
                                                const FittedState& fitted,
                                                const RunContext& context) {
    const auto num_samples = static_cast<double>(samples.num_rows());
    std::vector<OpCost> costs(graph.ops_.size());
    RemainingRows rows(samples, graph.num_slots_, context);
    for (const int i : graph.order()) {
      const Graph::BoundOp& op = graph.ops_[i];
      const bool reads_samples = op.inputs.empty() && !op.outputs.empty() && !MakesTargetOnly(op);
      const batch::Column* const payload = rows.samples().Find(batch::kPayloadColumn);
      costs[i].bytes_read =
          (reads_samples && payload != nullptr ? BytesOf(*payload) : BytesOf(op.inputs, rows)) /
          num_samples;
      const auto learned = op.fitted ? fitted.Of(i) : std::span<const Learned>();
      RETURN_IF_ERROR(graph.RunOp(op, learned, rows.frame()));
      costs[i].bytes_made = BytesOf(op.outputs, rows) / num_samples;
      if (rows.frame().num_filtered() > 0) RETURN_IF_ERROR(rows.DropIfWorth());
    }
    return costs;
  }

 private:
  static bool MakesTargetOnly(const Graph::BoundOp& op) {
    return std::ranges::all_of(
        op.outputs, [](const BoundColumn& output) { return output.schema.name == kTargetColumn; });
  }

  static double BytesOf(const batch::Column& column) {
    return static_cast<double>(column.data.size());
  }

  static double BytesOf(const std::vector<BoundColumn>& columns, RemainingRows& rows) {
    double bytes = 0;
    for (const BoundColumn& column : columns) bytes += BytesOf(rows.frame().Get(column.slot));
    return bytes;
  }
};

namespace {

constexpr int64_t kBudget = 1'500'000'000;  // Nanoseconds, for all rounds.
constexpr int64_t kBlockTime = 15'000'000;  // Nanoseconds for a block, if it takes that many rows.
constexpr int64_t kMostRows = 1024;
constexpr int kLeastRounds = 3;
constexpr int kMostRounds = 41;
const RunContext kTraining{.training = true, .standardize_target = true};

double MedianOf(std::vector<double> numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

// The samples again and again, each with its own ordinal.
absl::StatusOr<batch::Batch> Repeat(const batch::Batch& samples, int64_t num_rows) {
  std::vector<int64_t> rows(static_cast<size_t>(num_rows));
  std::vector<int64_t> ordinals(rows.size());
  std::iota(ordinals.begin(), ordinals.end(), 0);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = ordinals[i] % samples.num_rows();
  batch::Batch repeated = samples.Take(rows);
  RETURN_IF_ERROR(repeated.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals)));
  return repeated;
}

// Runs one graph for round after round.
class Stopwatch {
 public:
  Stopwatch(const Graph& graph, const batch::Batch& samples, const FittedState& fitted)
      : graph_(graph), samples_(samples), fitted_(fitted), ops_(graph.op_types().size()) {}

  // Once without counters, whose clocks take time, and once with them.
  absl::Status Round() {
    const int64_t begin = ThreadTime::WallNow();
    RETURN_IF_ERROR(graph_.Run(samples_, &fitted_, kTraining).status());
    whole_.push_back(PerSample(ThreadTime::WallNow() - begin));
    OpCounters counters(graph_.op_types());
    RETURN_IF_ERROR(graph_.Run(samples_, &fitted_, kTraining, &counters).status());
    const std::vector<OpStatistics> statistics = counters.Snapshot();
    for (size_t i = 0; i < ops_.size(); ++i) {
      ops_[i].push_back(PerSample(statistics[i].work.wall_ns));
    }
    return absl::OkStatus();
  }

  // All but the prediction.
  absl::StatusOr<GraphCosts> Costs() const {
    GraphCosts costs{.measured_microseconds = MedianOf(whole_)};
    ASSIGN_OR_RETURN(costs.ops, OpTraffic::Of(graph_, samples_, fitted_, kTraining));
    for (size_t i = 0; i < ops_.size(); ++i) costs.ops[i].microseconds = MedianOf(ops_[i]);
    return costs;
  }

 private:
  // Microseconds.
  double PerSample(int64_t nanoseconds) const {
    return static_cast<double>(nanoseconds) / 1e3 / static_cast<double>(samples_.num_rows());
  }

  const Graph& graph_;
  const batch::Batch& samples_;
  const FittedState& fitted_;
  std::vector<double> whole_;
  std::vector<std::vector<double>> ops_;
};

double Traffic(const OpCost& op) { return op.bytes_read + op.bytes_made; }

void Predict(const Graph& running, CostComparison& costs) {
  for (const OpCost& op : costs.written.ops) {
    costs.written.predicted_microseconds += op.microseconds;
  }
  for (const int i : running.order()) {
    const OpCost& before = costs.written.ops[i];
    const bool is_reduced = std::ranges::any_of(running.rewrites(), [i](const Rewrite& rewrite) {
      return rewrite.kind == RewriteKind::kReduced && rewrite.op == i;
    });
    // Decoding has parts that take as long for smaller images: no rule gives their share.
    if (is_reduced) {
      costs.running.predicted_microseconds += costs.running.ops[i].microseconds;
      continue;
    }
    const bool has_traffic = Traffic(before) > 0;
    const double scale = has_traffic ? Traffic(costs.running.ops[i]) / Traffic(before) : 1;
    costs.running.predicted_microseconds += before.microseconds * scale;
  }
}

}  // namespace

absl::StatusOr<CostComparison> CompareCosts(const Graph& written, const Graph& running,
                                            const batch::Batch& samples,
                                            const FittedState& fitted) {
  TIDEMILL_CHECK(samples.num_rows() > 0);
  ASSIGN_OR_RETURN(const batch::Batch once, Repeat(samples, samples.num_rows()));
  // The first run also pays for memory that later ones find.
  RETURN_IF_ERROR(written.Run(once, &fitted, kTraining).status());
  const int64_t begin = ThreadTime::WallNow();
  RETURN_IF_ERROR(written.Run(once, &fitted, kTraining).status());
  const int64_t once_ns = std::max<int64_t>(1, ThreadTime::WallNow() - begin);
  const int64_t wanted = samples.num_rows() * kBlockTime / once_ns;
  const int64_t most = std::max(samples.num_rows(), kMostRows);
  ASSIGN_OR_RETURN(const batch::Batch block,
                   Repeat(samples, std::clamp(wanted, samples.num_rows(), most)));
  Stopwatch for_written(written, block, fitted);
  Stopwatch for_running(running, block, fitted);
  CostComparison costs{.num_samples = samples.num_rows(), .block_rows = block.num_rows()};
  const int64_t end = ThreadTime::WallNow() + kBudget;
  while (costs.num_rounds < kLeastRounds ||
         (costs.num_rounds < kMostRounds && ThreadTime::WallNow() < end)) {
    RETURN_IF_ERROR(for_written.Round());
    RETURN_IF_ERROR(for_running.Round());
    ++costs.num_rounds;
  }
  ASSIGN_OR_RETURN(costs.written, for_written.Costs());
  ASSIGN_OR_RETURN(costs.running, for_running.Costs());
  Predict(running, costs);
  return costs;
}

}  // namespace tidemill::transform
