// Copies of files in UTF-8, the only encoding in which storage reads texts.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::cli {

// Converts a file from Windows-1252, which includes Latin-1, to UTF-8, in a new file beside it:
// "a.csv" becomes "a.utf8.csv". Returns its path. A file that is in UTF-8 already is left alone,
// and its own path is returned. The memory does not grow with the file. ALREADY_EXISTS when the new
// file exists and `overwrite` is false.
absl::StatusOr<std::string> CopyAsUtf8(const std::string& path, bool overwrite);

}  // namespace tidemill::cli
