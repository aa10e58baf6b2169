// Checks whether a user's format keeps the promises of storage/formats/format.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "plugin/spec/plugin_use.h"
#include "plugin/spec/promise.h"

namespace tidemill::storage::trials {

// The result of a trial.
struct FormatTrial {
  int64_t num_bytes = 0;
  int64_t num_records = 0;
  // Records that are not samples.
  int64_t num_bad = 0;
  bool has_labels = false;
  bool has_event_times = false;
  // Measured in pieces of 1 MiB.
  double records_per_second = 0;
  std::vector<plugin::Promise> promises = {};
};

// Reads the bytes of a file several times. `use` holds the program, and what the plug-in said about
// itself. Fails if the plug-in cannot work at all.
absl::StatusOr<FormatTrial> TryFormat(const plugin::PluginUse& use, std::string_view bytes);

}  // namespace tidemill::storage::trials
