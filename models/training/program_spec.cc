#include "models/training/program_spec.h"

#include <set>
#include <string_view>

#include "fmt/format.h"

namespace tidemill::models {
namespace {

constexpr Duration kDefaultTimeout{600'000'000};
constexpr config::ByteSize kDefaultMemory{int64_t{4} << 30};

}  // namespace

void ProgramSpec::Check(TrainingType type, config::Problems& problems) const {
  if (type == TrainingType::kNetwork) {
    const std::pair<std::string_view, bool> given[] = {
        {"run", run.has_value()},         {"requirements", requirements.has_value()},
        {"with", with.has_value()},       {"files", files.has_value()},
        {"timeout", timeout.has_value()}, {"memory", memory.has_value()}};
    for (const auto& [key, is_given] : given) {
      if (is_given) problems.Add(key, "is for a program that trains", "write type: program");
    }
    return;
  }
  const plugin::PluginUse use = Use();
  if (!run) {
    problems.Add("run", "is missing: it names the program that trains", "write run: train.py:main");
  } else if (use.file().empty() || use.name().empty() || !use.file().ends_with(".py")) {
    problems.Add("run", fmt::format("'{}' does not name a Python file and a function in it", *run),
                 "write run: train.py:main");
  }
  std::set<std::string> known = {""};
  for (size_t i = 0; i < use.files.size(); ++i) {
    if (known.insert(use.files[i]).second) continue;
    problems.Add(
        fmt::format("files[{}]", i),
        use.files[i].empty() ? "names no file" : fmt::format("names {} again", use.files[i]),
        "leave it out");
  }
}

plugin::PluginUse ProgramSpec::Use() const {
  plugin::PluginUse use;
  use.use = run.value_or("");
  use.program = program.value_or("");
  use.files = files.value_or(std::vector<std::string>());
  use.contents = contents.value_or(std::vector<std::string>());
  use.with = with.value_or(std::map<std::string, config::OpenValue>());
  use.timeout = timeout.value_or(kDefaultTimeout);
  use.memory = memory.value_or(kDefaultMemory);
  use.declared = declared.value_or("");
  use.runs_with = runs_with;
  use.requirements = requirements.value_or(std::vector<std::string>());
  return use;
}

void ProgramSpec::Keep(plugin::PluginUse taken) {
  if (!taken.program.empty()) program = std::move(taken.program);
  if (!taken.contents.empty()) contents = std::move(taken.contents);
  if (!taken.declared.empty()) declared = std::move(taken.declared);
  runs_with = std::move(taken.runs_with);
}

}  // namespace tidemill::models
