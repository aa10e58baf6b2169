// Where in the stream its last samples begin, so that nobody has to list the whole of it to find
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/triggers/samples.h"

namespace tidemill::supervisor {

// A state (sealed_state.h) of some tens of places, however long the stream. Thread-compatible.
struct StreamMarks {
  // How many samples back from the end will be asked for at most.
  int64_t reach = 0;
  int64_t num_samples = 0;
  // By number of the samples before it, ascending.
  std::vector<int64_t> counts = {};
  std::vector<int64_t> times = {};
  std::vector<int64_t> keys = {};

  void Take(Samples samples);
  // Notes that all samples taken lie before this place, and no others.
  void Mark(const Cut& at);

  // A place behind which lie the last `newest` samples and not many others; std::nullopt for the
  // beginning of the stream.
  std::optional<Cut> Before(int64_t newest) const;
  // Samples a second from the first place that is known to `at`; 0 when no time has passed.
  double Rate(Timestamp at) const;

  void Fields(auto&& field) {
    field("reach", reach);
    field("num_samples", num_samples);
    field("counts", counts);
    field("times", times);
    field("keys", keys);
  }
  absl::Status Check() const;
};

}  // namespace tidemill::supervisor
