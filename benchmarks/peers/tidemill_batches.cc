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
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "torch/torch.h"

#include "benchmarks/system/criteo_records.h"
#include "loader/batches/batch_stream.h"
#include "loader/opened_set.h"
#include "loader/tensors.h"
#include "preprocess/client/worker_source.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "tests/stack.h"

namespace tidemill {
namespace {

using Clock = std::chrono::steady_clock;

// What distinguishes the workloads.
struct Workload {
  std::string dataset;
  std::string graph;
  std::string selection;
  int64_t batch_size = 0;
  // Whether each epoch has its own selection.
  bool selects_anew = false;
};

constexpr char kPhotographs[] = R"(path: {}
files: "*.jpg"
format: {{type: single_file}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
label: {{sidecar: .number, kind: class}}
settle: 1ms
)";

constexpr char kPhotographGraph[] = R"(
- decode_image: {height: 375, width: 500}
- resize: {height: 256, width: 341, antialias: true}
- crop: {height: 224, width: 224}
- normalize: {column: image, scale: 0.00392156862745098, mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}
- stack: {columns: [image], into: input}
- label: {into: target}
)";

absl::StatusOr<Workload> WorkloadOf(const std::string& name, const std::string& folder) {
  Workload criteo = {.dataset = benchmarks::CriteoDatasetSpec(folder),
                     .graph = benchmarks::CriteoGraph(),
                     .selection = "{type: all_data}",
                     .batch_size = 8192};
  if (name == "criteo") return criteo;
  if (name == "tenth") {
    Workload tenth = criteo;
    tenth.selection = "{type: uniform, fraction: 0.1}";
    tenth.selects_anew = true;
    return tenth;
  }
  if (name == "jpeg") {
    return Workload{.dataset = fmt::format(kPhotographs, folder),
                    .graph = kPhotographGraph,
                    .selection = "{type: all_data}",
                    .batch_size = 32};
  }
  return InvalidArgument("no workload is called {}; use criteo, tenth or jpeg", name);
}

rpc::v1::Command NewCommand(int64_t run) {
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  command.set_run_id(run);
  command.set_run_epoch(run);
  return command;
}

// The stack with the dataset. Thread-compatible.
class Served {
 public:
  static absl::StatusOr<std::unique_ptr<Served>> Start(const Workload& workload,
                                                       const std::string& folder) {
    std::unique_ptr<Served> served(new Served(workload));
    RETURN_IF_ERROR(served->StartStack(folder));
    return served;
  }

  // The folder that the command lines of all its processes name.
  const std::string& state() const { return stack_.state(); }

  // Opens an epoch. Seals a training set first, unless one was and is good for all epochs.
  absl::StatusOr<std::unique_ptr<loader::BatchSource>> Open(const std::string& way, int64_t seed) {
    if (trigger_ == 0 || workload_.selects_anew) RETURN_IF_ERROR(Select(seed));
    const preprocess::JobSpec job = {.run_id = kRun,
                                     .trigger = trigger_,
                                     .dataset_id = dataset_id_,
                                     .dataset = dataset_,
                                     .graph = workload_.graph,
                                     .batch_size = workload_.batch_size,
                                     .seed = seed};
    const loader::BatchParts parts = {
        .set = opened_.set, .reader = opened_.reader, .graph = opened_.graph, .bad = opened_.bad};
    const loader::BatchPlan plan = preprocess::PlanOf(job, 0);
    if (way == "local") {
      const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
      return loader::BatchStream::Create(parts, plan, {.num_threads = cores});
    }
    if (way != "worker") return InvalidArgument("no way is called {}; use local or worker", way);
    ASSIGN_OR_RETURN(auto maker, loader::BatchMaker::Create(parts, plan));
    return preprocess::WorkerSource::Open(
        job, "", std::move(maker),
        {.dispatcher = stack_.PeerOf("preprocess"), .job_name = rpc::NewRequestId()});
  }

 private:
  static constexpr int64_t kRun = 1;

  explicit Served(Workload workload) : workload_(std::move(workload)) {}

  absl::Status StartStack(const std::string& folder) {
    const tests::CommandResult up = stack_.Tidemill({"up"}, {{"TIDEMILL_WORKERS", "1"}});
    if (up.exit_code != 0) return Internal("the stack does not start: {}{}", up.err, stack_.Logs());
    std::ofstream(stack_.state() + "/data_roots") << folder << "\n";
    const storage::StorageClient operators(stack_.PeerOf("storage", rpc::v1::ROLE_OPERATOR));
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    ASSIGN_OR_RETURN(const auto registered,
                     operators.RegisterDataset("data", workload_.dataset, command));
    dataset_id_ = registered.dataset_id();
    storage_ = std::make_shared<const storage::StorageClient>(stack_.PeerOf("storage"));
    ASSIGN_OR_RETURN(snapshot_, storage_->SyncDataset(DatasetId{dataset_id_}, [](const auto&) {}));
    ASSIGN_OR_RETURN(const auto known, storage_->GetDataset("data"));
    dataset_ = known.spec();
    selector_.emplace(stack_.PeerOf("selector"));
    return absl::OkStatus();
  }

  absl::Status Select(int64_t seed) {
    selector::v1::SealTrainingSetRequest seal;
    *seal.mutable_command() = NewCommand(kRun);
    seal.set_trigger(++trigger_);
    *seal.mutable_snapshot() = snapshot_;
    seal.mutable_to()->set_event_time(std::numeric_limits<int64_t>::max());
    seal.set_selection(workload_.selection);
    seal.set_seed(seed);
    RETURN_IF_ERROR(selector_->SealTrainingSet(seal).status());
    ASSIGN_OR_RETURN(opened_, loader::OpenSet({.run = RunId{kRun},
                                               .trigger = trigger_,
                                               .dataset_id = DatasetId{dataset_id_},
                                               .dataset = dataset_,
                                               .graph = workload_.graph},
                                              *selector_, storage_));
    return absl::OkStatus();
  }

  const Workload workload_;
  tests::Stack stack_;
  int64_t dataset_id_ = 0;
  std::string dataset_;
  rpc::v1::Snapshot snapshot_;
  std::shared_ptr<const storage::StorageClient> storage_;  // The opened set shares it.
  std::optional<selector::SelectorClient> selector_;
  int64_t trigger_ = 0;
  loader::OpenedSet opened_;
};

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

absl::Status RunEpoch(Served& served, const std::string& way, int64_t seed,
                      const std::string& check_file) {
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
  ASSIGN_OR_RETURN(const auto served, Served::Start(workload, folder));
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
    RETURN_IF_ERROR(RunEpoch(*served, way, seed, check_file));
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
