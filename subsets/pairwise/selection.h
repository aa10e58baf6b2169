// Selects samples by a pairwise submodular function, at sizes where no process holds all samples,
// nor all chosen ones: Boether, Sebastian, Awasthi, Klimovic and Ramalingam, "On Distributed
// Larger-Than-Memory Subset Selection With Pairwise Submodular Functions" (MLSys 2025).
//
//   ASSIGN_OR_RETURN(const PairwiseOutcome outcome,
//                    SelectPairwise(CsrFolder{graph_folder}, options, work_folder));
//   ASSIGN_OR_RETURN(const SharedFile chosen, SharedFile::Open(outcome.chosen_file));
//   ForEachNode(chosen.As<const uint64_t>(), 0, num_nodes, ...);
//
// Bounds decide some nodes (bounding.h). The others go through rounds. In each round, the nodes are
// dealt at random to parts. The greedy algorithm reduces each part, by its own pairs and its pairs
// with what the bounds included. The union goes into the next round, with fewer nodes from round to
// round. State is in files that the processes map: one bit per node in each set, eight bytes of
// bounds per undecided node, and four per node that is dealt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "subsets/pairwise/runner.h"
#include "subsets/pairwise/tasks.h"

namespace tidemill::subsets {

struct PairwiseOptions {
  // The number of nodes to choose. All when there are fewer, none for 0.
  int64_t count = 0;
  // In (0, 1]: the weight of utilities. The weight of similarities is 1 - alpha.
  double alpha = 0.9;
  // The number of parts of the first round. Each part should fit into a worker's memory: about
  // kGreedyBytesPerNode bytes per node.
  int64_t partitions = 8;
  int64_t rounds = 8;
  // Whether there are fewer parts as fewer nodes are left, so that fewer pairs are cut.
  bool adaptive = true;
  // The share that is kept for later rounds: round i of R leaves gamma (R - i) / R of the surplus.
  double gamma = 0.75;
  bool bounding = true;
  // Whether bounds use that only a certain number of other nodes is still chosen (bounding.h).
  bool tighten = true;
  // In (0, 1]: bounds count only this share of the neighbours, which may lose the best choice.
  std::optional<double> sampled_bounding = std::nullopt;
  // Bounding ends when a pass decides less than this share of the undecided nodes.
  double least_progress = 1e-3;
  int64_t seed = 0;
  int64_t trigger = 0;

  // Worker processes. Without a program, threads of this process are used. The result does not
  // depend on it.
  WorkerOptions workers = {};
  // Without a program: threads besides the caller's. Not owned.
  WorkerPool* pool = nullptr;
  // The nodes of a task, a multiple of 64. 0 means a number that depends only on the number of
  // nodes. It changes nothing but the last digits of the objective.
  int64_t range_nodes = 0;
  // Called with a description of each step: "bounding pass 2: 1,203 included, 70,331 discarded,
  // 28,466 undecided".
  std::function<void(const std::string&)> progress = {};
};

// The result of one round.
struct PairwiseRound {
  int64_t parts = 0;
  int64_t nodes = 0;
  int64_t picked = 0;
};

struct PairwiseOutcome {
  // A set (node_set.h) in the work folder.
  std::string chosen_file;
  int64_t num_chosen = 0;
  double objective = 0;
  // The decisions of the bounds. The remaining nodes went into the rounds.
  int64_t num_included = 0;
  int64_t num_discarded = 0;
  int64_t num_undecided = 0;
  int64_t bounding_passes = 0;
  std::vector<PairwiseRound> rounds;
  int64_t num_repeated_tasks = 0;
};

// Chooses nodes. `folder` must exist and be empty. Afterwards it has only the chosen set.
// INVALID_ARGUMENT for options out of their range. RESOURCE_EXHAUSTED when a worker's memory is too
// small, UNAVAILABLE when the disk is full (disk_full.h).
absl::StatusOr<PairwiseOutcome> SelectPairwise(const GraphSpec& graph,
                                               const PairwiseOptions& options,
                                               const std::string& folder);

// Returns f of any set in a file, computed in the same way.
absl::StatusOr<double> PairwiseObjective(const GraphSpec& graph, const PairwiseOptions& options,
                                         const std::string& folder, const std::string& set_file);

// Returns how many of n nodes round `round` of `rounds`, from 1, leaves when k are wanted. The last
// round leaves k.
int64_t NodesAfterRound(int64_t n, int64_t k, int64_t rounds, int64_t round, double gamma);

}  // namespace tidemill::subsets
