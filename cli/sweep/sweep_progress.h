// Shows on stderr how far a sweep is: one line that is repainted on a terminal, and a line for each
// run that has ended.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/tone.h"

namespace tidemill::cli {

// Thread-compatible. The destructor clears the repainted line.
class SweepProgress {
 public:
  struct Counts {
    size_t ended = 0;
    size_t waiting = 0;
    // "4: trigger 3", the setting and how far it is.
    std::vector<std::string> running = {};
    std::string best = {};
  };

  // `terminal` says that stderr can be repainted. With `quiet`, nothing is printed.
  SweepProgress(bool terminal, bool quiet) : terminal_(terminal), quiet_(quiet) {}
  ~SweepProgress();
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  // Repaints the line on a terminal.
  void Update(const Counts& counts);
  // Prints a permanent line.
  void Say(const std::string& line, Tone tone = Tone::kPlain);

 private:
  void Clear();

  const bool terminal_;
  const bool quiet_;
  bool painted_ = false;
};

// "12 of 24 runs ended, 2 running (4: trigger 3, 5: trigger 1), 10 waiting; best so far: ...", as
// much of it as fits into `width` columns.
std::string LineOf(const SweepProgress::Counts& counts, size_t width);

}  // namespace tidemill::cli
