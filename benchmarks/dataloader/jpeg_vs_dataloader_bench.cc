// JPEG files to what training on photographs takes, against PyTorch's DataLoader with Pillow
// (jpeg_vs_dataloader.py): decoded, resized with antialiasing so that the shorter side has 256
// pixels, the middle 224 x 224 cut out, normalised, float32, channels first, in batches. Both have
// the files' bytes in memory, make the same batches and use all processors: ours runs the graph on
// as many threads, the DataLoader has as many workers. What comes out may differ by two levels of
// 255.
//
// Needs a Python with torch, numpy and Pillow: $TIDEMILL_BENCH_PYTHON, that of .venv, or python3.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/memory/heap.h"
#include "base/threads/worker_pool.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/dataloader/jpeg_vs_dataloader_images.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "benchmarks/python_process.h"
#include "transform/graph.h"
#include "transform/ops/op_list.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kNumFiles = 256;
constexpr int64_t kBatch = 32;
constexpr int kHeight = 375;
constexpr int kWidth = 500;
constexpr int kQuality = 90;
constexpr int64_t kSide = 224;
constexpr double kMean[] = {0.485, 0.456, 0.406};
constexpr double kStd[] = {0.229, 0.224, 0.225};

transform::Graph MakeGraph() {
  transform::GraphSpec spec;
  const auto add = [&](auto op) { spec.push_back({std::move(op)}); };
  add(transform::DecodeImageSpec{.height = kHeight, .width = kWidth});
  add(transform::ResizeSpec{.height = 256, .width = 256 * kWidth / kHeight, .antialias = true});
  add(transform::CropSpec{.height = kSide, .width = kSide});
  add(transform::NormalizeSpec{.column = "image",
                               .scale = 1.0 / 255,
                               .mean = {std::begin(kMean), std::end(kMean)},
                               .deviation = {std::begin(kStd), std::end(kStd)}});
  add(transform::StackSpec{});
  absl::StatusOr<transform::Graph> graph =
      transform::Graph::Build(spec, {.payload = transform::PayloadKind::kFile});
  if (!graph.ok()) Fail(graph.status().ToString());
  return *std::move(graph);
}

// The files in batches, also written to `folder` for the DataLoader.
std::vector<batch::Batch> MakeFiles(const std::string& folder, WorkerPool& pool) {
  std::vector<std::string> files(kNumFiles);
  pool.ParallelFor(kNumFiles, [&](int64_t i) {
    files[i] = MakePhotograph(static_cast<uint32_t>(i), kHeight, kWidth, kQuality);
    std::ofstream(fmt::format("{}/{:04}.jpg", folder, i), std::ios::binary) << files[i];
  });
  size_t bytes = 0;
  std::vector<batch::Batch> batches;
  for (int64_t begin = 0; begin < kNumFiles; begin += kBatch) {
    std::vector<int64_t> keys;
    std::vector<std::string_view> payloads;
    for (int64_t i = begin; i < begin + kBatch; ++i) {
      keys.push_back(i);
      payloads.emplace_back(files[i]);
      bytes += files[i].size();
    }
    batch::Batch& batch = batches.emplace_back(kBatch);
    batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
    batch.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)).IgnoreError();
  }
  fmt::print(stderr, "{} photographs of {} KB each\n", kNumFiles, bytes / kNumFiles / 1000);
  return batches;
}

batch::Column MustRun(const transform::Graph& graph, const batch::Batch& files,
                      transform::OpCounters* counters) {
  const auto made = graph.Run(files, nullptr, {}, counters);
  if (!made.ok()) Fail(made.status().ToString());
  if (!made->bad.empty()) Fail(made->bad[0].reason);
  return *made->batch.Find(transform::kInputColumn);
}

// Ends the program unless both make the same of the first batch, up to two levels of 255.
void Compare(const batch::Column& ours, const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<float> theirs(kBatch * 3 * kSide * kSide);
  stream.read(reinterpret_cast<char*>(theirs.data()),
              static_cast<std::streamsize>(theirs.size() * sizeof(float)));
  const std::span<const float> numbers = ours.Values<float>();
  if (!stream || numbers.size() != theirs.size()) Fail("the DataLoader's batch has another size");
  double greatest = 0;
  for (size_t i = 0; i < theirs.size(); ++i) {
    const double deviation = kStd[i / (kSide * kSide) % 3] * 255;
    greatest = std::max(
        greatest,
        std::abs(static_cast<double>(numbers[i]) - static_cast<double>(theirs[i])) * deviation);
  }
  fmt::print(stderr, "pixels differ by at most {:.4f} levels of 255\n", greatest);
  if (!(greatest <= 2)) Fail("that is more than two");
}

void TellCosts(const transform::OpCounters& counters) {
  for (const auto& [type, work] : counters.Snapshot()) {
    fmt::print(stderr, "  {:<14} {:6.1f} us a sample\n", type,
               static_cast<double>(work.cpu_ns) / 1e3 / static_cast<double>(work.rows));
  }
}

int Run() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const BenchFolder folder("jpeg_vs_dataloader");
  WorkerPool pool("graph", static_cast<int>(cores) - 1);  // With the caller's thread.
  const std::vector<batch::Batch> batches = MakeFiles(folder.path(), pool);
  const transform::Graph graph = MakeGraph();
  PythonProcess loader(
      "import sys, numpy, torch.utils.data; sys.path.append(\"/usr/lib/python3/dist-packages\"); "
      "import PIL.Image",
      "benchmarks/dataloader/jpeg_vs_dataloader.py",
      {folder.path(), std::to_string(kBatch), std::to_string(cores)});
  loader.Ask("check\n");
  transform::OpCounters counters(graph.op_types());
  Compare(MustRun(graph, batches[0], &counters), folder.path() + "/first_batch");
  TellCosts(counters);
  const auto ours = [&] {
    const auto count = static_cast<int64_t>(2 * batches.size());
    pool.ParallelFor(count,
                     [&](int64_t i) { MustRun(graph, batches[i % batches.size()], nullptr); });
    return static_cast<double>(count * kBatch);
  };
  const auto yardstick = [&] { return loader.AskNumber("read\n"); };
  Report(Measure("jpeg_vs_dataloader", "images/s", 1, ours, yardstick));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As our services do.
  return tidemill::benchmarks::Run();
}
