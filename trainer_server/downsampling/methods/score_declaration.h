// What a score plug-in says of itself when its pipeline is submitted, and whether that fits the
// training.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "config/named_files.h"
#include "config/problems.h"
#include "models/training/downsampling_spec.h"
#include "plugin/spec/plugin_use.h"
#include "trainer_server/downsampling/methods/sample_scorer.h"

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

// The declaration that the pipeline is kept with. FAILED_PRECONDITION when it holds none.
absl::StatusOr<ScoreDeclaration> ScoreDeclarationOf(const plugin::PluginUse& use);

// Takes in what is in the file, and asks the plug-in what it is; see plugin::TakePlugin().
void TakeScore(plugin::PluginUse& use, config::NamedFiles& files, config::Problems& problems);

// "stale_loss.py:StaleLoss 1.0 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
std::string ScoreRunsWith(const plugin::PluginUse& use);

// Notes at "use" what the plug-in looks at and the training does not have.
void CheckScore(const plugin::PluginUse& use, const models::TrainedWith& with,
                models::TrainingProblems& problems);

}  // namespace tidemill::trainer_server
