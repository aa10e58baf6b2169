// What a host does for plug-ins of one kind. A new kind is its files and one line in kinds.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/host/instance.h"
#include "plugin/host/memory.h"

namespace tidemill::plugin::host {

// An instance of one kind. Answers are what stands beside "ok".
class Kind {
 public:
  virtual ~Kind() = default;
  // The answer to `create`.
  virtual absl::StatusOr<nlohmann::json> Created() = 0;
  // INVALID_ARGUMENT for a call that the kind does not have.
  virtual absl::StatusOr<nlohmann::json> Call(std::string_view call,
                                              const nlohmann::json& request) = 0;
};

struct KindEntry {
  std::string_view name;
  // Whether TidemillPlugin.functions has all that the kind needs.
  absl::Status (*check)(const void* functions);
  // `instance` and `memories` outlive it.
  std::unique_ptr<Kind> (*make)(const void* functions, Instance& instance,
                                const Memories& memories);
};

// nullptr for a kind that this host does not know.
const KindEntry* FindKind(std::string_view name);

}  // namespace tidemill::plugin::host
