#include "cli/results/set_values.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "cli/terminal/text.h"
#include "supervisor/checks/set_values.h"

namespace tidemill::cli {

std::vector<std::string> SetValueTexts(const supervisor::v1::GetRunResponse& run) {
  std::vector<std::string> texts;
  for (const supervisor::v1::SetValue& set : run.set_values()) {
    supervisor::SetValue value{.key = set.key(), .value = set.value()};
    if (set.has_was()) value.was = set.was();
    value.was_default = set.was_default();
    texts.push_back(value.Text());
  }
  return texts;
}

std::string DescribeSetValues(const supervisor::v1::GetRunResponse& run) {
  std::string lines;
  for (const std::string& text : SetValueTexts(run)) {
    lines += fmt::format("set: {}\n", OneLine(text));
  }
  return lines;
}

std::string DescribeTrial(const supervisor::v1::Run& run) {
  if (!run.is_trial()) return "";
  return fmt::format(
      "this run is a trial: `tidemill predict {0}` and `tidemill models export {0}` keep to "
      "the model that they had; `tidemill run` with --promote gives them those of the run\n",
      Printable(run.pipeline_name()));
}

nlohmann::ordered_json SetValuesToJson(const supervisor::v1::GetRunResponse& run) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const supervisor::v1::SetValue& set : run.set_values()) {
    nlohmann::ordered_json was = nullptr;
    if (set.has_was()) was = set.was();
    list.push_back({{"key", set.key()},
                    {"value", set.value()},
                    {"was", was},
                    {"was_default", set.was_default()}});
  }
  return list;
}

}  // namespace tidemill::cli
