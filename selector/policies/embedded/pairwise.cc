#include "selector/policies/embedded/pairwise.h"

#include <stdlib.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "selector/choosing/chooser.h"
#include "selector/columns/temporary_file.h"
#include "selector/policies/embedded/embedded_chooser.h"
#include "subsets/pairwise/knn_graph.h"
#include "subsets/pairwise/node_set.h"
#include "subsets/pairwise/selection.h"

namespace tidemill::selector {
namespace {

// The memory, besides the rows, in which nearest neighbours are found.
constexpr int64_t kShareForNeighbors = 4;

// A folder of this choice alone, found by TemporaryFile::RemoveLeftovers() after a crash.
class WorkFolder {
 public:
  static absl::StatusOr<WorkFolder> Create(const std::string& parent) {
    std::string path = files::Join(parent, std::string(kUnsealedPrefix) + "pairwise.XXXXXX");
    if (::mkdtemp(path.data()) == nullptr) return Internal("cannot make a folder in {}", parent);
    return WorkFolder(std::move(path));
  }
  WorkFolder(WorkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder() {
    // A folder that is left over is removed with other leftovers.
    if (!path_.empty()) files::Remove(path_).IgnoreError();
  }

  absl::StatusOr<std::string> Sub(std::string_view name) const {
    std::string path = files::Join(path_, name);
    RETURN_IF_ERROR(files::CreateFolder(path));
    return path;
  }

 private:
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// 1 - (p1 - p2) of the two greatest probabilities of each row; 1 for a model that gives one value,
// which says nothing of how sure it is.
std::vector<float> Utilities(const subsets::Rows& predictions, int64_t num_rows) {
  std::vector<float> utilities(static_cast<size_t>(num_rows), 1.0F);
  if (predictions.width < 2) return utilities;
  for (int64_t row = 0; row < num_rows; ++row) {
    float first = -std::numeric_limits<float>::infinity();
    float second = first;
    for (const float probability : predictions.Row(row)) {
      second = std::max(second, std::min(first, probability));
      first = std::max(first, probability);
    }
    utilities[static_cast<size_t>(row)] = 1 - (first - second);
  }
  return utilities;
}

subsets::PairwiseOptions Options(const Pairwise& spec, int64_t num_rows, const RandomKey& random,
                                 const Workplace& place) {
  return {.count = spec.Target(num_rows),
          .alpha = spec.alpha,
          .partitions = spec.partitions,
          .rounds = spec.rounds,
          .adaptive = spec.adaptive,
          .bounding = spec.bounding || spec.sampled_bounding.has_value(),
          .sampled_bounding = spec.sampled_bounding,
          .seed = random.seed,
          .trigger = random.trigger,
          .workers = {.program = place.worker_program,
                      .count = place.num_workers,
                      .memory = place.worker_memory},
          .pool = place.pool};
}

std::string WhatBoundsDecided(const subsets::PairwiseOutcome& outcome) {
  return fmt::format(
      "bounds included {} and discarded {} candidates in {} passes; the other {} "
      "went into {} rounds",
      outcome.num_included, outcome.num_discarded, outcome.bounding_passes, outcome.num_undecided,
      outcome.rounds.size());
}

absl::StatusOr<EmbeddedChoice> Choose(const Pairwise& spec, const EmbeddedCandidates& candidates,
                                      const RandomKey& random, const Workplace& place) {
  const subsets::Rows& rows = candidates.embeddings;
  ASSIGN_OR_RETURN(const WorkFolder folder, WorkFolder::Create(place.folder));
  ASSIGN_OR_RETURN(const std::string graph, folder.Sub("graph"));
  ASSIGN_OR_RETURN(const std::string work, folder.Sub("work"));
  const subsets::KnnOptions knn{.neighbors = spec.neighbors,
                                .memory_budget = place.memory_budget / kShareForNeighbors,
                                .random = random,
                                .pool = place.pool};
  RETURN_IF_ERROR(
      subsets::WriteKnnGraph(rows, Utilities(candidates.predictions, rows.num_rows), knn, graph));
  const subsets::PairwiseOptions options = Options(spec, rows.num_rows, random, place);
  ASSIGN_OR_RETURN(const subsets::PairwiseOutcome outcome,
                   SelectPairwise(subsets::CsrFolder{graph}, options, work));
  ASSIGN_OR_RETURN(const auto file, subsets::SharedFile::Open(outcome.chosen_file));
  EmbeddedChoice chosen;
  chosen.objective = outcome.objective;
  chosen.choice.rows.reserve(static_cast<size_t>(outcome.num_chosen));
  subsets::ForEachNode(file.As<const uint64_t>(), 0, rows.num_rows,
                       [&](int64_t row) { chosen.choice.rows.push_back(row); });
  if (options.bounding) chosen.remarks.push_back(WhatBoundsDecided(outcome));
  if (candidates.predictions.width < 2) {
    chosen.remarks.emplace_back(
        "the model predicts no classes, so all candidates are equally useful");
  }
  return chosen;
}

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const Pairwise& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  const auto choose = [spec](const EmbeddedCandidates& candidates, const RandomKey& stream,
                             const Workplace& place) {
    return Choose(spec, candidates, stream, place);
  };
  return MakeEmbeddedChooser({.with_predictions = true}, choose, random, workplace, into);
}

}  // namespace tidemill::selector
