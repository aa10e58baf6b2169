// Tidemill's side of the comparison with other loaders (README.md): a stack with one preprocessing
// worker and a dataset. It makes epochs of batches of tensors on demand.
//
//   tidemill_batches WORKLOAD FOLDER
//
// WORKLOAD is criteo, tenth or jpeg; FOLDER holds what data.py wrote for it. After "ready" and
// the stack's folder, each line on standard input is a command:
//   epoch WAY SEED        makes one epoch; prints its number of samples and its seconds
//   check WAY SEED FILE   the same, and writes to FILE what the runner compares
// WAY is local (batches are made in this process) or worker (the worker makes them).
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "fmt/format.h"
#include "torch/torch.h"

#include "benchmarks/system/served_epochs.h"
#include "loader/tensors.h"

namespace tidemill {
namespace {

using Clock = std::chrono::steady_clock;

using benchmarks::ServedEpochs;
using benchmarks::Way;
using benchmarks::Workload;

absl::StatusOr<Workload> WorkloadOf(const std::string& name, const std::string& folder) {
  if (name == "criteo") return benchmarks::CriteoWorkload(folder);
  if (name == "tenth") return benchmarks::TenthWorkload(folder);
  if (name == "jpeg") return benchmarks::PhotographWorkload(folder);
  return InvalidArgument("no workload is called {}; use criteo, tenth or jpeg", name);
}

absl::StatusOr<Way> WayOf(const std::string& name) {
  if (name == "local") return Way::kHome;
  if (name == "worker") return Way::kRing;
  return InvalidArgument("no way is called {}; use local or worker", name);
}

void Write(std::ofstream& file, const torch::Tensor& tensor) {
  const torch::Tensor whole = tensor.contiguous();
  file.write(static_cast<const char*>(whole.data_ptr()),
             static_cast<std::streamsize>(whole.nbytes()));
}

// Writes a batch as the runner reads it: the number of its samples, then labels, numbers and
// categories; or labels and every fourth pixel of every fourth line.
void WriteForCheck(std::ofstream& file, const loader::TensorBatch& batch) {
  Write(file, torch::tensor({batch.target.size(0)}, torch::kInt64));
  Write(file, batch.target);
  const auto categories = batch.inputs.find("input_categories");
  if (categories != batch.inputs.end()) {
    Write(file, batch.input);
    Write(file, categories->second);
  } else {
    using torch::indexing::Slice;
    const Slice fourth(torch::indexing::None, torch::indexing::None, 4);
    Write(file, batch.input.index({Slice(), Slice(), fourth, fourth}));
  }
}

absl::Status RunEpoch(ServedEpochs& served, Way way, int64_t seed, const std::string& check_file) {
  std::ofstream file;
  if (!check_file.empty()) file.open(check_file, std::ios::binary);
  const auto begin = Clock::now();
  ASSIGN_OR_RETURN(const auto source, served.Open(way, seed));
  int64_t num_samples = 0;
  while (true) {
    ASSIGN_OR_RETURN(const auto next, source->Next());
    if (!next) break;
    ASSIGN_OR_RETURN(const loader::TensorBatch tensors, loader::ToTensors(next->rows));
    num_samples += tensors.target.size(0);
    if (!check_file.empty()) WriteForCheck(file, tensors);
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  if (!check_file.empty() && !file.flush()) return Internal("cannot write {}", check_file);
  fmt::print("{} {:.6f}\n", num_samples, took.count());
  return absl::OkStatus();
}

absl::Status Run(const std::string& workload_name, const std::string& folder) {
  torch::set_num_threads(1);
  ASSIGN_OR_RETURN(const Workload workload, WorkloadOf(workload_name, folder));
  ASSIGN_OR_RETURN(const auto served, ServedEpochs::Start(workload, folder));
  fmt::print("ready {}\n", served->state());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what;
    std::string way;
    std::string check_file;
    int64_t seed = 0;
    words >> what >> way >> seed;
    if (what == "check") words >> check_file;
    if (!words || (what != "epoch" && what != "check")) {
      return InvalidArgument("cannot read the command \"{}\"", line);
    }
    ASSIGN_OR_RETURN(const Way maker, WayOf(way));
    RETURN_IF_ERROR(RunEpoch(*served, maker, seed, check_file));
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tidemill

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: tidemill_batches WORKLOAD FOLDER\n");
    return 2;
  }
  const absl::Status status = tidemill::Run(argv[1], argv[2]);
  if (status.ok()) return 0;
  fmt::print(stderr, "tidemill_batches: {}\n", std::string(status.message()));
  return 1;
}
