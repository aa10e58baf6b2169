// The folder of this program. Programs of one build find each other there.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace tidemill::process {

// Returns the folder of the running program. INTERNAL without /proc.
inline absl::StatusOr<std::string> ProgramFolder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Internal("cannot read /proc/self/exe: {}", error.message());
  return program.parent_path().string();
}

}  // namespace tidemill::process
