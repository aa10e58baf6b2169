// A user's policy, in a file that the pipeline names.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "plugin/spec/plugin_use.h"
#include "supervisor/triggers/trigger.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// What to do when the plug-in cannot decide.
enum class OnTriggerFault { kFail, kSkip, kFire };

struct PluginTrigger : plugin::PluginUse {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "Asks a policy of your own, in Python or C++. It runs in its own process, without access to "
      "the network, and cannot start programs.";
  static constexpr std::string_view kRule =
      "what the plug-in says about the numbers that it observed";
  static constexpr std::string_view kPoints =
      "where the plug-in says: after a number of samples, counted from the last training on, or at "
      "the end of periods of event time";
  static constexpr std::string_view kCost =
      "that of the plug-in, and under 2 ms a decision; of state what the plug-in keeps";
  static constexpr std::string_view kSource = "";
  OnTriggerFault on_fault = OnTriggerFault::kFail;

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    field(
        "on_fault", on_fault,
        "What to do when the plug-in cannot decide, because it crashed or took too long: fail, the "
        "run fails; skip, the policy does not fire; fire, it fires. The run shows each fault.");
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const PluginTrigger& spec);
std::string Explain(const PluginTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const PluginTrigger& spec);

template <>
class TriggerOf<PluginTrigger> final : public TriggerBase<PluginTrigger> {
 public:
  // Asks the plug-in again. When it fails, the recorded verdict is returned.
  Verdict Replay(const Verdict& recorded) const override;
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  // Also starts the plug-in: notes an unknown setting, and a plug-in that does not start.
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override;
  // "surprise.py:Surprise 1.2 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
  std::string RunsWith() const override { return spec_.RunsWith(); }
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::OnTriggerFault> {
  using Fault = tidemill::supervisor::OnTriggerFault;
  static constexpr std::pair<Fault, std::string_view> kNames[] = {
      {Fault::kFail, "fail"}, {Fault::kSkip, "skip"}, {Fault::kFire, "fire"}};
};
