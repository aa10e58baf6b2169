// The declaration of a score plug-in, which it gives when its pipeline is submitted, and the check
// that it fits the training.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "config/documents/problems.h"
#include "config/named_files.h"
#include "models/training/downsampling_spec.h"
#include "plugin/spec/plugin_use.h"
#include "trainer_server/downsampling/spec/sample_scorer.h"

namespace tidemill::trainer_server {

inline constexpr char kScoreKind[] = "score";

// Which samples a training keeps.
enum class KeepBy { kGreatest, kLeast, kInProportion };

struct ScoreDeclaration {
  ScoreLooksAt looks_at = {};
  KeepBy keep = KeepBy::kGreatest;
};

// Reads the answer to `create` (docs/formats/plugin_protocol.md, "Scores"). INVALID_ARGUMENT says
// what is wrong with it.
absl::StatusOr<ScoreDeclaration> ReadScoreDeclaration(const nlohmann::json& created);

// Returns the declaration that is stored with the pipeline. FAILED_PRECONDITION when there is none.
absl::StatusOr<ScoreDeclaration> ScoreDeclarationOf(const plugin::PluginUse& use);

// Reads the file, and asks the plug-in for its declaration; see plugin::TakePlugin().
void TakeScore(plugin::PluginUse& use, config::NamedFiles& files, config::Problems& problems);

// Notes at "use" the inputs that the plug-in needs and the training does not have.
void CheckScore(const plugin::PluginUse& use, const models::TrainedWith& with,
                models::TrainingProblems& problems);

}  // namespace tidemill::trainer_server
