// How processes that an engine starts on other hosts reach the services of a local stack.
//
//   <state folder>/tidemill.yaml          of the services: sockets, and addresses for others
//                  certificates/own.*     one certificate that names every service
//                  engine/members.yaml    of the processes: the addresses, no database
//                  members/               what they keep
//
// All hosts see the state folder at the same path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/local_stack.h"
#include "engine/engine_config.h"
#include "rpc/service_main.h"

namespace tidemill::cli {

// Returns the section `engine` of the stack's configuration; std::nullopt when there is none.
absl::StatusOr<std::optional<engine::EngineConfig>> EngineOf(const StackLayout& layout);

// Returns the services that the keeper starts: all but those that the engine starts by need.
// Without a readable configuration, all.
std::vector<std::string> ServicesOf(const StackLayout& layout);

// Fills in where other hosts reach the services, and the certificate, unless the engine starts
// processes on this host alone. Addresses stay the same once they were chosen. FAILED_PRECONDITION
// for an engine of evaluators, which need a database that this stack has for itself.
absl::Status JoinNetwork(const StackLayout& layout, const engine::EngineConfig& engine,
                         rpc::ClusterConfig& cluster);

// Writes the configuration of the processes on other hosts. `kept` are further sections.
absl::Status WriteMembersConfig(const StackLayout& layout, const rpc::ClusterConfig& cluster,
                                const std::string& kept);

}  // namespace tidemill::cli
