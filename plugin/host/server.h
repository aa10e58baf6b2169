// Serves the protocol of plug-ins for a shared object.
#pragma once

#include <memory>
#include <string>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/host/calls/instance.h"
#include "plugin/host/calls/kind.h"
#include "plugin/host/calls/memory.h"
#include "plugin/host/connection.h"
#include "plugin/host/plugin_file.h"

namespace tidemill::plugin::host {

// Thread-compatible.
class Server {
 public:
  // `sandbox` is reported to the owner. FAILED_PRECONDITION without the owner's memory.
  static absl::StatusOr<Server> Create(std::string sandbox);

  // Answers until the owner is gone, which ends the process.
  [[noreturn]] void Run();

 private:
  Server(std::string sandbox, Memories memories);

  nlohmann::json Answer(const nlohmann::json& request);
  absl::StatusOr<nlohmann::json> Handle(const std::string& call, const nlohmann::json& request);
  absl::StatusOr<nlohmann::json> Load(const nlohmann::json& request);
  absl::StatusOr<nlohmann::json> Create(const nlohmann::json& request);

  const std::string sandbox_;
  // On the heap, because parts point at one another.
  std::unique_ptr<const Memories> memories_;
  std::unique_ptr<Failure> failure_;
  Connection connection_;
  std::unique_ptr<LoadedPlugin> plugin_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Kind> kind_;
};

}  // namespace tidemill::plugin::host
