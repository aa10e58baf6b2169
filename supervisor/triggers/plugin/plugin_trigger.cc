#include "supervisor/triggers/plugin/plugin_trigger.h"

#include <utility>

#include "nlohmann/json.hpp"

#include "plugin/process/fault.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/process/taken_plugin.h"
#include "supervisor/triggers/plugin/plugin_policy.h"

namespace tidemill::supervisor {
namespace {

using nlohmann::json;

constexpr char kKind[] = "trigger";
// The seed of triggers, which draw nothing unless the plug-in does.
constexpr uint64_t kSeed = 0;

// The declaration of a spec that was submitted. One that holds none decides nowhere.
absl::StatusOr<PluginDeclaration> DeclarationOf(const PluginTrigger& spec) {
  ASSIGN_OR_RETURN(const json created, plugin::CreatedOf(spec));
  return ReadDeclaration(created);
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const PluginTrigger& spec) {
  return std::make_unique<PluginPolicy>(
      spec, DeclarationOf(spec),
      std::make_unique<plugin::PluginInstance>(spec, kKind, kSeed, plugin::HostSettingsOf(spec)));
}

Verdict TriggerOf<PluginTrigger>::Replay(const Verdict& recorded) const {
  if (recorded.has_fault() || !PluginPolicy::IsAsked(recorded.observed())) return recorded;
  plugin::PluginInstance instance(spec_, kKind, kSeed);
  auto verdict = PluginPolicy::Judge(instance, recorded.observed());
  if (verdict.ok()) return *std::move(verdict);
  Verdict unanswered = recorded;
  unanswered.mutable_fault()->set_what(std::string(verdict.status().message()));
  return unanswered;
}

std::string Explain(const PluginTrigger& spec, const Verdict& verdict) {
  if (!verdict.has_fault()) return verdict.because();
  const char* const consequence = verdict.fired() ? "yes, as `on_fault` says" : "no";
  return fmt::format("{} could not decide, so the answer was {}: {}", spec.use, consequence,
                     verdict.fault().what());
}

TriggerNeeds NeedsOf(const PluginTrigger& spec) {
  const auto declaration = DeclarationOf(spec);
  if (!declaration.ok()) return {};
  return {.model_answers = declaration->AsksModel(), .samples = declaration->LooksAtSamples()};
}

void TriggerOf<PluginTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                            config::Problems& problems) const {
  const auto declaration = DeclarationOf(spec_);
  if (!declaration.ok()) return;
  for (const DeclaredEvidence& evidence : declaration->looks_at) {
    for (const std::string& column : evidence.columns) {
      transform::CheckColumn(samples, "use", column, problems);
    }
  }
}

void TriggerOf<PluginTrigger>::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  plugin::TakePlugin(spec_, kKind, files, problems,
                     [](const json& created) { return ReadDeclaration(created).status(); });
}

TIDEMILL_PART(Trigger, TriggerOf, PluginTrigger)

}  // namespace tidemill::supervisor
