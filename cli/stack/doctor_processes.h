// The processes of a local stack, and their problems.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/stack/finding.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// A process as /proc describes it.
struct ProcessInfo {
  int id = 0;
  int parent = 0;
  char state = '?';       // 'T': stopped.
  std::string program;    // The path of the executable, with " (deleted)" when it was replaced.
  std::string arguments;  // Separated by spaces.
};
std::vector<ProcessInfo> AllProcesses();
// Returns the process of a stack's service; std::nullopt when there is none.
std::optional<ProcessInfo> ProcessOf(const StackLayout& layout, const std::string& service);

// Examines the keeper, and processes that an earlier keeper has left.
Findings ExamineProcesses(const StackLayout& layout);

}  // namespace tidemill::cli
