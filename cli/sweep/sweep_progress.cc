#include "cli/sweep/sweep_progress.h"

#include <unistd.h>

#include <cstdio>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "cli/terminal/text.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {

SweepProgress::~SweepProgress() { Clear(); }

void SweepProgress::Clear() {
  if (painted_) fmt::print(stderr, "\r\033[K");
  painted_ = false;
}

void SweepProgress::Update(const Counts& counts) {
  if (!terminal_ || quiet_) return;
  fmt::print(stderr, "\r\033[K{}", LineOf(counts, static_cast<size_t>(TerminalWidth())));
  std::fflush(stderr);
  painted_ = true;
}

void SweepProgress::Say(const std::string& line, Tone tone) {
  if (quiet_) return;
  Clear();
  PrintToStderr(InTone(Printable(line), tone, TakesColour(STDERR_FILENO)) + "\n");
}

std::string LineOf(const SweepProgress::Counts& counts, size_t width) {
  const size_t num_runs = counts.ended + counts.waiting + counts.running.size();
  std::string line = fmt::format("{} of {} runs ended, {} running, {} waiting", counts.ended,
                                 num_runs, counts.running.size(), counts.waiting);
  if (!counts.best.empty()) {
    const std::string best = "; best so far: " + OneLine(counts.best);
    if (line.size() + best.size() < width) line += best;
  }
  if (!counts.running.empty()) {
    const std::string running = fmt::format(" ({})", fmt::join(counts.running, ", "));
    if (line.size() + running.size() < width) line += running;
  }
  return line;
}

}  // namespace tidemill::cli
