// Tells a person what a run is doing, on stderr: one repainted line on a terminal, plain lines now
// and then otherwise.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/terminal/pace.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Thread-compatible. The destructor clears the repainted line.
class ProgressPrinter {
 public:
  // `terminal`: stderr can be repainted. `quiet`: nothing is printed.
  ProgressPrinter(bool terminal, bool quiet);
  ~ProgressPrinter();

  // A lasting line for an event that people care about.
  void Event(const supervisor::v1::WatchRunResponse::Event& event);
  // On a terminal repaints at most 10 times a second; otherwise prints a line after 10 s, and then
  // less and less often, at least one a minute.
  void Update(const supervisor::v1::Progress& progress);
  // Without a terminal, a line that says how the run ended; on one, what follows says it.
  void End(const supervisor::v1::Run& run);
  // A lasting line.
  void Say(const std::string& text);

 private:
  using Time = std::chrono::steady_clock::time_point;

  bool IsDue(Time now) const;
  void Clear();

  const bool terminal_;
  const bool quiet_;
  bool painted_ = false;
  const Time begin_;
  Time last_;
  Pace pace_;
  std::string stage_;  // That pace_ is about; empty for the whole run.
};

// "trigger 3 of about 12, training, 41 %, 2 min left, loss 0.4812, 41 k samples/s", with as many of
// its parts as `width` columns hold: the run's share and the time left go last.
std::string ProgressLine(const supervisor::v1::Progress& progress,
                         std::optional<double> seconds_left, size_t width);

}  // namespace tidemill::cli
