#include "supervisor/checks/set_values.h"

#include <utility>

#include "fmt/format.h"

#include "config/documents/overrides.h"

namespace tidemill::supervisor {
namespace {

// The pipeline without its overrides, every field with its value. Empty when it is not valid.
std::string PrintedWithout(const PipelineSource& source) {
  const auto plain = config::Decode<PipelineSpec>(
      {.text = source.text, .name = source.file_name, .variables = source.variables});
  return plain.problems.empty() ? config::Print(plain.value) : "";
}

}  // namespace

std::string SetValue::Text() const {
  const std::string before = !was          ? "not set before"
                             : was_default ? fmt::format("was {}, the default", *was)
                                           : fmt::format("was {}", *was);
  return fmt::format("{} = {} ({})", key, value, before);
}

std::vector<SetValue> SetValuesOf(const PipelineSource& source) {
  std::vector<SetValue> values;
  if (source.overrides.empty()) return values;
  const std::string printed = PrintedWithout(source);
  for (const config::Override& set : source.overrides) {
    SetValue value{.key = set.path, .value = set.value};
    value.was = config::FindValue({.text = source.text, .variables = source.variables}, set.path);
    if (!value.was) {
      value.was =
          config::FindValue({.text = printed, .max_bytes = config::kMaxKeptBytes}, set.path);
      value.was_default = value.was.has_value();
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace tidemill::supervisor
