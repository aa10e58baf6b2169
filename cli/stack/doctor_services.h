// Whether the services of a stack answer, and its database.
#pragma once

#include <string>

#include "cli/stack/finding.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// `layout`: of a local stack, for fixes that name its processes; nullptr for a remote one.
Findings ExamineServices(const Session& session, const StackLayout* layout);
Finding ExamineService(const Session& session, const StackLayout* layout,
                       const std::string& service);
Findings ExamineDatabase(const std::string& connection_string, const StackLayout* layout);

}  // namespace tidemill::cli
