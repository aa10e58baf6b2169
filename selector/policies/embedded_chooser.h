// What policies that look at embeddings have in common: they know all candidates before they
// choose.
//
//   std::unique_ptr<Chooser> MakeChooser(const KCenter& spec, const RandomKey& random,
//                                        const Workplace& workplace, TrainingSetWriter& into) {
//     return MakeEmbeddedChooser(
//         {}, [spec](const EmbeddedCandidates& candidates, const RandomKey& random,
//                    const Workplace& workplace) -> absl::StatusOr<EmbeddedChoice> { ... },
//         random, workplace, into);
//   }
//
// The candidates are collected within the memory budget, at the end what the run's newest model
// says of them is read, then the policy is called once and its choice written in the order of the
// stream. While the run has no model, all candidates are chosen, with a remark.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "selector/columns/training_set_file.h"
#include "selector/policies/chooser.h"
#include "subsets/rows.h"

namespace tidemill::selector {

// Candidates of which the model can say something, in the order of the stream: row r of each member
// is of the same one. All numbers are finite.
struct EmbeddedCandidates {
  std::span<const int64_t> keys;
  subsets::Rows embeddings;
  // Without rows unless asked for. A probability for each class; or of width 1, the value.
  subsets::Rows predictions;
};

// Rows of EmbeddedCandidates, each at most once, in any order. Weights as of subsets::Choice; none:
// 1 each. What the choice leaves out counts beside the candidates that no one knows anything of.
struct EmbeddedChoice {
  subsets::Choice choice;
  std::optional<double> objective = std::nullopt;
  std::vector<std::string> remarks = {};
};

// The memory budget of the workplace is what embeddings and predictions may take of memory; what is
// more is mapped from a file, for the policy to read front to back rather than here and there.
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
