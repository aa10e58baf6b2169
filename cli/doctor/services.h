// Checks whether the services of a stack and its database answer.
#pragma once

#include <string>

#include "cli/stack/finding.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// `layout` is the layout of a local stack, for fixes that name its processes, or nullptr for a
// remote stack.
Findings ExamineServices(const Session& session, const StackLayout* layout);
Finding ExamineService(const Session& session, const StackLayout* layout,
                       const std::string& service);
// The trainer servers and evaluators that have registered.
Findings ExaminePool(const Session& session);
// What the engine starts and ends; nothing without one.
Findings ExamineEngines(const Session& session);
// Shows the devices of the servers that run jobs. Empty for a supervisor that does not answer,
// which ExamineServices() reports.
Findings ExamineDevices(const Session& session);
Findings ExamineDatabase(const std::string& connection_string, const StackLayout* layout);

}  // namespace tidemill::cli
