// Tidemill's side of the comparison with other loaders (README.md): a stack with one preprocessing
// worker and a dataset. It makes epochs of batches of tensors on demand.
//
//   tidemill_batches WORKLOAD FOLDER
//
// FOLDER holds what data.py wrote for the workload:
//   criteo, tenth, jpeg   every epoch prepares all of its samples
//   two, four             as jpeg, for two or four trainings at the same time, which share
//   memory, disk          as jpeg; rows are kept for later epochs, on disk in FOLDER.kept/tidemill
// After "ready" and the stack's folder, each line on standard input is a command:
//   epoch WAY SEED        makes one epoch; prints its number of samples and its seconds
//   check WAY SEED FILE   the same, and writes to FILE what the runner compares
// WAY is local (batches are made in this process, or in those of the trainings) or worker (the
// worker makes them).
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "torch/torch.h"

#include "base/files.h"
#include "base/memory/heap.h"
#include "benchmarks/peers/made_epoch.h"
#include "benchmarks/peers/sharing_trainings.h"
#include "benchmarks/system/served_epochs.h"
#include "prepared/host_store.h"
#include "prepared/prepared_config.h"

namespace tidemill::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kRoom = int64_t{8} << 30;

// A command of the runner.
struct Command {
  std::string what;
  std::string way;
  int64_t seed = 0;
  std::string check_file;
};

absl::StatusOr<Command> ReadCommand(const std::string& line) {
  std::istringstream words(line);
  Command command;
  words >> command.what >> command.way >> command.seed;
  if (command.what == "check") words >> command.check_file;
  if (!words || (command.what != "epoch" && command.what != "check")) {
    return InvalidArgument("cannot read the command \"{}\"", line);
  }
  return command;
}

// Makes an epoch, and returns its number of samples.
using Epoch = std::function<absl::StatusOr<int64_t>(const Command&)>;

absl::StatusOr<Way> WayOf(const std::string& name) {
  if (name == "local") return Way::kHome;
  if (name == "worker") return Way::kRing;
  return InvalidArgument("no way is called {}; use local or worker", name);
}

absl::StatusOr<int64_t> ServeEpoch(ServedEpochs& served, const Command& command) {
  ASSIGN_OR_RETURN(const Way way, WayOf(command.way));
  ASSIGN_OR_RETURN(const auto source, served.Open(way, command.seed));
  return ReadEpoch(*source, command.check_file);
}

absl::StatusOr<Epoch> PlainEpochs(ServedEpochs& served, const std::string&) {
  return [&served](const Command& command) { return ServeEpoch(served, command); };
}

absl::StatusOr<Epoch> KeptInMemory(ServedEpochs& served, const std::string&) {
  // The stack removes the folder when it stops.
  const std::string folder =
      prepared::OptionsOf(prepared::PreparedConfig(), served.state()).memory_folder;
  RETURN_IF_ERROR(served.KeepRowsIn(
      prepared::HostStore::Open({.memory_folder = folder, .memory_bytes = kRoom})));
  return PlainEpochs(served, folder);
}

absl::StatusOr<Epoch> KeptOnDisk(ServedEpochs& served, const std::string& folder) {
  const std::string kept = folder + ".kept/tidemill";
  RETURN_IF_ERROR(files::Remove(kept));
  RETURN_IF_ERROR(
      served.KeepRowsIn(prepared::HostStore::Open({.disk_folder = kept, .disk_bytes = kRoom})));
  return PlainEpochs(served, folder);
}

template <int kTrainings>
absl::StatusOr<Epoch> SharedEpochs(ServedEpochs& served, const std::string&) {
  ASSIGN_OR_RETURN(auto started, SharingTrainings::Start(served, kTrainings));
  return [trainings = std::shared_ptr<SharingTrainings>(std::move(started))](
             const Command& command) { return trainings->Read(command.seed, command.check_file); };
}

// What a workload reads, and how its epochs are made.
struct NamedWorkload {
  Workload (*workload)(const std::string& folder);
  absl::StatusOr<Epoch> (*epochs)(ServedEpochs& served, const std::string& folder);
};

const std::map<std::string_view, NamedWorkload>& Workloads() {
  static const std::map<std::string_view, NamedWorkload> workloads = {
      {"criteo", {CriteoWorkload, PlainEpochs}},
      {"tenth", {TenthWorkload, PlainEpochs}},
      {"jpeg", {PhotographWorkload, PlainEpochs}},
      {"two", {PhotographWorkload, SharedEpochs<2>}},
      {"four", {PhotographWorkload, SharedEpochs<4>}},
      {"memory", {PhotographWorkload, KeptInMemory}},
      {"disk", {PhotographWorkload, KeptOnDisk}}};
  return workloads;
}

absl::Status Run(const std::string& name, const std::string& folder) {
  const auto found = Workloads().find(name);
  if (found == Workloads().end()) return InvalidArgument("no workload is called {}", name);
  ASSIGN_OR_RETURN(const auto served, ServedEpochs::Start(found->second.workload(folder), folder));
  ASSIGN_OR_RETURN(const Epoch epoch, found->second.epochs(*served, folder));
  fmt::print("ready {}\n", served->state());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    ASSIGN_OR_RETURN(const Command command, ReadCommand(line));
    const auto begin = Clock::now();
    ASSIGN_OR_RETURN(const int64_t num_samples, epoch(command));
    const std::chrono::duration<double> took = Clock::now() - begin;
    fmt::print("{} {:.6f}\n", num_samples, took.count());
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

absl::Status RunAs(const std::string& first, const std::string& second) {
  torch::set_num_threads(1);
  return first == kTrainingFlag ? RunTraining(second) : Run(first, second);
}

}  // namespace
}  // namespace tidemill::benchmarks

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: tidemill_batches WORKLOAD FOLDER\n");
    return 2;
  }
  tidemill::KeepFreedPages();  // As trainings do.
  const absl::Status status = tidemill::benchmarks::RunAs(argv[1], argv[2]);
  if (status.ok()) return 0;
  fmt::print(stderr, "tidemill_batches: {}\n", std::string(status.message()));
  return 1;
}
