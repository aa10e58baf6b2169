// Estimates the remaining time of a task from its progress.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace tidemill::cli {

// Thread-compatible.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Records that a share of the work, from 0 to 1, is done at `now`. A share below the last one
  // starts again.
  void Note(double share, Time now);

  // Returns the remaining seconds from then on; std::nullopt until two seconds and a hundredth of
  // the work have passed.
  std::optional<double> SecondsLeft() const;

 private:
  struct Point {
    double share = 0;
    Time at;
  };
  std::optional<Point> first_;
  Point last_;
};

// Returns "5 s", "40 s", "2 min", "1 h 20 min": rounded, because it is an estimate.
std::string About(double seconds);

}  // namespace tidemill::cli
