#include "trainer_server/downsampling/spec/score_declaration.h"

#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "plugin/process/taken_plugin.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::trainer_server {
namespace {

using nlohmann::json;

constexpr std::pair<std::string_view, bool ScoreLooksAt::*> kLooksAt[] = {
    {"losses", &ScoreLooksAt::losses},           {"probabilities", &ScoreLooksAt::probabilities},
    {"embeddings", &ScoreLooksAt::embeddings},   {"labels", &ScoreLooksAt::labels},
    {"event_times", &ScoreLooksAt::event_times}, {"ages", &ScoreLooksAt::ages}};

constexpr std::pair<std::string_view, KeepBy> kKeep[] = {{"greatest", KeepBy::kGreatest},
                                                         {"least", KeepBy::kLeast},
                                                         {"in_proportion", KeepBy::kInProportion}};

absl::Status ReadLooksAt(const json& name, ScoreLooksAt& looks_at) {
  for (const auto& [known, member] : kLooksAt) {
    if (name != std::string(known)) continue;
    looks_at.*member = true;
    return absl::OkStatus();
  }
  return InvalidArgument(
      "looks_at: {} is not losses, probabilities, embeddings, labels, event_times or ages",
      Printable(name.is_string() ? name.get<std::string>() : "an entry").substr(0, 60));
}

}  // namespace

absl::StatusOr<ScoreDeclaration> ReadScoreDeclaration(const json& created) {
  if (!created.is_object()) return InvalidArgument("it returned no declaration");
  ScoreDeclaration declaration;
  for (const json& name : plugin::ListAt(created, "looks_at")) {
    RETURN_IF_ERROR(ReadLooksAt(name, declaration.looks_at));
  }
  const std::string keep = plugin::TextAt(created, "keep");
  for (const auto& [known, value] : kKeep) {
    if (keep != known) continue;
    declaration.keep = value;
    return declaration;
  }
  return InvalidArgument("keep: '{}' is not greatest, least or in_proportion",
                         Printable(keep).substr(0, 60));
}

absl::StatusOr<ScoreDeclaration> ScoreDeclarationOf(const plugin::PluginUse& use) {
  ASSIGN_OR_RETURN(const json created, plugin::CreatedOf(use));
  return ReadScoreDeclaration(created);
}

void TakeScore(plugin::PluginUse& use, config::NamedFiles& files, config::Problems& problems) {
  plugin::TakePlugin(use, kScoreKind, files, problems,
                     [](const json& created) { return ReadScoreDeclaration(created).status(); });
}

void CheckScore(const plugin::PluginUse& use, const models::TrainedWith& with,
                models::TrainingProblems& problems) {
  const auto declaration = ScoreDeclarationOf(use);
  if (!declaration.ok() || !declaration->looks_at.probabilities || with.loss_is_of_classes) return;
  problems.push_back(
      {"use",
       {fmt::format("{} looks at probabilities of classes, and the training's loss has none",
                    use.use),
        "use a score that looks at losses or embeddings, or a loss of classes"}});
}

}  // namespace tidemill::trainer_server
