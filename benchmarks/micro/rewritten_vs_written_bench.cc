// A graph that casts images and then crops them, with its rewriting and without.
//
// Records of 3x64x64 bytes, blocks of 256 of them, one thread. Each image is cast to float32 and a
// quarter of it is cut out. Ours: Graph::Run() as graphs run, which crops the bytes first. The
// yardstick: the same with the ops in the order in which they are written. Both share a stage, and
// the tensors must be equal to the last bit.
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "transform/graph.h"
#include "transform/ops/op_list.h"

namespace tidemill::benchmarks {
namespace {

using transform::Graph;

constexpr int64_t kSide = 64;
constexpr int64_t kRows = 256;
constexpr int kBlocks = 16;  // More than the caches of a core hold.

transform::GraphSpec CastThenCrop() {
  transform::GraphSpec graph;
  const auto add = [&](auto op) { graph.push_back({std::move(op)}); };
  add(transform::ParseRecordSpec{.fields = {{.name = "image", .shape = {3, kSide, kSide}}}});
  add(transform::CastSpec{.columns = {"image"}, .dtype = transform::CastType::kFloat32});
  add(transform::CropSpec{.height = kSide / 2, .width = kSide / 2});
  add(transform::StackSpec{});
  return graph;
}

batch::Batch RandomImages(std::mt19937& random) {
  std::vector<std::string> images(kRows, std::string(3 * kSide * kSide, '\0'));
  std::vector<std::string_view> records;
  for (std::string& image : images) {
    for (char& byte : image) byte = static_cast<char>(random());
    records.emplace_back(image);
  }
  batch::Batch samples(kRows);
  samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, records)).IgnoreError();
  return samples;
}

Graph MustBuild(transform::Rewriting rewriting) {
  absl::StatusOr<Graph> graph =
      Graph::Build(CastThenCrop(), {.payload = transform::PayloadKind::kRecord},
                   transform::Fusion::kOn, rewriting);
  if (!graph.ok()) Fail(graph.status().ToString());
  return *std::move(graph);
}

batch::Column MustRun(const Graph& graph, const batch::Batch& samples) {
  const auto made = graph.Run(samples, nullptr);
  if (!made.ok()) Fail(made.status().ToString());
  return *made->batch.Find(transform::kInputColumn);
}

int Run() {
  std::mt19937 random(1);
  std::vector<batch::Batch> blocks;
  for (int block = 0; block < kBlocks; ++block) blocks.push_back(RandomImages(random));
  const Graph rewritten = MustBuild(transform::Rewriting::kOn);
  const Graph written = MustBuild(transform::Rewriting::kOff);
  if (rewritten.order() == written.order()) Fail("nothing was rewritten");
  if (MustRun(rewritten, blocks[0]).data.view() != MustRun(written, blocks[0]).data.view()) {
    Fail("the two graphs make different numbers");
  }
  const auto work = [&](const Graph& graph) {
    return [&] {
      for (const batch::Batch& block : blocks) MustRun(graph, block);
      return static_cast<double>(kRows * kBlocks);
    };
  };
  Report(Measure("rewritten_vs_written", "k samples/s", 1e3, work(rewritten), work(written)));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
