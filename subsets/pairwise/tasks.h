// The tasks of pairwise selection. A task reads and writes files of one folder. Any process may run
// it, any number of times. Running it again, also after a part of it was done, leaves the same
// files and gives the same result.
//
//   problem.json     the common input of all tasks
//   *.set            sets of nodes (node_set.h)
//   lower, upper bounds, float32; those of the undecided nodes of a range of nodes [from, to) are
//   consecutive from entry `from` on count.N counters of the N-th range, int64
//   (subsets/draws/kth_largest.h); count.sum, of all scatter.N of the N-th range, the nodes by
//   part: int64 ends of the parts, then the nodes as
//                    uint32 differences from the range's first
//   lots.N           {uint64 lot, int64 node} of the N-th range
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/status.h"
#include "subsets/pairwise/csr_graph.h"
#include "subsets/pairwise/implicit_graph.h"

namespace tidemill::subsets {

// A graph in files.
struct CsrFolder {
  std::string folder;
};
using GraphSpec = std::variant<ImplicitGraphSpec, CsrFolder>;
using AnyGraph = std::variant<ImplicitGraph, CsrGraph>;

// INVALID_ARGUMENT for an implicit graph with a negative number of nodes or neighbours.
absl::StatusOr<AnyGraph> OpenGraph(const GraphSpec& spec);

struct Problem {
  GraphSpec graph;
  double alpha = 0.9;
  // The seed of all randomness of the selection.
  int64_t seed = 0;
  int64_t trigger = 0;
};

// The nodes [from, to): the range with this index. `from` is a multiple of 64.
struct NodeRange {
  int64_t index = 0;
  int64_t from = 0;
  int64_t to = 0;
};

// Computes the bounds of the range's undecided nodes. With 0 < share, counts a random share of
// their neighbours, drawn for this pass.
struct BoundsTask {
  NodeRange range;
  int64_t generation = 0;  // The generation of the sets of included and undecided nodes.
  int64_t pass = 0;
  int64_t most_neighbors = 0;
  double share = 0;
};

// Counts a column of bounds for the search for the k-th largest. In the second pass, kCountSumFile
// has the sums of the first.
struct CountTask {
  NodeRange range;
  int64_t generation = 0;
  bool upper = false;
  int64_t k = 1;
  bool second_pass = false;
};

// Decides nodes of the range for the next generation of both sets: discards those whose upper bound
// is below the threshold, or includes those whose lower bound is above it.
struct DecideTask {
  NodeRange range;
  int64_t generation = 0;
  bool grow = false;
  uint32_t threshold_bits = 0;  // The bits of the float, which text may not hold exactly.
};

// Deals the nodes of a set to parts at random.
struct ScatterTask {
  NodeRange range;
  std::string from_set;
  int64_t round = 0;
  int64_t num_parts = 1;
};

// Picks ceil(target * part / total) nodes of a part into another set.
struct PickTask {
  int64_t round = 0;
  int64_t part = 0;
  int64_t num_parts = 1;   // 1: picks from all of `from_set`, which was not divided.
  int64_t num_ranges = 0;  // The nodes were dealt from `num_ranges` ranges of `range_nodes` nodes.
  int64_t range_nodes = 0;
  int64_t target = 0;
  int64_t total = 0;
  std::string from_set;
  std::string into_set;
  std::string fixed_set;  // The nodes chosen already; empty for none.
};

// Adds up the range's terms of the objective.
struct ObjectiveTask {
  NodeRange range;
  std::string set;
};

// Draws the `count` nodes of the range with the smallest lots.
struct LotsTask {
  NodeRange range;
  std::string set;
  int64_t count = 0;
};

using Task =
    std::variant<BoundsTask, CountTask, DecideTask, ScatterTask, PickTask, ObjectiveTask, LotsTask>;

// The result of a task besides the files that it writes. Each task sets the fields that it uses.
struct TaskResult {
  int64_t undecided = 0;
  int64_t included = 0;
  int64_t picked = 0;
  double objective = 0;
};

struct Lot {
  uint64_t bits = 0;
  int64_t node = 0;
  friend auto operator<=>(const Lot&, const Lot&) = default;
};

// `memory` is the number of bytes that a task may hold, without mapped files; 0 for no limit.
// RESOURCE_EXHAUSTED when it needs more.
absl::StatusOr<TaskResult> RunTask(const Problem& problem, const AnyGraph& graph,
                                   const std::string& folder, int64_t memory, const Task& task);

// The names of files.
std::string UndecidedSet(int64_t generation);
std::string IncludedSet(int64_t generation);
std::string IndexedFile(std::string_view kind, int64_t index);
inline constexpr std::string_view kProblemFile = "problem.json";
inline constexpr std::string_view kLowerFile = "lower";
inline constexpr std::string_view kUpperFile = "upper";
inline constexpr std::string_view kCountFile = "count";
inline constexpr std::string_view kCountSumFile = "count.sum";
inline constexpr std::string_view kScatterFile = "scatter";
inline constexpr std::string_view kLotsFile = "lots";

}  // namespace tidemill::subsets
