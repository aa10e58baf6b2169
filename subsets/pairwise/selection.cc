#include "subsets/pairwise/selection.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/files.h"
#include "subsets/pairwise/node_set.h"
#include "subsets/pairwise/selection_state.h"
#include "subsets/pairwise/task_text.h"

namespace tidemill::subsets {
namespace {

absl::Status Check(const PairwiseOptions& options) {
  if (!(options.alpha > 0 && options.alpha <= 1)) {
    return InvalidArgument("alpha is {}; it must be in (0, 1]", options.alpha);
  }
  if (options.count < 0) return InvalidArgument("cannot choose {} nodes", options.count);
  if (options.partitions < 1 || options.rounds < 1) {
    return InvalidArgument("{} partitions in {} rounds choose nothing; write numbers of 1 or more",
                           options.partitions, options.rounds);
  }
  if (options.sampled_bounding &&
      !(*options.sampled_bounding > 0 && *options.sampled_bounding <= 1)) {
    return InvalidArgument("the share of sampled bounding is {}; it must be in (0, 1]",
                           *options.sampled_bounding);
  }
  if (options.range_nodes < 0 || options.range_nodes % kNodesInWord != 0) {
    return InvalidArgument("ranges of {} nodes are not a multiple of {}", options.range_nodes,
                           kNodesInWord);
  }
  return absl::OkStatus();
}

int64_t CeilDivided(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One selection. Thread-compatible.
class Selection {
 public:
  Selection(const PairwiseOptions& options, SelectionState& state)
      : options_(options), state_(state) {}

  absl::StatusOr<PairwiseOutcome> Run() {
    wanted_ = std::min(options_.count, state_.num_nodes());
    undecided_ = state_.num_nodes();
    RETURN_IF_ERROR(state_.Begin());
    RETURN_IF_ERROR(Bound());
    // If only as many nodes remain as are wanted, all of them are included.
    const int64_t forced = undecided_ <= still_wanted() ? undecided_ : 0;
    outcome_.num_included = included_ + forced;
    outcome_.num_undecided = undecided_ - forced;
    outcome_.num_discarded = state_.num_nodes() - included_ - undecided_;
    std::string open = UndecidedSet(generation_);
    if (undecided_ > still_wanted()) {
      ASSIGN_OR_RETURN(open, Reduce(std::move(open)));
    }
    ASSIGN_OR_RETURN(outcome_.chosen_file, state_.Unite(IncludedSet(generation_), open));
    outcome_.num_chosen = wanted_;
    ASSIGN_OR_RETURN(outcome_.objective, state_.Objective("chosen.set"));
    outcome_.num_repeated_tasks = state_.num_repeated();
    return std::move(outcome_);
  }

 private:
  int64_t still_wanted() const { return wanted_ - included_; }
  bool decided() const { return still_wanted() == 0 || undecided_ <= still_wanted(); }

  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  absl::Status Bound() {
    if (still_wanted() == 0) return state_.EmptySet(UndecidedSet(generation_), undecided_);
    bool decides = options_.bounding;
    while (decides && !decided()) {
      ASSIGN_OR_RETURN(const bool shrunk, BoundWhileItHelps(/*grow=*/false));
      ASSIGN_OR_RETURN(const bool grown, BoundWhileItHelps(/*grow=*/true));
      decides = shrunk || grown;
    }
    // Once enough is included, the rest is discarded.
    if (still_wanted() == 0) return state_.EmptySet(UndecidedSet(generation_), undecided_);
    return absl::OkStatus();
  }

  // Whether it decided anything.
  absl::StatusOr<bool> BoundWhileItHelps(bool grow) {
    bool decided_any = false;
    while (!decided()) {
      const int64_t before = undecided_;
      RETURN_IF_ERROR(BoundOnce(grow));
      const int64_t decided_now = before - undecided_;
      if (static_cast<double>(decided_now) <
          std::max(1.0, options_.least_progress * static_cast<double>(before))) {
        break;
      }
      decided_any = true;
    }
    return decided_any;
  }

  absl::Status BoundOnce(bool grow) {
    if (!bounds_are_current_) {
      const int64_t most = options_.tighten ? still_wanted() - 1 : state_.num_nodes();
      RETURN_IF_ERROR(state_.ComputeBounds(generation_, outcome_.bounding_passes++, most,
                                           options_.sampled_bounding.value_or(0)));
      bounds_are_current_ = true;
    }
    // The threshold comes from the other bound than the one that is compared with it.
    ASSIGN_OR_RETURN(const float threshold,
                     state_.KthLargestBound(generation_, /*upper=*/grow, still_wanted()));
    ASSIGN_OR_RETURN(const TaskResult now, state_.Decide(generation_, grow, threshold));
    ++generation_;
    // Bounds are where the undecided nodes of their generation were.
    bounds_are_current_ = now.undecided == undecided_;
    included_ = now.included;
    undecided_ = now.undecided;
    Say(fmt::format("{} in bounding pass {}: {} included, {} discarded, {} undecided",
                    grow ? "growing" : "shrinking", outcome_.bounding_passes, included_,
                    state_.num_nodes() - included_ - undecided_, undecided_));
    return absl::OkStatus();
  }

  // The rounds; returns the set of what is picked, of exactly as many nodes as are still wanted.
  absl::StatusOr<std::string> Reduce(std::string set) {
    const int64_t first = undecided_;
    const int64_t capacity = CeilDivided(first, options_.partitions);
    int64_t nodes = first;
    for (int64_t round = 1; round <= options_.rounds && nodes > still_wanted(); ++round) {
      const int64_t parts =
          std::min(options_.adaptive ? CeilDivided(nodes, capacity) : options_.partitions, nodes);
      // The nodes that the greedy algorithm picks first from a part, it also picks first from the
      // picked nodes.
      const int64_t target = parts == 1 ? still_wanted()
                                        : NodesAfterRound(first, still_wanted(), options_.rounds,
                                                          round, options_.gamma);
      if (target >= nodes) continue;
      const RoundPlan plan{.round = round,
                           .parts = parts,
                           .target = target,
                           .nodes = nodes,
                           .from_set = set,
                           .fixed_set = included_ > 0 ? IncludedSet(generation_) : ""};
      ASSIGN_OR_RETURN(const int64_t picked, state_.PickInParts(plan));
      set = plan.into_set();
      outcome_.rounds.push_back({.parts = parts, .nodes = nodes, .picked = picked});
      Say(fmt::format("round {} of {}: {} of {} nodes picked in {} parts", round, options_.rounds,
                      picked, nodes, parts));
      nodes = picked;
    }
    if (nodes > still_wanted()) RETURN_IF_ERROR(state_.DropAtRandom(set, nodes - still_wanted()));
    return set;
  }

  const PairwiseOptions& options_;
  SelectionState& state_;
  int64_t wanted_ = 0;
  int64_t included_ = 0;
  int64_t undecided_ = 0;
  int64_t generation_ = 0;
  bool bounds_are_current_ = false;
  PairwiseOutcome outcome_;
};

absl::StatusOr<std::unique_ptr<TaskRunner>> MakeRunner(const Problem& problem, AnyGraph graph,
                                                       const PairwiseOptions& options,
                                                       const std::string& folder) {
  if (options.workers.program.empty()) {
    return RunInThisProcess(problem, std::move(graph), folder, options.pool);
  }
  RETURN_IF_ERROR(
      files::WriteAtomically(files::Join(folder, kProblemFile), EncodeProblem(problem)));
  return RunInWorkers(options.workers, folder);
}

absl::StatusOr<SelectionState> OpenState(const GraphSpec& spec, const PairwiseOptions& options,
                                         const std::string& folder) {
  RETURN_IF_ERROR(Check(options));
  const Problem problem{
      .graph = spec, .alpha = options.alpha, .seed = options.seed, .trigger = options.trigger};
  ASSIGN_OR_RETURN(AnyGraph graph, OpenGraph(spec));
  const int64_t nodes = std::visit([](const auto& opened) { return opened.num_nodes(); }, graph);
  ASSIGN_OR_RETURN(auto runner, MakeRunner(problem, std::move(graph), options, folder));
  return SelectionState(std::move(runner), folder, nodes, options.range_nodes);
}

}  // namespace

int64_t NodesAfterRound(int64_t n, int64_t k, int64_t rounds, int64_t round, double gamma) {
  const double surplus = gamma * static_cast<double>(n - k) * static_cast<double>(rounds - round) /
                         static_cast<double>(rounds);
  return k + std::llrint(surplus);
}

absl::StatusOr<PairwiseOutcome> SelectPairwise(const GraphSpec& graph,
                                               const PairwiseOptions& options,
                                               const std::string& folder) {
  ASSIGN_OR_RETURN(SelectionState state, OpenState(graph, options, folder));
  absl::StatusOr<PairwiseOutcome> outcome = Selection(options, state).Run();
  RETURN_IF_ERROR(state.RemoveAllBut("chosen.set"));
  return outcome;
}

absl::StatusOr<double> PairwiseObjective(const GraphSpec& graph, const PairwiseOptions& options,
                                         const std::string& folder, const std::string& set_file) {
  ASSIGN_OR_RETURN(SelectionState state, OpenState(graph, options, folder));
  return state.Objective(set_file);
}

}  // namespace tidemill::subsets
