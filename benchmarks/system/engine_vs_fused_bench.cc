// Five element-wise ops of a graph against one loop written by hand.
//
// Records of 256 float32 numbers, blocks of 2048 of them. Ours: the whole of Graph::Run() for the
// graph below: it finds the records' bytes, looks for numbers that are not finite after each op
// that could make one, and gives a batch with the matrix and the keys. The yardstick: for each
// record, one pass that reads each number from the same bytes, does the same arithmetic on it,
// rounded in the same places, and writes it to a matrix allocated in the same way; it looks for
// numbers that are not finite once. One thread each; the matrices must be equal to the last bit.
//
// Said on stderr only: the same with log1p, which the C library computes number by number, and the
// graph with every op running on whole columns.
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "transform/fitter.h"
#include "transform/graph.h"
#include "transform/ops/op_list.h"

namespace tidemill::benchmarks {
namespace {

using transform::Graph;
using transform::GraphSpec;

constexpr int64_t kWidth = 256;
constexpr int64_t kRows = 2048;
constexpr int kBlocks = 16;  // More than the caches of a core hold.

constexpr double kLow = -1.5;
constexpr double kHigh = 900.25;
constexpr double kScale = 0.01;
constexpr double kShift = 0.4;
constexpr double kDeviation = 2.5;
constexpr double kFarOut = 2;

GraphSpec FiveOps(bool with_log1p) {
  const config::ColumnList all = config::ColumnList::All();
  GraphSpec graph;
  const auto add = [&](auto op) { graph.push_back({std::move(op)}); };
  add(transform::ParseRecordSpec{
      .fields = {{.name = "x", .dtype = transform::RecordType::kFloat32, .shape = {kWidth}}}});
  add(transform::FillMissingSpec{.columns = all, .number = 1});
  add(transform::ClipSpec{.columns = all, .min = with_log1p ? 0 : kLow, .max = kHigh});
  if (with_log1p) {
    add(transform::Log1pSpec{});
  } else {
    add(transform::NormalizeSpec{
        .column = "x", .scale = kScale, .mean = {kShift}, .deviation = {kDeviation}});
  }
  add(transform::StandardizeSpec{});
  add(transform::ClipSpec{.columns = all, .min = -kFarOut, .max = kFarOut});
  add(transform::StackSpec{});
  return graph;
}

batch::Batch RandomRecords(std::mt19937& random) {
  std::vector<float> numbers(kRows * kWidth);
  for (float& number : numbers) number = static_cast<float>(random() % 100'000) / 64 - 10;
  std::vector<std::string_view> records;
  std::vector<int64_t> keys;
  for (int64_t row = 0; row < kRows; ++row) {
    records.emplace_back(reinterpret_cast<const char*>(&numbers[row * kWidth]), kWidth * 4);
    keys.push_back(row);
  }
  batch::Batch samples(kRows);
  samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
  samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, records)).IgnoreError();
  return samples;
}

struct Statistics {
  std::vector<double> means;
  std::vector<double> deviations;
};

// All ops on one number after the other.
template <bool kWithLog1p>
bool FusedLoop(const float* __restrict in, const double* __restrict means,
               const double* __restrict deviations, float* __restrict out) {
  // The bounds are exact in float32.
  constexpr auto kLowest = static_cast<float>(kWithLog1p ? 0 : kLow);
  constexpr auto kHighest = static_cast<float>(kHigh);
  constexpr auto kOut = static_cast<float>(kFarOut);
  uint32_t found = 0;
  for (int64_t i = 0; i < kWidth; ++i) {
    float x = in[i];
    x = std::isnan(x) ? 1.0F : x;
    x = x < kLowest ? kLowest : x > kHighest ? kHighest : x;
    if constexpr (kWithLog1p) {
      x = static_cast<float>(std::log1p(static_cast<double>(x)));
    } else {
      x = static_cast<float>((static_cast<double>(x) * kScale - kShift) / kDeviation);
    }
    x = static_cast<float>((static_cast<double>(x) - means[i]) / deviations[i]);
    x = x < -kOut ? -kOut : x > kOut ? kOut : x;
    out[i] = x;
    found |= static_cast<uint32_t>((std::bit_cast<uint32_t>(x) & 0x7f800000U) == 0x7f800000U);
  }
  return found == 0;
}

template <bool kWithLog1p>
batch::Buffer RunFusedLoop(const batch::Batch& samples, const Statistics& statistics) {
  batch::Buffer matrix = batch::Buffer::AllocateUnwritten(kRows * kWidth * sizeof(float));
  float* out = matrix.MutableAs<float>().data();
  const batch::Column& records = *samples.Find(batch::kPayloadColumn);
  for (int64_t row = 0; row < kRows; ++row, out += kWidth) {
    const auto* in = reinterpret_cast<const float*>(records.Bytes(row).data());
    if (!FusedLoop<kWithLog1p>(in, statistics.means.data(), statistics.deviations.data(), out)) {
      Fail("a number is not finite");
    }
  }
  return matrix;
}

struct Fitted {
  Graph graph;
  transform::FittedState state;
  Statistics statistics;
};

Fitted MustFit(bool with_log1p, transform::Fusion fusion, const batch::Batch& samples) {
  transform::SampleSchema schema;
  schema.payload = transform::PayloadKind::kRecord;
  absl::StatusOr<Graph> graph = Graph::Build(FiveOps(with_log1p), schema, fusion);
  if (!graph.ok()) Fail(graph.status().ToString());
  transform::Fitter fitter(*graph);
  const absl::Status added = fitter.Add(samples);
  absl::StatusOr<transform::FittedState> state = fitter.Finish();
  if (!added.ok() || !state.ok()) Fail("the graph cannot be fitted");
  Statistics statistics;
  for (const transform::Learned& learned : state->Of(4)) {
    (learned.statistic == "mean" ? statistics.means : statistics.deviations) = learned.numbers;
  }
  return {*std::move(graph), *std::move(state), std::move(statistics)};
}

batch::Column MustRun(const Fitted& fitted, const batch::Batch& samples) {
  const auto made = fitted.graph.Run(samples, &fitted.state);
  if (!made.ok()) Fail(made.status().ToString());
  return *made->batch.Find(transform::kInputColumn);
}

template <bool kWithLog1p>
PairedResult Compare(const std::string& name, transform::Fusion fusion,
                     const std::vector<batch::Batch>& blocks) {
  const Fitted fitted = MustFit(kWithLog1p, fusion, blocks[0]);
  if (MustRun(fitted, blocks[1]).data.view() !=
      RunFusedLoop<kWithLog1p>(blocks[1], fitted.statistics).view()) {
    Fail("the graph and the loop make different numbers");
  }
  const auto ours = [&] {
    for (const batch::Batch& block : blocks) MustRun(fitted, block);
    return static_cast<double>(kRows * kBlocks);
  };
  const auto yardstick = [&] {
    for (const batch::Batch& block : blocks) RunFusedLoop<kWithLog1p>(block, fitted.statistics);
    return static_cast<double>(kRows * kBlocks);
  };
  return Measure(name, "Mrows/s", 1e6, ours, yardstick);
}

void Tell(const PairedResult& result) {
  fmt::print(stderr, "{}: {:.3f} ({:.3f} to {:.3f}), ours {:.4g}, yardstick {:.4g} {}\n",
             result.name, result.ratio, result.min, result.max, result.ours, result.yardstick,
             result.unit);
}

int Run() {
  std::mt19937 random(1);
  std::vector<batch::Batch> blocks;
  for (int block = 0; block < kBlocks; ++block) blocks.push_back(RandomRecords(random));
  const PairedResult fused = Compare<false>("engine_vs_fused", transform::Fusion::kOn, blocks);
  Tell(Compare<false>("on whole columns", transform::Fusion::kOff, blocks));
  Tell(Compare<true>("with log1p", transform::Fusion::kOn, blocks));
  Report(fused);
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
