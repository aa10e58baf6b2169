// Shows the progress of a run on stderr: one line that is repainted on a terminal, or a plain line
// from time to time.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/terminal/pace.h"
#include "cli/terminal/tone.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Thread-compatible. The destructor clears the repainted line.
class ProgressPrinter {
 public:
  // `terminal` says that stderr can be repainted. With `quiet`, nothing is printed.
  ProgressPrinter(bool terminal, bool quiet);
  ~ProgressPrinter();

  // Prints a permanent line for an event that people care about.
  void Event(const supervisor::v1::WatchRunResponse::Event& event);
  // On a terminal, repaints at most 10 times a second. Otherwise prints a line after 10 s, and then
  // at growing intervals, at least once a minute.
  void Update(const supervisor::v1::Progress& progress);
  // Without a terminal, prints a line that says how the run ended. On a terminal, the output that
  // follows says it.
  void End(const supervisor::v1::Run& run);
  // Prints a permanent line.
  void Say(const std::string& text, Tone tone = Tone::kPlain);

 private:
  using Time = std::chrono::steady_clock::time_point;

  bool IsDue(Time now) const;
  void Clear();

  const bool terminal_;
  const bool quiet_;
  const bool paint_;
  bool painted_ = false;
  const Time begin_;
  Time last_;
  Pace pace_;
  std::string waiting_for_;  // The text of the last line.
  std::string stage_;        // The stage that pace_ measures. Empty for the whole run.
};

// Returns "trigger 3 of about 12, training, 41 %, 2 min left, loss 0.4812, 41 k samples/s", with as
// many parts as fit into `width` columns. The run's share and the remaining time are dropped last.
std::string ProgressLine(const supervisor::v1::Progress& progress,
                         std::optional<double> seconds_left, size_t width);

}  // namespace tidemill::cli
