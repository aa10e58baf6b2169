// The declaration of a user's op: the columns that it makes from its inputs, and whether it learns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/spec/plugin_use.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// The kind of plug-in that an op is.
inline constexpr char kOpPlugin[] = "op";

struct DeclaredOp {
  std::vector<ColumnSchema> outputs = {};
  // Whether it learns from samples first.
  bool fits = false;

  friend bool operator==(const DeclaredOp&, const DeclaredOp&) = default;
};

// Reads the answer to `create` (docs/formats/plugin_protocol.md). INVALID_ARGUMENT for columns that
// no graph could hold.
absl::StatusOr<DeclaredOp> ReadDeclaredOp(const nlohmann::json& created);

// Asks the plug-in which columns it makes from these columns. A second call in the same process
// returns the same answer, since graphs are built often. Thread-safe. Returns the errors of
// plugin/process/fault.h.
absl::StatusOr<DeclaredOp> DeclarationOf(const plugin::PluginUse& use,
                                         std::span<const ColumnSchema> inputs);

// An instance that takes these columns. Its process is started by the first call.
std::unique_ptr<plugin::PluginInstance> MakeOpInstance(const plugin::PluginUse& use,
                                                       std::span<const ColumnSchema> inputs);

// Returns the failure of an op that could not start, which is not the fault of a row: UNAVAILABLE
// for a failure of the machine, FAILED_PRECONDITION for a failure of the plug-in.
absl::Status NoRowsFault(const absl::Status& failure);

}  // namespace tidemill::transform
