// Writes and reads files that are either there as a whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::files {

// Writes `bytes` to a temporary name beside `path`, syncs, renames, syncs the folder.
// UNAVAILABLE when the disk is full (disk_full.h).
absl::Status WriteAtomically(const std::string& path, std::string_view bytes);

// Returns the whole file. NOT_FOUND, PERMISSION_DENIED, or RESOURCE_EXHAUSTED above `max_bytes`.
absl::StatusOr<std::string> Read(const std::string& path, size_t max_bytes = size_t{1} << 31);

// Creates a folder and its parents with mode 0700.
absl::Status CreateFolder(const std::string& path);

// Removes a file, or a folder with everything in it. OK when there is none.
absl::Status Remove(const std::string& path);

bool Exists(const std::string& path);

// "a" + "b" -> "a/b".
std::string Join(std::string_view folder, std::string_view name);

}  // namespace tidemill::files
