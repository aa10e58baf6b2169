// The folder of this program. Programs of one build find each other there. A module that another
// program loads says where they are.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace tidemill::process {

namespace internal {
inline std::string& UsedProgramFolder() {
  static std::string folder;
  return folder;
}
}  // namespace internal

// Takes another folder for that of the running program. Call it before anything else of this
// process asks for the folder.
inline void UseProgramFolder(const std::string& folder) { internal::UsedProgramFolder() = folder; }

// Returns the folder of the running program. INTERNAL without /proc.
inline absl::StatusOr<std::string> ProgramFolder() {
  if (!internal::UsedProgramFolder().empty()) return internal::UsedProgramFolder();
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Internal("cannot read /proc/self/exe: {}", error.message());
  return program.parent_path().string();
}

}  // namespace tidemill::process
