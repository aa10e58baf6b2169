// The declaration of a trigger plug-in: its decision points, and its evidence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// The beginning of the samples of a piece of evidence.
enum class Since { kDecision, kTraining, kBeginning };

// One of the tables that the plug-in is shown.
struct DeclaredEvidence {
  std::string name;
  // Absent for the times and keys of samples, which the policy already has.
  std::optional<EvidenceKind> kind = std::nullopt;
  Since since = Since::kDecision;
  int64_t newest = 0;
  int64_t most_rows = 0;
  std::vector<std::string> columns = {};
};

struct PluginDeclaration {
  // Decides after this many samples, or, without it, at the ends of periods.
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
