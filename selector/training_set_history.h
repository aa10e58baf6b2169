// What the earlier training sets of a run hold, for the one that is chosen next.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "selector/client/selection_spec.h"
#include "selector/columns/chosen_file.h"
#include "selector/training_sets_table.h"

namespace tidemill::selector {

// Where the files of a trigger lie.
struct TriggerPaths {
  std::string entries;
  std::string late;
  std::string chosen;
};
using PathsOf = std::function<TriggerPaths(int64_t trigger)>;

struct TrainingSetHistory {
  // std::nullopt where it cannot be known any more, and the policy does not ask.
  std::optional<ChosenSoFar> chosen = ChosenSoFar();
  // The set before, when there is one.
  std::optional<v1::TrainingSet> previous = std::nullopt;
};

// `rows`: the sets before the trigger, ascending. What was chosen is read from the file of the
// newest set, and when that is lost, from the entries of all sets. DATA_LOSS when some of these are
// removed or damaged, too, and the policy that serves the trigger needs to know.
absl::StatusOr<TrainingSetHistory> ReadTrainingSetHistory(const std::vector<TrainingSetRow>& rows,
                                                          const SelectionSpec& spec,
                                                          int64_t trigger, const PathsOf& paths_of);

// Whether the policy, no schedule, draws in rounds.
inline bool DrawsInRounds(const Selection& policy) {
  return policy.WhatItRecalls() == Recalls::kRound;
}

}  // namespace tidemill::selector
