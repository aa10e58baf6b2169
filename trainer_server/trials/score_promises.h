// Whether a score plug-in keeps what trainings rely on: for plug-ins of users.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "plugin/spec/plugin_use.h"
#include "plugin/spec/promise.h"

namespace tidemill::trainer_server::trials {

// What a trial showed.
struct ScoreTrial {
  int64_t num_samples = 0;
  // In blocks of 1000, the copies included.
  double rows_per_second = 0;
  std::vector<plugin::Promise> promises = {};

  bool KeepsAll() const;
};

// Shows the plug-in `num_samples` made-up samples in several ways: always the same ones, with
// losses, probabilities of three classes, embeddings, labels and times as it looks at them. `use`
// was taken in by TakeScore(). Fails where the plug-in cannot score them at all.
absl::StatusOr<ScoreTrial> TryScore(const plugin::PluginUse& use, int64_t num_samples);

}  // namespace tidemill::trainer_server::trials
