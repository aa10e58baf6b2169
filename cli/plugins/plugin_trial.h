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

// The size of a trial.
struct TrialSize {
  int64_t num_samples = 5000;
  // A tenth of the time between two samples, for kinds that use times.
  Duration step = {60'000'000};
  // The columns that an op is given: "price:float32", "image:uint8:3,32,32".
  std::vector<std::string> inputs = {};
  // The file that a format reads.
  std::string file = {};
};

// The result of a trial of any kind.
struct PluginTrial {
  std::string kind;
  // "120 decisions over 5,000 samples, 0.50 ms each".
  std::string summary;
  // The same numbers by name.
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
  std::vector<plugin::Promise> promises = {};

  bool KeepsAll() const;
};

// Checks that the plug-in keeps the promises of built-in parts of its kind. Returns an error when
// the plug-in does not run; INVALID_ARGUMENT for a kind without a trial.
absl::StatusOr<PluginTrial> TryPlugin(NamedPlugin named, const TrialSize& size);

}  // namespace tidemill::cli
