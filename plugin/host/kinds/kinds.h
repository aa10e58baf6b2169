// The kinds of plug-ins that this host runs. To add a kind, write its files and one line in
// kinds.cc.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "plugin/host/calls/instance.h"
#include "plugin/host/calls/kind.h"
#include "plugin/host/calls/memory.h"

namespace tidemill::plugin::host {

struct KindEntry {
  std::string_view name;
  // Checks that TidemillPlugin.functions has all functions that the kind needs.
  absl::Status (*check)(const void* functions);
  // `instance` and `memories` outlive it.
  std::unique_ptr<Kind> (*make)(const void* functions, Instance& instance,
                                const Memories& memories);
};

// nullptr for a kind that this host does not know.
const KindEntry* FindKind(std::string_view name);

}  // namespace tidemill::plugin::host
