// Tensors in Python against tensors in C++: the same training set of records in the shape of
// Criteo's, read by tidemill.torch (torch_vs_cpp.py) and by the loader that trainings use. Both
// make epochs of batches of 8,192 in another random order each, with as many threads as there are
// processors, from the storage of one stack.
//
// Needs a Python with torch, numpy and PyYAML: $TIDEMILL_BENCH_PYTHON, that of .venv, or
// python3.
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "torch/torch.h"

#include "base/memory/heap.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/python_process.h"
#include "benchmarks/system/criteo_records.h"
#include "benchmarks/system/served_epochs.h"
#include "loader/tensors.h"

namespace tidemill::benchmarks {
namespace {

// Reads an epoch. Returns its number of samples, or the sum of labels, numbers and records.
absl::StatusOr<double> ReadEpoch(ServedEpochs& served, int64_t seed, bool sums) {
  ASSIGN_OR_RETURN(const auto source, served.Open(Way::kHome, seed));
  double result = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source->Next());
    if (!batch) return result;
    ASSIGN_OR_RETURN(const loader::TensorBatch tensors, loader::ToTensors(batch->rows));
    result += static_cast<double>(tensors.target.size(0));
    if (!sums) continue;
    result +=
        tensors.target.sum().item<double>() + tensors.input.sum(torch::kFloat64).item<double>();
  }
}

absl::Status Run(int64_t count) {
  torch::set_num_threads(1);
  const BenchFolder root("torch_vs_cpp");
  const std::string folder = root.path() + "/criteo";
  RETURN_IF_ERROR(WriteCriteoRecords(folder, count));
  const Workload workload = CriteoWorkload(folder);
  ASSIGN_OR_RETURN(const auto served, ServedEpochs::Start(workload, folder));
  ASSIGN_OR_RETURN(const loader::SetToOpen set, served->NameSet());
  const std::string package = tests::ProgramFolder() + "/../lib/tidemill/python";
  setenv("PYTHONPATH", package.c_str(), /*overwrite=*/1);
  PythonProcess reader("import numpy, torch, yaml, tidemill",
                       "benchmarks/dataloader/torch_vs_cpp.py",
                       {served->state(), std::to_string(set.run.value), std::to_string(set.trigger),
                        kServedDataset, workload.graph, std::to_string(workload.batch_size)});
  ASSIGN_OR_RETURN(const double sum, ReadEpoch(*served, 1, /*sums=*/true));
  const double other_sum = reader.AskNumber("check\n");
  if (!(std::abs(sum - other_sum) < 1e-6 * sum)) {
    return Internal("the sums differ: {} in C++, {} in Python", sum, other_sum);
  }
  absl::Status status;
  int64_t seed = 1;
  const auto ours = [&] { return reader.AskNumber("read\n"); };
  const auto yardstick = [&] {
    const absl::StatusOr<double> samples = ReadEpoch(*served, ++seed, /*sums=*/false);
    status.Update(samples.status());
    return samples.value_or(0);
  };
  const PairedResult result = Measure("torch_vs_cpp", "M samples/s", 1e6, ours, yardstick);
  RETURN_IF_ERROR(status);
  Report(result);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As trainings do.
  const absl::Status status =
      tidemill::benchmarks::Run(tidemill::benchmarks::NumSamples(1'000'000));
  if (status.ok()) return 0;
  fmt::print(stderr, "torch_vs_cpp_bench: {}\n", std::string(status.message()));
  return 1;
}
