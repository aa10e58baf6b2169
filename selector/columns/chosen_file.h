// The samples that a run has chosen so far. They are kept in a sealed file next to the last
// training set that it covers. docs/formats/training_set.md describes the format.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "selector/columns/chosen_keys.h"
#include "selector/columns/temporary_file.h"

namespace tidemill::selector {

struct ChosenSoFar {
  // The keys that any training set of the run holds.
  ChosenKeys ever;
  // The part of `ever` that belongs to the current round of a draw in rounds (Uniform without
  // reuse).
  ChosenKeys round;

  // Adds one more set. A draw in rounds chooses a sample of the current round again only when it
  // begins a new round. The new round then consists of the set's samples that are also in the old
  // round.
  void Add(const ChosenKeys& set, bool in_rounds);
};

// A file that is written and synced, but does not have its name yet.
struct UnsealedChosen {
  std::unique_ptr<TemporaryFile> file;
  std::string digest;
};
absl::StatusOr<UnsealedChosen> WriteChosen(const ChosenSoFar& chosen, const std::string& folder);

// NOT_FOUND when there is no file. DATA_LOSS when the file does not have the digest.
absl::StatusOr<ChosenSoFar> ReadChosen(const std::string& path, const std::string& digest);

}  // namespace tidemill::selector
