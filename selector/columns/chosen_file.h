// Which samples a run has chosen so far, as a sealed file next to the training set up to which it
// counts. The format is written down in docs/formats/training_set.md.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "selector/columns/chosen_keys.h"
#include "selector/columns/temporary_file.h"

namespace tidemill::selector {

struct ChosenSoFar {
  // Keys that a training set of the run holds.
  ChosenKeys ever;
  // Of these, the ones of the present round of a draw in rounds (Uniform without reuse).
  ChosenKeys round;

  // Adds one more set. A draw in rounds takes a sample of the present round only to begin a new
  // one: such a set's samples that the round already has are then the new round.
  void Add(const ChosenKeys& set, bool in_rounds);
};

// Written and synced, but not yet under its name.
struct UnsealedChosen {
  std::unique_ptr<TemporaryFile> file;
  std::string digest;
};
absl::StatusOr<UnsealedChosen> WriteChosen(const ChosenSoFar& chosen, const std::string& folder);

// NOT_FOUND when there is no file; DATA_LOSS when it does not have the digest.
absl::StatusOr<ChosenSoFar> ReadChosen(const std::string& path, const std::string& digest);

}  // namespace tidemill::selector
