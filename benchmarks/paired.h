// Measures two things in turn, A B A B ..., and reports the ratio pair by pair: what a drifting
// machine does to one it does to the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tidemill::benchmarks {

struct PairedResult {
  std::string name;
  std::string unit;  // Of `ours` and `yardstick`: "GB/s", "samples/s" ...
  int repetitions = 0;
  double ratio = 0;  // Median of ours over yardstick; higher is better.
  double min = 0;
  double max = 0;
  double ours = 0;  // Medians.
  double yardstick = 0;
};

// What one repetition did, in units: bytes, samples. The rate is that over the time it took.
using Work = std::function<double()>;

// Runs both once to warm up, then `repetitions` times in turn; what takes less than a quarter of a
// second is done several times in a repetition.
PairedResult Measure(const std::string& name, const std::string& unit, double scale,
                     const Work& ours, const Work& yardstick, int repetitions = 9);

// One of the two, where each repetition needs a state to start from that is not part of its time.
struct Side {
  std::function<void()> prepare;
  Work work;
};
PairedResult Measure(const std::string& name, const std::string& unit, double scale,
                     const Side& ours, const Side& yardstick, int repetitions = 9);

// Prints one line for people on stderr and one JSON object on stdout:
// {"name", "ratio", "min", "max", "repetitions", "ours", "yardstick", "unit", "memcpy_gbps"}.
void Report(const PairedResult& result);

}  // namespace tidemill::benchmarks
