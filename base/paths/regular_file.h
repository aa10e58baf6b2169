// Reads files that an untrusted process has written, such as a job that runs a user's network.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/status.h"

namespace tidemill::files {

// Opens a regular file for reading. The last name of the path is not followed when it is a link,
// and a pipe or a device is not waited for. `folder` is an open folder that `path` is relative to,
// or AT_FDCWD. FAILED_PRECONDITION when it is not a regular file. NOT_FOUND, PERMISSION_DENIED.
absl::StatusOr<Descriptor> OpenRegular(int folder, const std::string& path);

// Returns the whole of an open regular file. RESOURCE_EXHAUSTED, without reading, above
// `max_bytes`. `path` is for messages.
absl::StatusOr<std::string> ReadRegular(const Descriptor& file, const std::string& path,
                                        size_t max_bytes);
// Does both.
absl::StatusOr<std::string> ReadRegular(const std::string& path, size_t max_bytes);

}  // namespace tidemill::files
