#include "supervisor/triggers/plugin_trigger.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "plugin/process/fault.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/spec/json_fields.h"
#include "supervisor/triggers/plugin_policy.h"

namespace tidemill::supervisor {
namespace {

using nlohmann::json;

constexpr char kKind[] = "trigger";
// Of triggers, which draw nothing unless the plug-in does.
constexpr uint64_t kSeed = 0;

// The declaration of a spec that was submitted. One that holds none decides nowhere.
absl::StatusOr<PluginDeclaration> DeclarationOf(const PluginTrigger& spec) {
  const json declared = json::parse(spec.declared, nullptr, /*allow_exceptions=*/false);
  if (!declared.is_object()) {
    return FailedPrecondition("{}: the pipeline does not hold what the plug-in said of itself",
                              spec.use);
  }
  return ReadDeclaration(declared.value("created", json()));
}

// "surprise.py:Surprise 1.2 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
std::string DescribeHost(const PluginTrigger& spec, const plugin::Description& description) {
  std::string versions;
  for (const auto& [name, version] : description.versions.items()) {
    if (!version.is_string()) continue;
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", Printable(name),
                            Printable(version.get<std::string>()));
  }
  return fmt::format("{}{}{} ({}; sandbox: {})", spec.use, description.version.empty() ? "" : " ",
                     description.version, versions, description.sandbox);
}

// How hosts of a plug-in start that was submitted: what ran in a sandbox then does so now.
plugin::HostSettings SettingsOf(const PluginTrigger& spec) {
  auto settings = plugin::HostSettings::OfThisProcess();
  const json declared = json::parse(spec.declared, nullptr, /*allow_exceptions=*/false);
  const bool was_apart = declared.is_object() && plugin::TextAt(declared, "sandbox") == "bwrap";
  if (was_apart && settings.sandbox == "auto") settings.sandbox = "bwrap";
  return settings;
}

// Asks the plug-in what it is, with these settings.
absl::StatusOr<json> Ask(PluginTrigger& spec, config::Problems& problems) {
  plugin::PluginInstance instance(spec, kKind, kSeed);
  ASSIGN_OR_RETURN(const plugin::Description description, instance.Describe());
  const size_t before = problems.items().size();
  plugin::SettingsOf(description.settings, spec.with, problems);
  if (problems.items().size() > before) return json();
  ASSIGN_OR_RETURN(const json created, instance.Created());
  const auto declaration = ReadDeclaration(created);
  if (!declaration.ok()) {
    return InvalidArgument("{}: {}", spec.use, std::string(declaration.status().message()));
  }
  // Versions are the run's, not the pipeline's: a newer numpy makes no other pipeline.
  spec.runs_with = DescribeHost(spec, description);
  return json{{"doc", description.doc}, {"sandbox", description.sandbox}, {"created", created}};
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const PluginTrigger& spec) {
  return std::make_unique<PluginPolicy>(
      spec, DeclarationOf(spec),
      std::make_unique<plugin::PluginInstance>(spec, kKind, kSeed, SettingsOf(spec)));
}

Verdict Replay(const PluginTrigger& spec, const Verdict& recorded) {
  if (recorded.fault || !PluginPolicy::IsAsked(recorded.observed)) return recorded;
  plugin::PluginInstance instance(spec, kKind, kSeed);
  auto verdict = PluginPolicy::Judge(instance, recorded.observed);
  if (verdict.ok()) return *std::move(verdict);
  Verdict unanswered = recorded;
  unanswered.fault = PolicyFault{.what = std::string(verdict.status().message())};
  return unanswered;
}

std::string Explain(const PluginTrigger& spec, const Verdict& verdict) {
  if (!verdict.fault) return verdict.because;
  const char* const consequence = verdict.fired ? "yes, as `on_fault` says" : "no";
  return fmt::format("{} could not decide, so the answer was {}: {}", spec.use, consequence,
                     verdict.fault->what);
}

TriggerNeeds NeedsOf(const PluginTrigger& spec) {
  const auto declaration = DeclarationOf(spec);
  if (!declaration.ok()) return {};
  return {.model_answers = declaration->AsksModel(), .samples = declaration->LooksAtSamples()};
}

std::string RunsWith(const PluginTrigger& spec) {
  return spec.runs_with.empty() ? spec.use : spec.runs_with;
}

void CheckSamples(const PluginTrigger& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems) {
  const auto declaration = DeclarationOf(spec);
  if (!declaration.ok()) return;
  for (const DeclaredEvidence& evidence : declaration->looks_at) {
    for (const std::string& column : evidence.columns) {
      transform::CheckColumn(samples, "use", column, problems);
    }
  }
}

void TakeFiles(PluginTrigger& spec, transform::NamedFiles& files, config::Problems& problems) {
  if (spec.file().empty()) return;  // Noted by Check().
  if (spec.program.empty()) {
    const auto bytes = files.Read(spec.file(), plugin::kMostFileBytes, "use", problems);
    if (!bytes) return;
    spec.program = absl::Base64Escape(*bytes);
  }
  const auto declared = Ask(spec, problems);
  if (!declared.ok()) {
    const std::string traceback = plugin::TracebackOf(declared.status());
    problems.Add("use", std::string(declared.status().message()),
                 traceback.empty() ? "see the guide on policies of your own" : traceback);
    return;
  }
  if (!declared->is_null()) spec.declared = declared->dump();
}

}  // namespace tidemill::supervisor
