#include "selector/policies/embedded/k_medoids.h"

#include <utility>

#include "selector/choosing/chooser.h"
#include "selector/policies/embedded/candidate_parts.h"
#include "selector/policies/embedded/embedded_chooser.h"
#include "subsets/k_means.h"

namespace tidemill::selector {
namespace {

EmbeddedChoice Choose(const KMedoids& spec, const RandomKey& random, const Workplace& workplace,
                      const subsets::Rows& rows) {
  EmbeddedChoice chosen;
  chosen.choice = subsets::FindMedoids(
      rows,
      {.num_clusters = spec.Target(rows.num_rows), .iterations = spec.iterations, .random = random},
      workplace.pool);
  if (spec.weights == Weighting::kNone) chosen.choice.weights.clear();
  return chosen;
}

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const KMedoids& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  const auto choose = [spec](const EmbeddedCandidates& candidates, const RandomKey& stream,
                             const Workplace& place) -> absl::StatusOr<EmbeddedChoice> {
    return ChooseAmongUsable(candidates.embeddings, [&](const subsets::Rows& rows) {
      return Choose(spec, stream, place, rows);
    });
  };
  return MakeEmbeddedChooser({}, choose, random, workplace, into);
}

}  // namespace tidemill::selector
