// The price of distance: epochs whose batches a preprocessing worker on this host makes, against
// epochs of the same job whose batches the consumer makes itself. Both have a thread for each
// processor, and the consumer turns each batch into tensors and drops it. Before anything is
// measured, the sums of all columns of each batch are compared.
//
// Three kinds of samples: photographs, which cost a millisecond each, records in the shape of
// Criteo's, which are parsed, scaled and hashed, and light rows, which are hardly more than copied.
// By the ring of shared memory, and photographs by frames over loopback beside the ring, too.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "torch/torch.h"

#include "base/files.h"
#include "base/memory/heap.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/dataloader/jpeg_vs_dataloader_images.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/criteo_records.h"
#include "benchmarks/system/served_epochs.h"
#include "loader/tensors.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kRecords = 2'000'000;
constexpr int64_t kPhotographs = 1'024;

// Passes the tensors of each batch of an epoch to `take`.
template <typename Take>
absl::Status ReadEpoch(ServedEpochs& served, Way way, int64_t seed, const Take& take) {
  ASSIGN_OR_RETURN(const auto source, served.Open(way, seed));
  while (true) {
    ASSIGN_OR_RETURN(const auto next, source->Next());
    if (!next) return absl::OkStatus();
    ASSIGN_OR_RETURN(const loader::TensorBatch tensors, loader::ToTensors(next->rows));
    take(tensors);
  }
}

// The sums of all inputs and targets, one for each batch.
absl::StatusOr<std::vector<double>> SumsOf(ServedEpochs& served, Way way) {
  std::vector<double> sums;
  RETURN_IF_ERROR(ReadEpoch(served, way, 1, [&](const loader::TensorBatch& batch) {
    double sum = batch.target.sum().item<double>();
    for (const auto& [name, input] : batch.inputs) sum += input.sum(torch::kFloat64).item<double>();
    sums.push_back(sum);
  }));
  return sums;
}

// Minor page faults of the worker's process since it began.
int64_t FaultsOfWorker(const ServedEpochs& served) {
  int64_t faults = 0;
  for (const int process : served.stack().Processes("tidemill-preprocess-worker")) {
    const auto stat = files::Read(fmt::format("/proc/{}/stat", process));
    if (!stat.ok()) continue;
    // The name may contain blanks; minor faults are the eighth field after it.
    std::istringstream fields(stat->substr(stat->rfind(')') + 1));
    std::string field;
    for (int i = 0; i < 8; ++i) fields >> field;
    faults += std::atoll(field.c_str());
  }
  return faults;
}

// Measures an epoch by `ours` beside one by `yardstick`.
absl::StatusOr<PairedResult> Compare(ServedEpochs& served, const std::string& name, Way ours,
                                     Way yardstick) {
  ASSIGN_OR_RETURN(const std::vector<double> our_sums, SumsOf(served, ours));
  ASSIGN_OR_RETURN(const std::vector<double> sums, SumsOf(served, yardstick));
  if (our_sums != sums) return Internal("{}: the batches differ", name);
  absl::Status status;
  int64_t seed = 1;
  const auto epoch = [&](Way way) {
    return [&, way] {
      int64_t num_samples = 0;
      status.Update(ReadEpoch(served, way, ++seed, [&](const loader::TensorBatch& batch) {
        num_samples += batch.target.size(0);
      }));
      return static_cast<double>(num_samples);
    };
  };
  const int64_t faults = FaultsOfWorker(served);
  double num_made = 0;
  const auto counted = [&, run = epoch(ours)] {
    const double samples = run();
    num_made += samples;
    return samples;
  };
  PairedResult result = Measure(name, "samples/s", 1, counted, epoch(yardstick));
  RETURN_IF_ERROR(status);
  fmt::print(stderr, "{:<24} {:.3f} minor page faults of the worker a sample\n", name,
             static_cast<double>(FaultsOfWorker(served) - faults) / num_made);
  return result;
}

absl::Status Run() {
  torch::set_num_threads(1);
  const BenchFolder root("worker");
  const std::string records = root.path() + "/records";
  const std::string photographs = root.path() + "/photographs";
  std::filesystem::create_directories(records);
  RETURN_IF_ERROR(WriteCriteoRecords(records, NumSamples(kRecords)));
  WritePhotographs(photographs, kPhotographs);
  {
    ASSIGN_OR_RETURN(const auto served,
                     ServedEpochs::Start(PhotographWorkload(photographs), photographs));
    ASSIGN_OR_RETURN(const PairedResult home,
                     Compare(*served, "worker_vs_home_photographs", Way::kRing, Way::kHome));
    Report(home);
    ASSIGN_OR_RETURN(const PairedResult frames,
                     Compare(*served, "worker_vs_home_frames_vs_ring", Way::kFrames, Way::kRing));
    Report(frames);
  }
  const std::pair<const char*, Workload> kinds[] = {
      {"worker_vs_home_criteo", CriteoWorkload(records)},
      {"worker_vs_home_light", LightWorkload(records)}};
  for (const auto& [name, workload] : kinds) {
    ASSIGN_OR_RETURN(const auto served, ServedEpochs::Start(workload, records));
    ASSIGN_OR_RETURN(const PairedResult result, Compare(*served, name, Way::kRing, Way::kHome));
    Report(result);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As trainings do.
  const absl::Status status = tidemill::benchmarks::Run();
  if (status.ok()) return 0;
  fmt::print(stderr, "worker_vs_home_bench: {}\n", std::string(status.message()));
  return 1;
}
