// Remembers where the last samples of the stream begin, so that they can be found without listing
// the whole stream.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/triggers/samples.h"

namespace tidemill::supervisor {

// Some tens of places in a stream of any length. It is a state (sealed_state.h). Thread-compatible.
struct StreamMarks {
  // The most samples, counted back from the end, that will ever be asked for.
  int64_t reach = 0;
  int64_t num_samples = 0;
  // The marked places, ascending: the number of samples before each of them, its event time and its
  // key.
  std::vector<int64_t> counts = {};
  std::vector<int64_t> times = {};
  std::vector<int64_t> keys = {};

  void Take(Samples samples);
  // Marks the place `at`. All samples taken so far are before it, and no others.
  void Mark(const Cut& at);

  // Returns a place that is followed by the last `newest` samples, and few others before them.
  // std::nullopt stands for the beginning of the stream.
  std::optional<Cut> Before(int64_t newest) const;
  // Returns the samples per second from the first known place to `at`; 0 when no time has passed.
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
