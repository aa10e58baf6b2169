#include "subsets/pairwise/tasks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "base/files.h"
#include "base/numbers/random.h"
#include "base/overloaded.h"
#include "subsets/draws/kth_largest.h"
#include "subsets/pairwise/bounding.h"
#include "subsets/pairwise/greedy.h"
#include "subsets/pairwise/task_text.h"

namespace tidemill::subsets {
namespace {

// The memory of a worker process besides what its task counts.
constexpr int64_t kOtherBytes = int64_t{16} << 20;
constexpr size_t kPiece = 4096;

// The part that a node is dealt to.
int64_t PartOf(uint64_t bits, int64_t num_parts) {
  using Wide = unsigned __int128;
  return static_cast<int64_t>((static_cast<Wide>(bits) * static_cast<Wide>(num_parts)) >> 64);
}

// ceil(target * part / total), at most `part`.
int64_t Quota(int64_t target, int64_t part, int64_t total) {
  using Wide = __int128;
  const Wide quota = (static_cast<Wide>(target) * part + total - 1) / total;
  return static_cast<int64_t>(std::min<Wide>(quota, part));
}

// Carries out the tasks of one kind of graph.
template <Graph G>
class TaskRun {
 public:
  TaskRun(const Problem& problem, const G& graph, const std::string& folder, int64_t memory)
      : problem_(problem), graph_(graph), folder_(folder), memory_(memory) {}

  absl::StatusOr<TaskResult> operator()(const BoundsTask& task) const {
    ASSIGN_OR_RETURN(const SharedFile included, Read(IncludedSet(task.generation)));
    ASSIGN_OR_RETURN(const SharedFile undecided, Read(UndecidedSet(task.generation)));
    ASSIGN_OR_RETURN(const SharedFile lower_file, Write(kLowerFile));
    ASSIGN_OR_RETURN(const SharedFile upper_file, Write(kUpperFile));
    const BoundsRule rule{.ratio = objective().ratio(),
                          .most_neighbors = task.most_neighbors,
                          .share = task.share > 0 ? std::optional(task.share) : std::nullopt,
                          .random = Random("pairwise/bounds", task.pass)};
    const std::span<const uint64_t> open = undecided.As<const uint64_t>();
    BoundsOf<G> bounds_of(graph_, rule, included.As<const uint64_t>(), open);
    const std::span<float> lower = lower_file.As<float>();
    const std::span<float> upper = upper_file.As<float>();
    auto at = static_cast<size_t>(task.range.from);
    ForEachNode(open, task.range.from, task.range.to, [&](int64_t node) {
      const Bounds bounds = bounds_of(node);
      lower[at] = bounds.lower;
      upper[at++] = bounds.upper;
    });
    return TaskResult{};
  }

  absl::StatusOr<TaskResult> operator()(const CountTask& task) const {
    ASSIGN_OR_RETURN(const SharedFile undecided, Read(UndecidedSet(task.generation)));
    ASSIGN_OR_RETURN(const SharedFile column, Read(task.upper ? kUpperFile : kLowerFile));
    const int64_t count =
        CountNodes(undecided.As<const uint64_t>(), task.range.from, task.range.to);
    KthLargest search(task.k);
    if (task.second_pass) {
      ASSIGN_OR_RETURN(const SharedFile sums, Read(kCountSumFile));
      search.Narrow(sums.As<const int64_t>());
    }
    KthLargest::Counters counters(KthLargest::kNumCounters);
    search.Count(column.As<const float>().subspan(static_cast<size_t>(task.range.from),
                                                  static_cast<size_t>(count)),
                 counters);
    RETURN_IF_ERROR(WriteNumbers<int64_t>(IndexedFile(kCountFile, task.range.index), counters));
    return TaskResult{};
  }

  absl::StatusOr<TaskResult> operator()(const DecideTask& task) const {
    ASSIGN_OR_RETURN(const SharedFile included, Read(IncludedSet(task.generation)));
    ASSIGN_OR_RETURN(const SharedFile undecided, Read(UndecidedSet(task.generation)));
    ASSIGN_OR_RETURN(const SharedFile next_included, Write(IncludedSet(task.generation + 1)));
    ASSIGN_OR_RETURN(const SharedFile next_undecided, Write(UndecidedSet(task.generation + 1)));
    ASSIGN_OR_RETURN(const SharedFile column, Read(task.grow ? kLowerFile : kUpperFile));
    const auto open = undecided.As<const uint64_t>();
    const auto now_included = next_included.As<uint64_t>();
    const auto now_open = next_undecided.As<uint64_t>();
    const auto first = static_cast<size_t>(task.range.from / kNodesInWord);
    const auto words = static_cast<size_t>(NumWords(task.range.to)) - first;
    std::ranges::copy(included.As<const uint64_t>().subspan(first, words),
                      now_included.subspan(first).begin());
    std::ranges::copy(open.subspan(first, words), now_open.subspan(first).begin());
    const float threshold = std::bit_cast<float>(task.threshold_bits);
    const float* bound = column.As<const float>().data() + task.range.from;
    ForEachNode(open, task.range.from, task.range.to, [&](int64_t node) {
      const float value = *bound++;
      if (task.grow ? value <= threshold : value >= threshold) return;
      Erase(now_open, node);
      if (task.grow) Insert(now_included, node);
    });
    return TaskResult{.undecided = CountNodes(now_open, task.range.from, task.range.to),
                      .included = CountNodes(now_included, task.range.from, task.range.to)};
  }

  absl::StatusOr<TaskResult> operator()(const ScatterTask& task) const {
    ASSIGN_OR_RETURN(const SharedFile set, Read(task.from_set));
    std::vector<uint32_t> nodes;
    std::vector<uint32_t> parts;
    DealNodes(task, set.As<const uint64_t>(), nodes, parts);
    const auto num_parts = static_cast<size_t>(task.num_parts);
    const int64_t bytes = static_cast<int64_t>(num_parts * sizeof(int64_t)) +
                          static_cast<int64_t>(nodes.size() * sizeof(uint32_t));
    ASSIGN_OR_RETURN(const SharedFile file,
                     SharedFile::Create(Path(IndexedFile(kScatterFile, task.range.index)), bytes));
    const std::span<int64_t> ends = file.As<int64_t>().first(num_parts);
    for (const uint32_t part : parts) ++ends[part];
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), int64_t{0});
    const std::span<uint32_t> sorted = file.As<uint32_t>().subspan(2 * num_parts);
    // Each of `ends` is the start of its part at first, and its end afterwards.
    for (size_t i = 0; i < nodes.size(); ++i) {
      sorted[static_cast<size_t>(ends[parts[i]]++)] = nodes[i];
    }
    return TaskResult{};
  }

  absl::StatusOr<TaskResult> operator()(const PickTask& task) const {
    ASSIGN_OR_RETURN(const std::vector<int64_t> nodes,
                     task.num_parts == 1 ? WholeSet(task) : Part(task));
    SharedFile fixed;
    if (!task.fixed_set.empty()) {
      ASSIGN_OR_RETURN(fixed, Read(task.fixed_set));
    }
    ASSIGN_OR_RETURN(const SharedFile into, Write(task.into_set));
    const std::span<uint64_t> picked = into.As<uint64_t>();
    const int64_t quota = Quota(task.target, std::ssize(nodes), task.total);
    PickGreedily(graph_, objective(), fixed.As<const uint64_t>(), nodes, quota,
                 [&](int64_t node, double) { InsertShared(picked, node); });
    return TaskResult{.picked = quota};
  }

  absl::StatusOr<TaskResult> operator()(const ObjectiveTask& task) const {
    ASSIGN_OR_RETURN(const SharedFile set, Read(task.set));
    return TaskResult{.objective = ObjectiveOf(graph_, objective(), set.As<const uint64_t>(),
                                               task.range.from, task.range.to)};
  }

  absl::StatusOr<TaskResult> operator()(const LotsTask& task) const {
    ASSIGN_OR_RETURN(const SharedFile set, Read(task.set));
    const RandomKey random = Random("pairwise/excess", 0);
    std::vector<Lot> lots;  // A heap of the smallest, the greatest of them first.
    ForEachNode(set.As<const uint64_t>(), task.range.from, task.range.to, [&](int64_t node) {
      lots.push_back({RandomBits(random, node), node});
      std::push_heap(lots.begin(), lots.end());
      if (std::ssize(lots) <= task.count) return;
      std::pop_heap(lots.begin(), lots.end());
      lots.pop_back();
    });
    RETURN_IF_ERROR(WriteNumbers<Lot>(IndexedFile(kLotsFile, task.range.index), lots));
    return TaskResult{};
  }

 private:
  Objective objective() const { return {problem_.alpha}; }
  RandomKey Random(std::string_view purpose, int64_t epoch) const {
    return {problem_.seed, purpose, problem_.trigger, epoch};
  }
  std::string Path(std::string_view name) const { return files::Join(folder_, name); }
  absl::StatusOr<SharedFile> Read(std::string_view name) const {
    return SharedFile::Open(Path(name));
  }
  absl::StatusOr<SharedFile> Write(std::string_view name) const {
    return SharedFile::Open(Path(name), SharedFile::Access::kWrite);
  }
  template <typename T>
  absl::Status WriteNumbers(const std::string& name, std::span<const T> numbers) const {
    ASSIGN_OR_RETURN(const SharedFile file,
                     SharedFile::Create(Path(name), std::ssize(numbers) * sizeof(T)));
    std::ranges::copy(numbers, file.As<T>().begin());
    return absl::OkStatus();
  }

  void DealNodes(const ScatterTask& task, std::span<const uint64_t> set,
                 std::vector<uint32_t>& nodes, std::vector<uint32_t>& parts) const {
    const auto count = static_cast<size_t>(CountNodes(set, task.range.from, task.range.to));
    nodes.reserve(count);
    parts.reserve(count);
    const RandomKey random = Random("pairwise/parts", task.round);
    std::array<int64_t, kPiece> piece;
    std::array<uint64_t, kPiece> bits;
    size_t size = 0;
    const auto deal = [&] {
      RandomBits(random, std::span(piece).first(size), bits);
      for (size_t i = 0; i < size; ++i) {
        nodes.push_back(static_cast<uint32_t>(piece[i] - task.range.from));
        parts.push_back(static_cast<uint32_t>(PartOf(bits[i], task.num_parts)));
      }
      size = 0;
    };
    ForEachNode(set, task.range.from, task.range.to, [&](int64_t node) {
      piece[size++] = node;
      if (size == kPiece) deal();
    });
    deal();
  }

  // Picking from this number of nodes fits into the worker's memory.
  absl::Status CheckMemory(const PickTask& task, int64_t count) const {
    const int64_t needed = count * kGreedyBytesPerNode + kOtherBytes;
    if (count >= std::numeric_limits<uint32_t>::max()) {
      return InvalidArgument("a part of {} nodes is too large; use more partitions than {}", count,
                             task.num_parts);
    }
    if (memory_ == 0 || needed <= memory_) return absl::OkStatus();
    const int64_t room = std::max<int64_t>(memory_ - kOtherBytes, 1 << 20) / kGreedyBytesPerNode;
    return ResourceExhausted(
        "{} takes {} MiB for {} nodes, and a worker may hold {} MiB: use at least {} partitions "
        "or give workers more memory",
        Describe(task), (needed >> 20) + 1, count, memory_ >> 20, task.total / room + 1);
  }

  absl::StatusOr<std::vector<int64_t>> WholeSet(const PickTask& task) const {
    ASSIGN_OR_RETURN(const SharedFile set, Read(task.from_set));
    RETURN_IF_ERROR(CheckMemory(task, task.total));
    std::vector<int64_t> nodes;
    nodes.reserve(static_cast<size_t>(task.total));
    ForEachNode(set.As<const uint64_t>(), 0, graph_.num_nodes(),
                [&](int64_t node) { nodes.push_back(node); });
    return nodes;
  }

  // The part's share of what was dealt from each range.
  absl::StatusOr<std::vector<int64_t>> Part(const PickTask& task) const {
    const auto part = static_cast<size_t>(task.part);
    std::vector<SharedFile> dealt(static_cast<size_t>(task.num_ranges));
    int64_t count = 0;
    for (int64_t range = 0; range < task.num_ranges; ++range) {
      SharedFile& file = dealt[static_cast<size_t>(range)];
      ASSIGN_OR_RETURN(file, Read(IndexedFile(kScatterFile, range)));
      const auto ends = file.As<const int64_t>();
      count += ends[part] - (part == 0 ? 0 : ends[part - 1]);
    }
    RETURN_IF_ERROR(CheckMemory(task, count));
    std::vector<int64_t> nodes;
    nodes.reserve(static_cast<size_t>(count));
    for (int64_t range = 0; range < task.num_ranges; ++range) {
      const SharedFile& file = dealt[static_cast<size_t>(range)];
      const auto ends = file.As<const int64_t>();
      const auto from = static_cast<size_t>(part == 0 ? 0 : ends[part - 1]);
      const auto mine = file.As<const uint32_t>().subspan(
          2 * static_cast<size_t>(task.num_parts) + from, static_cast<size_t>(ends[part]) - from);
      for (const uint32_t node : mine) nodes.push_back(range * task.range_nodes + node);
    }
    return nodes;
  }

  const Problem& problem_;
  const G& graph_;
  const std::string& folder_;
  const int64_t memory_;
};

}  // namespace

absl::StatusOr<AnyGraph> OpenGraph(const GraphSpec& spec) {
  if (const auto* files = std::get_if<CsrFolder>(&spec)) {
    ASSIGN_OR_RETURN(CsrGraph graph, CsrGraph::Open(files->folder));
    return AnyGraph(std::move(graph));
  }
  const auto& implicit = std::get<ImplicitGraphSpec>(spec);
  if (implicit.num_nodes < 0 || implicit.neighbors < 0) {
    return InvalidArgument("a graph cannot have {} nodes with {} neighbours", implicit.num_nodes,
                           implicit.neighbors);
  }
  return AnyGraph(std::in_place_type<ImplicitGraph>, implicit);
}

absl::StatusOr<TaskResult> RunTask(const Problem& problem, const AnyGraph& graph,
                                   const std::string& folder, int64_t memory, const Task& task) {
  return std::visit(
      [&](const auto& opened) {
        return std::visit(TaskRun(problem, opened, folder, memory), task);
      },
      graph);
}

std::string UndecidedSet(int64_t generation) { return fmt::format("undecided.{}.set", generation); }
std::string IncludedSet(int64_t generation) { return fmt::format("included.{}.set", generation); }
std::string IndexedFile(std::string_view kind, int64_t index) {
  return fmt::format("{}.{}", kind, index);
}

}  // namespace tidemill::subsets
