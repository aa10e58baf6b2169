// A file with a trigger policy, for a stack that does not have the file of its plug-in.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "config/documents/source.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::cli {

// Returns the text of the file, with these values in it. When the policy is a plug-in, the text
// contains the plug-in's file, which is beside it, and the plug-in's declaration. INVALID_ARGUMENT
// when the plug-in does not run; the reader of the text finds other mistakes.
absl::StatusOr<std::string> PolicyText(const std::string& path,
                                       const std::vector<config::Override>& overrides);

// Returns a policy with these values in place of its own.
absl::StatusOr<std::string> PolicyWith(const supervisor::TriggerSpec& policy,
                                       const std::vector<config::Override>& overrides);

}  // namespace tidemill::cli
