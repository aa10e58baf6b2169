// Tells a person what a run is doing, on stderr: one repainted line on a terminal, plain lines
// otherwise.
#pragma once

#include <chrono>
#include <string>

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
  // On a terminal repaints at most 10 times a second; otherwise prints a line every 10 s.
  void Update(const supervisor::v1::Progress& progress);
  // A lasting line.
  void Say(const std::string& text);

 private:
  void Clear();

  const bool terminal_;
  const bool quiet_;
  bool painted_ = false;
  std::chrono::steady_clock::time_point last_;
};

// "trigger 7  train  [=====>    ] 62 % 1,200/1,900 samples  41 k/s  loss 0.413  waiting 3 %"
std::string ProgressLine(const supervisor::v1::Progress& progress);

}  // namespace tidemill::cli
