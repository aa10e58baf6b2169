// A stream of samples to try policies on.
#pragma once

#include <cstdint>
#include <vector>

#include "supervisor/triggers/samples.h"

namespace tidemill::supervisor::trials {

struct Stream {
  std::vector<int64_t> times;
  std::vector<int64_t> keys;

  Samples View() const { return {times, keys}; }
};

// Makes `n` samples, always the same ones. Times ascend in steps of 0 to 20 `step`s, with a pause
// of a thousand steps now and then. `step`: in microseconds.
inline Stream ManySamples(int64_t n = 5000, int64_t step = 1) {
  Stream stream;
  uint64_t state = 7;
  int64_t time = 1'000'000;
  for (int64_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    time += step * static_cast<int64_t>((state >> 33) % 21);
    if ((state >> 40) % 500 == 0) time += 1000 * step;
    stream.times.push_back(time);
    stream.keys.push_back((int64_t{1} << 44) + i);
  }
  return stream;
}

}  // namespace tidemill::supervisor::trials
