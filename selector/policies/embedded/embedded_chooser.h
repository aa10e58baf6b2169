// Shared code of the policies that read embeddings. They see all candidates before they choose.
//
//   std::unique_ptr<Chooser> MakeChooser(const KCenter& spec, const RandomKey& random,
//                                        const Workplace& workplace, TrainingSetWriter& into) {
//     return MakeEmbeddedChooser(
//         {}, [spec](const EmbeddedCandidates& candidates, const RandomKey& random,
//                    const Workplace& workplace) -> absl::StatusOr<EmbeddedChoice> { ... },
//         random, workplace, into);
//   }
//
// Candidates are collected within the memory budget. At the end, the answers of the run's newest
// model are read. Then the policy is called once, and its choice is written in the order of the
// stream. While the run has no model, all candidates are chosen, with a remark.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/numbers/random.h"
#include "base/status.h"
#include "selector/choosing/chooser.h"
#include "selector/columns/training_set_file.h"
#include "subsets/rows.h"

namespace tidemill::selector {

// The candidates for which the model has answers, in the order of the stream. Row r of each member
// belongs to the same candidate. All numbers are finite.
struct EmbeddedCandidates {
  std::span<const int64_t> keys;
  subsets::Rows embeddings;
  // A probability for each class, or one column with the predicted value. It has no rows unless
  // asked for.
  subsets::Rows predictions;
};

// The chosen rows of EmbeddedCandidates, in any order, each at most once. Weights are as in
// subsets::Choice; an empty list means 1 each. The rows that the policy could not use count as
// candidates without facts.
struct EmbeddedChoice {
  subsets::Choice choice;
  std::optional<double> objective = std::nullopt;
  std::vector<std::string> remarks = {};
};

// Chooses rows. The memory budget of the workplace is the memory that embeddings and predictions
// may take. Rows beyond it are mapped from a file; the policy should then read it from front to
// back rather than at random.
using ChooseRows = std::function<absl::StatusOr<EmbeddedChoice>(
    const EmbeddedCandidates&, const RandomKey&, const Workplace&)>;

struct EmbeddedOptions {
  bool with_predictions = false;
};

// `choose` is called with at least one candidate.
std::unique_ptr<Chooser> MakeEmbeddedChooser(const EmbeddedOptions& options, ChooseRows choose,
                                             const RandomKey& random, const Workplace& workplace,
                                             TrainingSetWriter& into);

}  // namespace tidemill::selector
