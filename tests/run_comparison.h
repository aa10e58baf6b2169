// What must be equal, bit for bit, in two runs of the same pipeline: triggers, keys and weights.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "tests/stack.h"

namespace tidemill::tests {

// Returns one line per trigger (position, samples, digest of the sealed training set, SHA-256 of
// the weights) and one per measured value, from the JSON of `runs show` or `run`. Two runs are
// equal when these lines are. Ids and seconds are left out.
inline std::vector<std::string> Fingerprint(const nlohmann::json& run) {
  std::vector<std::string> lines;
  lines.push_back(run.value("state", "no state"));
  for (const auto& trigger : run.value("triggers", nlohmann::json::array())) {
    lines.push_back("trigger " + trigger.at("number").dump() + " at " + trigger.at("at").dump() +
                    " samples " + trigger.at("samples").dump() + " keys " +
                    trigger.at("training_set_digest").dump() + " weights " +
                    trigger.at("weights_digest").dump());
  }
  for (const auto& value : run.value("evaluations", nlohmann::json::array())) {
    lines.push_back("trigger " + value.at("trigger").dump() + " on " + value.at("from").dump() +
                    " " + value.at("measure").dump() + " = " + value.at("value").dump() + " of " +
                    value.at("samples").dump());
  }
  return lines;
}

// Returns the lines of a run of the small pipeline that nothing disturbs, which is made once. Its
// first line is "succeeded".
inline const std::vector<std::string>& UndisturbedRun() {
  static const std::vector<std::string> lines = [] {
    const Stack stack;
    const CommandResult result =
        stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--json"});
    if (result.exit_code != 0) return std::vector<std::string>{result.err};
    return Fingerprint(result.Json());
  }();
  return lines;
}

}  // namespace tidemill::tests
