// What a trigger plug-in says of itself: where it decides, and what it looks at there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// From where on samples are looked at.
enum class Since { kDecision, kTraining, kBeginning };

// One of the tables that the plug-in is shown.
struct DeclaredEvidence {
  std::string name;
  // Absent: times and keys of samples, which the policy has itself.
  std::optional<EvidenceKind> kind = std::nullopt;
  Since since = Since::kDecision;
  int64_t newest = 0;
  int64_t most_rows = 0;
  std::vector<std::string> columns = {};
};

struct PluginDeclaration {
  // Decides after so many samples, or, without, at the ends of periods.
  std::optional<int64_t> samples = std::nullopt;
  std::optional<PeriodGrid::Periods> periods = std::nullopt;
  std::vector<DeclaredEvidence> looks_at = {};

  bool AsksModel() const;
  bool LooksAtSamples() const;
};

// Reads the answer to `create` (docs/formats/plugin_protocol.md, "Triggers"). INVALID_ARGUMENT says
// what is wrong with it.
absl::StatusOr<PluginDeclaration> ReadDeclaration(const nlohmann::json& created);

}  // namespace tidemill::supervisor
