// Checks whether a user's selection policy keeps the promises of chooser.h.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "plugin/spec/promise.h"
#include "selector/client/selection_spec.h"

namespace tidemill::selector::trials {

// The result of a trial.
struct SelectionTrial {
  int64_t num_samples = 0;
  // The number of candidates in the first choice.
  int64_t num_chosen = 0;
  int64_t num_left_out = 0;
  // The rate of a choice among more candidates, including the start of its process.
  double candidates_per_second = 0;
  std::vector<plugin::Promise> promises = {};

  bool KeepsAll() const;
};

// Lets the policy choose several times from `num_samples` candidates with embeddings, predictions,
// labels and columns; see invented_facts.h. Fails if the policy cannot choose at all.
absl::StatusOr<SelectionTrial> TrySelection(const SelectionSpec& spec, int64_t num_samples);

}  // namespace tidemill::selector::trials
