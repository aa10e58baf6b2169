// A file with a trigger policy, for a stack that does not have the file of its plug-in.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::cli {

// Returns the text of the file. When the policy is a plug-in, the text contains the plug-in's file,
// which is beside it, and the plug-in's declaration. INVALID_ARGUMENT when the plug-in does not
// run; the reader of the text finds other mistakes.
absl::StatusOr<std::string> PolicyText(const std::string& path);

}  // namespace tidemill::cli
