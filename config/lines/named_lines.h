// Lists in separate files, one entry per line: the categories of an op, the classes of a label.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/named_files.h"

namespace tidemill::config {

// Returns the lines of a file's text, in order. Blank lines, carriage returns at the ends of lines
// and a byte order mark are left out. INVALID_ARGUMENT when the file has no lines, more than 20,000
// lines, the same line twice, or bytes that a YAML document cannot hold. The message names the file
// `name`.
absl::StatusOr<std::vector<std::string>> LinesOf(std::string_view text, const std::string& name);

// Returns the lines of a file of at most 256 KiB. Adds a problem at `key`, with `hint` when the
// lines are not a list, and then returns one placeholder, so that the rest can be checked.
std::vector<std::string> ReadLines(NamedFiles& files, const std::string& name, std::string_view key,
                                   std::string_view hint, Problems& problems);

}  // namespace tidemill::config
