// The steps of a pairwise selection, each divided into tasks, and the files on which they work.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "subsets/pairwise/runner.h"
#include "subsets/pairwise/tasks.h"

namespace tidemill::subsets {

// One round.
struct RoundPlan {
  int64_t round = 0;
  int64_t parts = 1;
  int64_t target = 0;  // The number of nodes to pick in all parts together, up to rounding.
  int64_t nodes = 0;   // The number of nodes in `from_set`.
  std::string from_set;
  std::string fixed_set;
  std::string into_set() const { return fmt::format("picked.{}.set", round); }
};

// Thread-compatible. All sets are names of files in the folder.
class SelectionState {
 public:
  // `range_nodes` is as in PairwiseOptions.
  SelectionState(std::unique_ptr<TaskRunner> runner, std::string folder, int64_t num_nodes,
                 int64_t range_nodes);

  int64_t num_nodes() const { return num_nodes_; }
  int64_t num_repeated() const { return runner_->num_repeated(); }

  // Makes generation 0: nothing is included, everything is undecided.
  absl::Status Begin();
  // Makes `set` empty and `count` 0.
  absl::Status EmptySet(const std::string& set, int64_t& count);

  absl::Status ComputeBounds(int64_t generation, int64_t pass, int64_t most_neighbors,
                             double share);
  absl::StatusOr<float> KthLargestBound(int64_t generation, bool upper, int64_t k);
  // Makes the next generation of sets and removes this one. Returns how many nodes are in each.
  absl::StatusOr<TaskResult> Decide(int64_t generation, bool grow, float threshold);

  // Picks into plan.into_set(), and removes plan.from_set. Returns the number of nodes picked.
  absl::StatusOr<int64_t> PickInParts(const RoundPlan& plan);
  // Removes `count` nodes from the set at random.
  absl::Status DropAtRandom(const std::string& set, int64_t count);
  // Writes chosen.set and returns its path.
  absl::StatusOr<std::string> Unite(const std::string& set, const std::string& other);
  absl::StatusOr<double> Objective(const std::string& set);

  // Removes the files of a selection except this one.
  absl::Status RemoveAllBut(const std::string& name);

 private:
  std::string Path(std::string_view name) const;
  int64_t SetBytes() const;
  // Returns a task for each range: make(range).
  template <typename Make>
  std::vector<Task> ForRanges(Make&& make) const;
  absl::Status DealParts(const RoundPlan& plan);

  std::unique_ptr<TaskRunner> runner_;
  std::string folder_;
  int64_t num_nodes_;
  int64_t range_nodes_;
};

}  // namespace tidemill::subsets
