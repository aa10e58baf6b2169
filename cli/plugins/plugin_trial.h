// Trials of plug-ins of every kind, for `tidemill plugin verify`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"
#include "cli/plugins/named_plugin.h"
#include "plugin/spec/promise.h"

namespace tidemill::cli {

// How much a plug-in is tried.
struct TrialSize {
  int64_t num_samples = 5000;
  // A tenth of the time between two samples, for kinds that look at times.
  Duration step = {60'000'000};
  // The columns that an op is given: "price:float32", "image:uint8:3,32,32".
  std::vector<std::string> inputs = {};
};

// What a trial showed, whatever the kind.
struct PluginTrial {
  std::string kind;
  // "120 decisions over 5,000 samples, 0.50 ms each".
  std::string summary;
  // The same numbers by their names.
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
  std::vector<plugin::Promise> promises = {};

  bool KeepsAll() const;
};

// Holds the plug-in to what built-in parts of its kind are held to. Fails where it cannot be asked
// at all; INVALID_ARGUMENT for a kind without a trial.
absl::StatusOr<PluginTrial> TryPlugin(NamedPlugin named, const TrialSize& size);

}  // namespace tidemill::cli
