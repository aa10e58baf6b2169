// The samples in the earlier training sets of a run, for the choice of the next one.
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
  // std::nullopt when it can no longer be determined and the policy does not need it.
  std::optional<ChosenSoFar> chosen = ChosenSoFar();
  // The previous set, if there is one.
  std::optional<v1::TrainingSet> previous = std::nullopt;
};

// `rows` are the sets before the trigger, ascending. The chosen samples are read from the file of
// the newest set, or, when that file is lost, from the entries of all sets. DATA_LOSS when some
// entries are removed or damaged, too, and the policy that serves the trigger needs them.
absl::StatusOr<TrainingSetHistory> ReadTrainingSetHistory(const std::vector<TrainingSetRow>& rows,
                                                          const SelectionSpec& spec,
                                                          int64_t trigger, const PathsOf& paths_of);

// Whether the policy draws in rounds. It must not be a schedule.
inline bool DrawsInRounds(const Selection& policy) {
  return policy.WhatItRecalls() == Recalls::kRound;
}

}  // namespace tidemill::selector
