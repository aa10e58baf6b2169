// Selection of samples by a pairwise submodular function, at sizes where no process holds all of
// them, nor all of what is chosen: Boether, Sebastian, Awasthi, Klimovic and Ramalingam, "On
// Distributed Larger-Than-Memory Subset Selection With Pairwise Submodular Functions" (MLSys 2025).
//
//   ASSIGN_OR_RETURN(const PairwiseOutcome outcome,
//                    SelectPairwise(CsrFolder{graph_folder}, options, work_folder));
//   ASSIGN_OR_RETURN(const SharedFile chosen, SharedFile::Open(outcome.chosen_file));
//   ForEachNode(chosen.As<const uint64_t>(), 0, num_nodes, ...);
//
// Bounds decide what they can (bounding.h). What is left goes through rounds: in each, the nodes
// are dealt at random to parts, each part is reduced by the greedy algorithm on its own pairs and
// those with what the bounds included, and the union goes into the next round, fewer from round to
// round. State lies in files that the processes map: a bit per node in each set, eight bytes per
// undecided node of bounds, four per node that is dealt.
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
  // How many nodes to choose; all when there are fewer, none for 0.
  int64_t count = 0;
  // In (0, 1]: the weight of utilities, that of similarities being 1 - alpha.
  double alpha = 0.9;
  // Parts of the first round, of which each should fit into a worker's memory: about
  // kGreedyBytesPerNode bytes for each of its nodes.
  int64_t partitions = 8;
  int64_t rounds = 8;
  // Fewer parts as fewer nodes are left, so that fewer pairs are cut.
  bool adaptive = true;
  // How much is kept for the rounds after: round i of R leaves gamma (R - i) / R of the surplus.
  double gamma = 0.75;
  bool bounding = true;
  // Bounds that use that only so many other nodes are still chosen (bounding.h).
  bool tighten = true;
  // In (0, 1]: bounds over this share of the neighbours, which may lose the best choice.
  std::optional<double> sampled_bounding = std::nullopt;
  // Bounding ends when a pass decides less than this share of the undecided nodes.
  double least_progress = 1e-3;
  int64_t seed = 0;
  int64_t trigger = 0;

  // Worker processes; without a program, threads of this one. The result does not depend on it.
  WorkerOptions workers = {};
  // For want of a program: threads beside the caller's. Not owned.
  WorkerPool* pool = nullptr;
  // Nodes of a task, a multiple of 64; 0 for a number that depends on that of nodes only. Changes
  // nothing but the last digits of the objective.
  int64_t range_nodes = 0;
  // Told what was done: "bounding pass 2: 1,203 included, 70,331 discarded, 28,466 undecided".
  std::function<void(const std::string&)> progress = {};
};

// A round as it was.
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
  // What bounds decided; the remaining nodes went into the rounds.
  int64_t num_included = 0;
  int64_t num_discarded = 0;
  int64_t num_undecided = 0;
  int64_t bounding_passes = 0;
  std::vector<PairwiseRound> rounds;
  int64_t num_repeated_tasks = 0;
};

// Chooses. `folder` is there, is empty, and holds nothing but the chosen set afterwards.
// INVALID_ARGUMENT for options out of their range; RESOURCE_EXHAUSTED when a worker's memory or the
// disk is too small.
absl::StatusOr<PairwiseOutcome> SelectPairwise(const GraphSpec& graph,
                                               const PairwiseOptions& options,
                                               const std::string& folder);

// f of any set in a file, by the same means.
absl::StatusOr<double> PairwiseObjective(const GraphSpec& graph, const PairwiseOptions& options,
                                         const std::string& folder, const std::string& set_file);

// How many of n nodes the i-th of R rounds leaves, i from 1 on, when k are wanted: k in the last.
int64_t NodesAfterRound(int64_t n, int64_t k, int64_t rounds, int64_t round, double gamma);

}  // namespace tidemill::subsets
