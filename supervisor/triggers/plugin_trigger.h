// A policy of the user's own, in a file that the pipeline names.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "plugin/spec/plugin_use.h"
#include "supervisor/triggers/trigger_policy.h"
#include "transform/engine/op_spec.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// What becomes of a decision that the plug-in cannot make.
enum class OnTriggerFault { kFail, kSkip, kFire };

struct PluginTrigger : plugin::PluginUse {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "Asks a policy of your own, in Python or C++. It runs in a process of its own, which sees no "
      "network and starts no programs.";
  static constexpr std::string_view kRule = "what the plug-in says of the numbers that it observed";
  static constexpr std::string_view kPoints =
      "where the plug-in says: after so many samples, counted from the last training on, or at the "
      "end of periods of event time";
  static constexpr std::string_view kCost =
      "that of the plug-in, and under 2 ms a decision; of state what the plug-in keeps";
  OnTriggerFault on_fault = OnTriggerFault::kFail;

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    field(
        "on_fault", on_fault,
        "What becomes of a decision that the plug-in cannot make, as it crashed or took too long: "
        "fail, the run fails; skip, the answer is no; fire, it is yes. The run shows each fault.");
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const PluginTrigger& spec);
// Asks the plug-in again. What it cannot answer stays as it was recorded.
Verdict Replay(const PluginTrigger& spec, const Verdict& recorded);
std::string Explain(const PluginTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const PluginTrigger& spec);
// "surprise.py:Surprise 1.2 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
std::string RunsWith(const PluginTrigger& spec);
void CheckSamples(const PluginTrigger& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems);
// Takes in what is in the file, and asks the plug-in what it is: notes a setting that it does not
// have, and a plug-in that does not start.
void TakeFiles(PluginTrigger& spec, config::NamedFiles& files, config::Problems& problems);

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::OnTriggerFault> {
  using Fault = tidemill::supervisor::OnTriggerFault;
  static constexpr std::pair<Fault, std::string_view> kNames[] = {
      {Fault::kFail, "fail"}, {Fault::kSkip, "skip"}, {Fault::kFire, "fire"}};
};
