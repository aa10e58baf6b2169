// The graph of photographs in Examples, with a filter that keeps a tenth of them, against the same
// with a filter that keeps all.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch.h"
#include "benchmarks/dataloader/jpeg_vs_dataloader_images.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "config/config.h"
#include "storage/testing/tfrecord_writer.h"
#include "transform/graph.h"

namespace tidemill {
namespace {

constexpr int64_t kSamples = 400;
constexpr int kSide = 256;
constexpr int kQuality = 85;

using benchmarks::Fail;

batch::Batch MakeSamples() {
  std::vector<std::string> records;
  for (int64_t i = 0; i < kSamples; ++i) {
    // Twenty photographs are as good as four hundred, and are made sooner.
    const std::string image =
        benchmarks::MakePhotograph(static_cast<uint32_t>(i % 20), kSide, kSide, kQuality);
    records.push_back(
        storage::testing::TfExample({.ints = {{"place", i % 10}}, .bytes = {{"encoded", image}}}));
  }
  const std::vector<std::string_view> views(records.begin(), records.end());
  batch::Batch samples(kSamples);
  std::vector<int64_t> keys;
  for (int64_t i = 0; i < kSamples; ++i) keys.push_back(i + 1);
  samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
  samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, views)).IgnoreError();
  return samples;
}

transform::Graph GraphThatKeeps(const std::string& condition) {
  const auto spec = config::Read<transform::GraphSpec>(
      "- parse_example: {features: [{name: encoded, dtype: string}, {name: place, dtype: int64}]}\n"
      "- filter: \"" +
          condition +
          "\"\n"
          "- decode_image: {column: encoded, height: 256, width: 256, channels: 3}\n"
          "- resize: {column: image, height: 64, width: 64}\n"
          "- stack: {columns: [image]}\n",
      "graph");
  if (!spec.ok()) Fail(spec.status().ToString());
  auto graph = transform::Graph::Build(*spec, {.payload = transform::PayloadKind::kTfRecord});
  if (!graph.ok()) Fail(graph.status().ToString());
  return *std::move(graph);
}

benchmarks::Work Epoch(const transform::Graph& graph, const batch::Batch& samples,
                       int64_t num_kept) {
  return [&graph, &samples, num_kept] {
    const auto made = graph.Run(samples, nullptr);
    if (!made.ok()) Fail(made.status().ToString());
    if (made->batch.num_rows() != num_kept) Fail("other samples were kept");
    return static_cast<double>(samples.num_rows());
  };
}

}  // namespace
}  // namespace tidemill

int main() {
  using namespace tidemill;  // NOLINT: a program of one function.
  const batch::Batch samples = MakeSamples();
  const transform::Graph tenth = GraphThatKeeps("place = 0");
  const transform::Graph all = GraphThatKeeps("place >= 0");
  benchmarks::Report(benchmarks::Measure("filter_vs_all", "samples/s", 1,
                                         Epoch(tenth, samples, kSamples / 10),
                                         Epoch(all, samples, kSamples)));
  return 0;
}
