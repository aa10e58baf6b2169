#include "cli/plugins/plugin_trial.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/thousands.h"
#include "supervisor/trials/trigger_promises.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::cli {
namespace {

// The start of a section of a pipeline that is a plug-in.
constexpr std::string_view kChoice = "type: plugin\n";

absl::StatusOr<PluginTrial> TryTrigger(const NamedPlugin& named, const TrialSize& size) {
  ASSIGN_OR_RETURN(
      const auto spec,
      SpecOf<supervisor::TriggerSpec>(
          named, kChoice, [](supervisor::TriggerSpec& trigger, auto& files, auto& problems) {
            trigger->TakeFiles(files, problems);
          }));
  ASSIGN_OR_RETURN(auto trial, supervisor::trials::TryTrigger(spec, size.num_samples, size.step));
  return PluginTrial{
      .kind = "trigger",
      .summary = fmt::format("{} decisions over {} samples, {:.2f} ms each",
                             WithThousands(trial.num_decisions), WithThousands(trial.num_samples),
                             trial.milliseconds_per_decision),
      .numbers = {{"samples", trial.num_samples},
                  {"decisions", trial.num_decisions},
                  {"fired", trial.num_fired},
                  {"milliseconds_per_decision", trial.milliseconds_per_decision}},
      .promises = std::move(trial.promises)};
}

struct TrialOfKind {
  std::string_view kind;
  absl::StatusOr<PluginTrial> (*run)(const NamedPlugin& named, const TrialSize& size);
};

constexpr TrialOfKind kTrials[] = {{"trigger", &TryTrigger}};

}  // namespace

bool PluginTrial::KeepsAll() const {
  return std::ranges::all_of(promises, &plugin::Promise::is_kept);
}

absl::StatusOr<PluginTrial> TryPlugin(NamedPlugin named, const TrialSize& size) {
  ASSIGN_OR_RETURN(const plugin::Description description, FindPlugin(named));
  const auto* const trial = std::ranges::find(kTrials, description.kind, &TrialOfKind::kind);
  if (trial == std::end(kTrials)) {
    return InvalidArgument("{} is a {}, and there is no trial of that kind", named.use,
                           description.kind);
  }
  return trial->run(named, size);
}

}  // namespace tidemill::cli
