// How long something will take, from how it went so far.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace tidemill::cli {

// Thread-compatible.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // At `now` a share of the work is done, from 0 to 1. One that is less than the last begins anew.
  void Note(double share, Time now);

  // From then on, in seconds; std::nullopt until two seconds and a hundredth of the work have been
  // seen.
  std::optional<double> SecondsLeft() const;

 private:
  struct Point {
    double share = 0;
    Time at;
  };
  std::optional<Point> first_;
  Point last_;
};

// "5 s", "40 s", "2 min", "1 h 20 min": no more digits than a guess deserves.
std::string About(double seconds);

}  // namespace tidemill::cli
