// Checks whether a user's score plug-in keeps the promises on which trainings rely.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "plugin/spec/plugin_use.h"
#include "plugin/spec/promise.h"

namespace tidemill::trainer_server::trials {

// The result of a trial.
struct ScoreTrial {
  int64_t num_samples = 0;
  // Measured in blocks of 1000, including the copies.
  double rows_per_second = 0;
  std::vector<plugin::Promise> promises = {};

  bool KeepsAll() const;
};

// Shows the plug-in `num_samples` made-up samples in several ways: always the same samples, with
// those of losses, probabilities of three classes, embeddings, labels and times that it uses. `use`
// was loaded by TakeScore(). Fails if the plug-in cannot score them at all.
absl::StatusOr<ScoreTrial> TryScore(const plugin::PluginUse& use, int64_t num_samples);

}  // namespace tidemill::trainer_server::trials
