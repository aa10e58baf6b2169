#include "subsets/pairwise/selection_state.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <functional>

#include "base/files.h"
#include "subsets/draws/kth_largest.h"
#include "subsets/pairwise/node_set.h"
#include "subsets/pairwise/shared_file.h"

namespace tidemill::subsets {
namespace {

// A task takes long beside what starting a process does, holds little, and there are enough of them
// for many workers.
constexpr int64_t kLeastRange = int64_t{1} << 16;
constexpr int64_t kGreatestRange = int64_t{1} << 21;
constexpr int64_t kRanges = 64;

constexpr char kChosen[] = "chosen.set";

}  // namespace

SelectionState::SelectionState(std::unique_ptr<TaskRunner> runner, std::string folder,
                               int64_t num_nodes, int64_t range_nodes)
    : runner_(std::move(runner)),
      folder_(std::move(folder)),
      num_nodes_(num_nodes),
      range_nodes_(range_nodes != 0 ? range_nodes
                                    : std::clamp(NumWords(num_nodes / kRanges + 1) * kNodesInWord,
                                                 kLeastRange, kGreatestRange)) {}

std::string SelectionState::Path(std::string_view name) const { return files::Join(folder_, name); }

int64_t SelectionState::SetBytes() const {
  return NumWords(num_nodes_) * static_cast<int64_t>(sizeof(uint64_t));
}

template <typename Make>
std::vector<Task> SelectionState::ForRanges(Make&& make) const {
  std::vector<Task> tasks;
  for (int64_t from = 0; from < num_nodes_; from += range_nodes_) {
    tasks.emplace_back(make(NodeRange{.index = std::ssize(tasks),
                                      .from = from,
                                      .to = std::min(from + range_nodes_, num_nodes_)}));
  }
  return tasks;
}

absl::Status SelectionState::Begin() {
  ASSIGN_OR_RETURN(const SharedFile undecided,
                   SharedFile::Create(Path(UndecidedSet(0)), SetBytes()));
  InsertAll(undecided.As<uint64_t>(), num_nodes_);
  return SharedFile::Create(Path(IncludedSet(0)), SetBytes()).status();
}

absl::Status SelectionState::EmptySet(const std::string& set, int64_t& count) {
  count = 0;
  return SharedFile::Create(Path(set), SetBytes()).status();
}

absl::Status SelectionState::ComputeBounds(int64_t generation, int64_t pass, int64_t most_neighbors,
                                           double share) {
  if (pass == 0) {
    const int64_t bytes = num_nodes_ * static_cast<int64_t>(sizeof(float));
    RETURN_IF_ERROR(SharedFile::Create(Path(kLowerFile), bytes).status());
    RETURN_IF_ERROR(SharedFile::Create(Path(kUpperFile), bytes).status());
  }
  return runner_
      ->Run(ForRanges([&](const NodeRange& range) {
        return BoundsTask{.range = range,
                          .generation = generation,
                          .pass = pass,
                          .most_neighbors = most_neighbors,
                          .share = share};
      }))
      .status();
}

absl::StatusOr<float> SelectionState::KthLargestBound(int64_t generation, bool upper, int64_t k) {
  KthLargest search(k);
  for (const bool second_pass : {false, true}) {
    const std::vector<Task> tasks = ForRanges([&](const NodeRange& range) {
      return CountTask{.range = range,
                       .generation = generation,
                       .upper = upper,
                       .k = k,
                       .second_pass = second_pass};
    });
    RETURN_IF_ERROR(runner_->Run(tasks).status());
    ASSIGN_OR_RETURN(const SharedFile sum_file,
                     SharedFile::Create(Path(kCountSumFile),
                                        KthLargest::kNumCounters * int64_t{sizeof(int64_t)}));
    const std::span<int64_t> sums = sum_file.As<int64_t>();
    for (int64_t range = 0; range < std::ssize(tasks); ++range) {
      ASSIGN_OR_RETURN(const SharedFile file,
                       SharedFile::Open(Path(IndexedFile(kCountFile, range))));
      std::ranges::transform(sums, file.As<const int64_t>(), sums.begin(), std::plus());
    }
    search.Narrow(sums);
  }
  return search.value();
}

absl::StatusOr<TaskResult> SelectionState::Decide(int64_t generation, bool grow, float threshold) {
  RETURN_IF_ERROR(SharedFile::Create(Path(UndecidedSet(generation + 1)), SetBytes()).status());
  RETURN_IF_ERROR(SharedFile::Create(Path(IncludedSet(generation + 1)), SetBytes()).status());
  ASSIGN_OR_RETURN(const std::vector<TaskResult> results,
                   runner_->Run(ForRanges([&](const NodeRange& range) {
                     return DecideTask{.range = range,
                                       .generation = generation,
                                       .grow = grow,
                                       .threshold_bits = std::bit_cast<uint32_t>(threshold)};
                   })));
  TaskResult all;
  for (const TaskResult& result : results) {
    all.undecided += result.undecided;
    all.included += result.included;
  }
  RETURN_IF_ERROR(files::Remove(Path(UndecidedSet(generation))));
  RETURN_IF_ERROR(files::Remove(Path(IncludedSet(generation))));
  return all;
}

absl::Status SelectionState::DealParts(const RoundPlan& plan) {
  return runner_
      ->Run(ForRanges([&](const NodeRange& range) {
        return ScatterTask{.range = range,
                           .from_set = plan.from_set,
                           .round = plan.round,
                           .num_parts = plan.parts};
      }))
      .status();
}

absl::StatusOr<int64_t> SelectionState::PickInParts(const RoundPlan& plan) {
  if (plan.parts > 1) RETURN_IF_ERROR(DealParts(plan));
  RETURN_IF_ERROR(SharedFile::Create(Path(plan.into_set()), SetBytes()).status());
  std::vector<Task> tasks;
  for (int64_t part = 0; part < plan.parts; ++part) {
    tasks.emplace_back(PickTask{.round = plan.round,
                                .part = part,
                                .num_parts = plan.parts,
                                .num_ranges = (num_nodes_ + range_nodes_ - 1) / range_nodes_,
                                .range_nodes = range_nodes_,
                                .target = plan.target,
                                .total = plan.nodes,
                                .from_set = plan.from_set,
                                .into_set = plan.into_set(),
                                .fixed_set = plan.fixed_set});
  }
  ASSIGN_OR_RETURN(const std::vector<TaskResult> results, runner_->Run(tasks));
  int64_t picked = 0;
  for (const TaskResult& result : results) picked += result.picked;
  RETURN_IF_ERROR(files::Remove(Path(plan.from_set)));
  return picked;
}

absl::Status SelectionState::DropAtRandom(const std::string& set, int64_t count) {
  const std::vector<Task> tasks = ForRanges(
      [&](const NodeRange& range) { return LotsTask{.range = range, .set = set, .count = count}; });
  RETURN_IF_ERROR(runner_->Run(tasks).status());
  std::vector<Lot> lots;
  for (int64_t range = 0; range < std::ssize(tasks); ++range) {
    ASSIGN_OR_RETURN(const SharedFile file, SharedFile::Open(Path(IndexedFile(kLotsFile, range))));
    const auto drawn = file.As<const Lot>();
    lots.insert(lots.end(), drawn.begin(), drawn.end());
    std::ranges::sort(lots);
    lots.resize(std::min(lots.size(), static_cast<size_t>(count)));
  }
  ASSIGN_OR_RETURN(const SharedFile file, SharedFile::Open(Path(set), SharedFile::Access::kWrite));
  for (const Lot& lot : lots) Erase(file.As<uint64_t>(), lot.node);
  return absl::OkStatus();
}

absl::StatusOr<std::string> SelectionState::Unite(const std::string& set,
                                                  const std::string& other) {
  ASSIGN_OR_RETURN(const SharedFile a, SharedFile::Open(Path(set)));
  ASSIGN_OR_RETURN(const SharedFile b, SharedFile::Open(Path(other)));
  ASSIGN_OR_RETURN(const SharedFile both, SharedFile::Create(Path(kChosen), SetBytes()));
  std::ranges::transform(a.As<const uint64_t>(), b.As<const uint64_t>(),
                         both.As<uint64_t>().begin(), std::bit_or());
  return Path(kChosen);
}

absl::StatusOr<double> SelectionState::Objective(const std::string& set) {
  ASSIGN_OR_RETURN(const std::vector<TaskResult> results,
                   runner_->Run(ForRanges([&](const NodeRange& range) {
                     return ObjectiveTask{.range = range, .set = set};
                   })));
  double sum = 0;
  for (const TaskResult& result : results) sum += result.objective;
  return sum;
}

absl::Status SelectionState::RemoveAllBut(const std::string& name) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().filename() == name) continue;
    RETURN_IF_ERROR(files::Remove(entry.path().string()));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::subsets
