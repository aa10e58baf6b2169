#include "selector/training_set_history.h"

#include <utility>

#include "selector/columns/training_set_file.h"

namespace tidemill::selector {
namespace {

// From the entries of all sets.
absl::StatusOr<ChosenSoFar> Rebuild(const std::vector<TrainingSetRow>& rows,
                                    const SelectionSpec& spec, const PathsOf& paths_of) {
  ChosenSoFar chosen;
  for (const TrainingSetRow& row : rows) {
    const int64_t trigger = row.set.trigger();
    if (row.set.removed()) {
      return DataLoss("the run's retention has removed the training set of trigger {}", trigger);
    }
    ASSIGN_OR_RETURN(const batch::Batch entries,
                     ReadTrainingSet(paths_of(trigger).entries, row.set.digest()));
    ChosenKeys keys;
    keys.Add(entries.keys());
    chosen.Add(keys, DrawsInRounds(*spec->PolicyAt(trigger)));
  }
  return chosen;
}

}  // namespace

absl::StatusOr<TrainingSetHistory> ReadTrainingSetHistory(const std::vector<TrainingSetRow>& rows,
                                                          const SelectionSpec& spec,
                                                          int64_t trigger,
                                                          const PathsOf& paths_of) {
  TrainingSetHistory history;
  if (rows.empty()) return history;
  const TrainingSetRow& last = rows.back();
  history.previous = last.set;
  absl::StatusOr<ChosenSoFar> chosen = absl::NotFoundError("it was never written");
  if (!last.chosen_digest.empty()) {
    chosen = ReadChosen(paths_of(last.set.trigger()).chosen, last.chosen_digest);
  }
  const absl::Status lost = chosen.status();
  if (!chosen.ok()) chosen = Rebuild(rows, spec, paths_of);
  if (chosen.ok()) {
    history.chosen = *std::move(chosen);
    return history;
  }
  const SelectionSpec policy = spec->PolicyAt(trigger);
  if (policy->WhatItRecalls() != Recalls::kNothing) {
    return DataLoss(
        "policy {} needs to know which samples the run chose before trigger {}, but that record is "
        "lost ({}) and cannot be rebuilt: {}; start a new run",
        policy.type(), trigger, std::string(lost.message()),
        std::string(chosen.status().message()));
  }
  history.chosen.reset();
  return history;
}

}  // namespace tidemill::selector
