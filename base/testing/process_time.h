// Measures how much processes work.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"

namespace tidemill::testing {

// The processor time of a process so far, in seconds; 0 once it has ended.
inline double ProcessorSeconds(int process) {
  const auto text = files::Read(fmt::format("/proc/{}/stat", process));
  if (!text.ok()) return 0;
  const std::string rest = text->substr(text->rfind(')') + 1);
  unsigned long user = 0, system = 0;
  // After the name: the state and ten numbers.
  sscanf(rest.c_str(), " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// The process that works most in a moment, and its share of a processor.
inline std::pair<int, double> Busiest(const std::vector<int>& processes) {
  constexpr std::chrono::milliseconds kMoment{500};
  std::map<int, double> before;
  for (const int process : processes) before[process] = ProcessorSeconds(process);
  std::this_thread::sleep_for(kMoment);
  std::pair<int, double> busiest;
  for (const int process : processes) {
    const double share = (ProcessorSeconds(process) - before[process]) /
                         std::chrono::duration<double>(kMoment).count();
    if (share > busiest.second) busiest = {process, share};
  }
  return busiest;
}

}  // namespace tidemill::testing
