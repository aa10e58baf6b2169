// An op of a user's against the built-in op that does the same.
//
// CSV records of five numbers, blocks of 8192 of them. The graph parses them, standardises them and
// puts them together. Ours: `standardize` is a plug-in in C++, in a separate process. The
// yardstick: the built-in op, fused with its neighbours. One thread; the plug-in's process may have
// another one. The matrices must be equal to the last bit.
//
// Said on stderr only: blocks of 1024 and of 65536.
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"

#include "base/files.h"
#include "base/testing/tree.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "transform/fitter.h"
#include "transform/graph.h"
#include "transform/ops/op_list.h"

namespace tidemill::benchmarks {
namespace {

using transform::Graph;
using transform::GraphSpec;

constexpr int64_t kRows = 262'144;
const std::vector<std::string> kColumns = {"a", "b", "c", "d", "e"};

transform::PluginOpSpec Plugin() {
  const auto bytes = files::Read(tidemill::testing::InBuild("benchmarks/libstandardized_op.so"),
                                 plugin::kMaxFileBytes);
  if (!bytes.ok()) Fail(bytes.status().ToString());
  transform::PluginOpSpec spec;
  spec.use = "libstandardized_op.so:Standardized";
  spec.program = absl::Base64Escape(*bytes);
  spec.columns = kColumns;
  return spec;
}

template <typename Op>
GraphSpec GraphWith(Op op) {
  GraphSpec graph;
  graph.push_back({transform::ParseCsvSpec{.columns = kColumns}});
  graph.push_back({std::move(op)});
  graph.push_back({transform::StackSpec{}});
  return graph;
}

// `kRows` records in blocks.
std::vector<batch::Batch> RandomBlocks(int64_t rows_per_block) {
  std::mt19937 random(1);
  std::vector<batch::Batch> blocks;
  for (int64_t begin = 0; begin < kRows; begin += rows_per_block) {
    std::vector<std::string> records;
    std::vector<int64_t> keys;
    for (int64_t row = 0; row < rows_per_block; ++row) {
      const auto number = [&] { return static_cast<double>(random() % 100'000) / 64 - 10; };
      records.push_back(
          fmt::format("{},{},{},{},{}", number(), number(), number(), number(), number()));
      keys.push_back(begin + row);
    }
    const std::vector<std::string_view> views(records.begin(), records.end());
    batch::Batch& samples = blocks.emplace_back(rows_per_block);
    samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
    samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, views)).IgnoreError();
  }
  return blocks;
}

struct Fitted {
  Graph graph;
  transform::FittedState state;
};

Fitted MustFit(const GraphSpec& spec, const std::vector<batch::Batch>& blocks) {
  absl::StatusOr<Graph> graph =
      Graph::Build(spec, {.payload = transform::PayloadKind::kCsv, .columns = kColumns});
  if (!graph.ok()) Fail(graph.status().ToString());
  transform::Fitter fitter(*graph);
  for (const batch::Batch& block : blocks) {
    if (const absl::Status added = fitter.Add(block); !added.ok()) Fail(added.ToString());
  }
  absl::StatusOr<transform::FittedState> state = fitter.Finish();
  if (!state.ok()) Fail(state.status().ToString());
  return {*std::move(graph), *std::move(state)};
}

batch::Column MustRun(const Fitted& fitted, const batch::Batch& samples) {
  const auto made = fitted.graph.Run(samples, &fitted.state);
  if (!made.ok()) Fail(made.status().ToString());
  return *made->batch.Find(transform::kInputColumn);
}

PairedResult Compare(const std::string& name, int64_t rows_per_block) {
  const std::vector<batch::Batch> blocks = RandomBlocks(rows_per_block);
  const Fitted ours = MustFit(GraphWith(Plugin()), blocks);
  const Fitted yardstick = MustFit(GraphWith(transform::StandardizeSpec{}), blocks);
  if (MustRun(ours, blocks[0]).data.view() != MustRun(yardstick, blocks[0]).data.view()) {
    Fail("the plug-in and the built-in op make different numbers");
  }
  const auto work = [&blocks](const Fitted& fitted) {
    return [&blocks, &fitted] {
      for (const batch::Batch& block : blocks) MustRun(fitted, block);
      return static_cast<double>(kRows);
    };
  };
  return Measure(name, "Mrows/s", 1e6, work(ours), work(yardstick));
}

void Tell(const PairedResult& result) {
  fmt::print(stderr, "{}: {:.3f} ({:.3f} to {:.3f}), ours {:.4g}, yardstick {:.4g} {}\n",
             result.name, result.ratio, result.min, result.max, result.ours, result.yardstick,
             result.unit);
}

int Run() {
  const PairedResult usual = Compare("plugin_op_vs_builtin", 8192);
  Tell(Compare("in blocks of 1024", 1024));
  Tell(Compare("in blocks of 65536", 65'536));
  Report(usual);
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
