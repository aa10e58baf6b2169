// What the earlier training sets of a run hold, for the choice of the next one.
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

// The paths of a trigger's files.
struct TriggerPaths {
  std::string entries;
  std::string late;
  std::string chosen;
};
using PathsOf = std::function<TriggerPaths(int64_t trigger)>;

struct TrainingSetHistory {
  // std::nullopt when it cannot be known any more and the policy does not ask.
  std::optional<ChosenSoFar> chosen = ChosenSoFar();
  // The previous set, if there is one.
  std::optional<v1::TrainingSet> previous = std::nullopt;
};

// `rows` are the sets before the trigger, ascending. What was chosen is read from the file of the
// newest set. When that file is lost, it is read from the entries of all sets. DATA_LOSS when some
// of those are removed or damaged, too, and the policy that serves the trigger needs to know.
absl::StatusOr<TrainingSetHistory> ReadTrainingSetHistory(const std::vector<TrainingSetRow>& rows,
                                                          const SelectionSpec& spec,
                                                          int64_t trigger, const PathsOf& paths_of);

// Whether the policy draws in rounds. It must not be a schedule.
inline bool DrawsInRounds(const Selection& policy) {
  return policy.WhatItRecalls() == Recalls::kRound;
}

}  // namespace tidemill::selector
