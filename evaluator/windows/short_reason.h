// Shortens reasons so that they fit into a report.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::evaluator {

// Returns the message of a failure as at most 600 characters of printable ASCII. Reports are short
// lines of JSON, and messages may quote samples.
std::string ShortReason(const absl::Status& status);

}  // namespace tidemill::evaluator
