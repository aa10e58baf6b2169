// Files with the SHA-256 of their bytes in a line at the end: "\nsha256 <64 digits>\n".
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::files {

// Writes the bytes and that line, like WriteAtomically().
absl::Status WriteSummed(const std::string& path, std::string_view bytes);

// Returns the bytes without the line. DATA_LOSS when the bytes are damaged. A file without such a
// line, as earlier versions wrote, or whose line is damaged, is returned unchanged: a reader whose
// format has an end rejects a damaged line. Also returns the errors of ReadRegular().
absl::StatusOr<std::string> ReadSummed(const std::string& path, size_t max_bytes);

// Does the same for the content of such a file. `path` is for messages.
absl::StatusOr<std::string> WithoutSum(std::string bytes, const std::string& path);

}  // namespace tidemill::files
