// Measures two things in turn, A B A B ..., and reports the ratio of each pair. A machine that
// drifts then affects both equally.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemill::benchmarks {

struct PairedResult {
  std::string name;
  std::string unit;  // The unit of `ours` and `yardstick`: "GB/s", "samples/s" ...
  int repetitions = 0;
  double ratio = 0;  // The median of ours over yardstick. Higher is better.
  double min = 0;
  double max = 0;
  double ours = 0;  // Medians.
  double yardstick = 0;
};

// Runs one repetition and returns its amount of work in units: bytes, samples. The rate is that
// amount over its time.
using Work = std::function<double()>;

// Runs both once to warm up, then `repetitions` times in turn. Work that takes less than a quarter
// of a second is done several times per repetition.
PairedResult Measure(const std::string& name, const std::string& unit, double scale,
                     const Work& ours, const Work& yardstick, int repetitions = 9);

// One of the two, when each repetition needs an initial state whose preparation does not count.
struct Side {
  std::function<void()> prepare;
  Work work;
};
PairedResult Measure(const std::string& name, const std::string& unit, double scale,
                     const Side& ours, const Side& yardstick, int repetitions = 9);

// Pairs of rates that a benchmark measures itself, because one piece of work gives several, or is
// not done in this process.
class PairedRates {
 public:
  void Add(double ours, double yardstick);
  // Requires a pair.
  PairedResult Result(const std::string& name, const std::string& unit) const;

 private:
  std::vector<double> ours_;
  std::vector<double> yardstick_;
};

// Prints one line for people on stderr and one JSON object on stdout:
// {"name", "ratio", "min", "max", "repetitions", "ours", "yardstick", "unit", "memcpy_gbps"}.
void Report(const PairedResult& result);

}  // namespace tidemill::benchmarks
