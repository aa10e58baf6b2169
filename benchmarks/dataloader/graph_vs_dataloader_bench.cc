// Records in the shape of Criteo's to tensors, against PyTorch's DataLoader over the same file
// (graph_vs_dataloader.py), vectorised as its authors advise: a sampler of whole batches, rows
// taken from a map by one index_select, one call for the logarithms of a batch and one product for
// its hashes. Ours goes through storage, which runs beside it, and the graph: the logarithms of 13
// numbers and XXH3 of 26 categories. Both make epochs of batches of 8,192 in another random order
// each. Ours has as many threads as there are processors, the DataLoader the number of workers that
// is fastest here.
//
// Needs a Python with torch and numpy: $TIDEMILL_BENCH_PYTHON, that of .venv, or python3.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "torch/torch.h"

#include "base/memory/heap.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/python_process.h"
#include "benchmarks/system/criteo_records.h"
#include "config/config.h"
#include "loader/batches/batch_stream.h"
#include "loader/tensors.h"
#include "samples/dataset_schema.h"
#include "storage/testing/storage_process.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kSamplesOfBatch = 8192;

absl::Status WriteOneFile(const std::string& folder, int64_t count) {
  std::filesystem::create_directories(folder);
  std::ofstream file(folder + "/records.bin", std::ios::binary);
  for (int64_t i = 0; i < count; ++i) {
    const CriteoRecord record = MakeCriteoRecord(i);
    file.write(reinterpret_cast<const char*>(&record), sizeof(record));
  }
  return file.flush() ? absl::OkStatus() : Internal("cannot write {}/records.bin", folder);
}

absl::StatusOr<loader::BatchParts> PartsOf(const storage::StorageClient& client,
                                           const std::string& folder) {
  const std::string spec = CriteoDatasetSpec(folder);
  rpc::v1::Command command;
  command.set_request_id("bench");
  ASSIGN_OR_RETURN(const auto registered, client.RegisterDataset("criteo", spec, command));
  const DatasetId id{registered.dataset_id()};
  storage::v1::ListSamplesRequest list;
  ASSIGN_OR_RETURN(*list.mutable_snapshot(), client.SyncDataset(id, {}));
  loader::TrainingSet set;
  RETURN_IF_ERROR(client.ListSamples(list, [&](const batch::Batch& listed) {
    set.keys.insert(set.keys.end(), listed.keys().begin(), listed.keys().end());
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(const auto dataset, config::Read<storage::DatasetSpec>(spec, "dataset"));
  ASSIGN_OR_RETURN(const auto ops, config::Read<transform::GraphSpec>(CriteoGraph(), "graph"));
  ASSIGN_OR_RETURN(transform::Graph graph,
                   transform::Graph::Build(ops, samples::SchemaOf(dataset)));
  return loader::BatchParts{.set = std::make_shared<const loader::TrainingSet>(std::move(set)),
                            .reader = loader::ReaderOf(client, id),
                            .graph = std::make_shared<const transform::Graph>(std::move(graph))};
}

// Gives `take` the batches of an epoch.
absl::Status MakeEpoch(const loader::BatchParts& parts, int64_t seed,
                       const std::function<void(const loader::TensorBatch&)>& take) {
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  ASSIGN_OR_RETURN(
      const auto stream,
      loader::BatchStream::Create(parts,
                                  {.batch_size = kSamplesOfBatch,
                                   .shuffle = {.seed = seed, .purpose = "shuffle", .trigger = 1}},
                                  {.num_threads = cores}));
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, stream->Next());
    if (!batch) return absl::OkStatus();
    ASSIGN_OR_RETURN(const loader::TensorBatch tensors, loader::ToTensors(batch->rows));
    take(tensors);
  }
}

// The sum of labels, logarithms and records, as the yardstick has it.
absl::StatusOr<double> SumOfEpoch(const loader::BatchParts& parts) {
  double sum = 0;
  RETURN_IF_ERROR(MakeEpoch(parts, 0, [&](const loader::TensorBatch& batch) {
    sum += batch.target.sum().item<double>() + static_cast<double>(batch.target.size(0)) +
           batch.input.sum(torch::kFloat64).item<double>();
  }));
  return sum;
}

absl::Status Run(int64_t count) {
  torch::set_num_threads(1);
  const BenchFolder root("graph");
  storage::testing::StorageProcess process({.block_bytes = "2MiB", .root = root.path()});
  const std::string folder = process.data_folder() + "/criteo";
  RETURN_IF_ERROR(WriteOneFile(folder, count));
  process.Start();
  const storage::StorageClient client = process.ClientAs(rpc::v1::ROLE_SERVICE);
  ASSIGN_OR_RETURN(const loader::BatchParts parts, PartsOf(client, folder));
  PythonProcess loader("import numpy, torch.utils.data",
                       "benchmarks/dataloader/graph_vs_dataloader.py", {folder});
  ASSIGN_OR_RETURN(const double sum, SumOfEpoch(parts));
  const double other_sum = loader.AskNumber("check\n");
  if (!(std::abs(sum - other_sum) < 1e-6 * sum)) {
    return Internal("the sums differ: {} here, {} there", sum, other_sum);
  }
  absl::Status status;
  int64_t seed = 0;
  const auto ours = [&] {
    int64_t num_samples = 0;
    status.Update(MakeEpoch(parts, ++seed, [&](const loader::TensorBatch& batch) {
      num_samples += batch.target.size(0);
    }));
    return static_cast<double>(num_samples);
  };
  const auto yardstick = [&] { return loader.AskNumber("read\n"); };
  const PairedResult result = Measure("graph_vs_dataloader", "M samples/s", 1e6, ours, yardstick);
  RETURN_IF_ERROR(status);
  Report(result);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As trainings do.
  const absl::Status status =
      tidemill::benchmarks::Run(tidemill::benchmarks::NumSamples(4'000'000));
  if (status.ok()) return 0;
  fmt::print(stderr, "graph_vs_dataloader_bench: {}\n", std::string(status.message()));
  return 1;
}
