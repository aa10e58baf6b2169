#include "plugin/process/taken_plugin.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "plugin/process/fault.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::plugin {
namespace {

using nlohmann::json;

// The seed of calls at submission, which draw nothing.
constexpr uint64_t kSeed = 0;
// It is stored with the pipeline.
constexpr size_t kMaxDeclaredBytes = size_t{64} << 10;

// "surprise.py:Surprise 1.2 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
std::string DescribeHost(const PluginUse& use, const Description& description) {
  std::string versions;
  for (const auto& [name, version] : description.versions.items()) {
    if (!version.is_string()) continue;
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", Printable(name),
                            Printable(version.get<std::string>()));
  }
  return fmt::format("{}{}{} ({}; sandbox: {})", use.use, description.version.empty() ? "" : " ",
                     description.version, versions, description.sandbox);
}

// Takes in the data files. False after a problem.
bool TakeData(PluginUse& use, config::NamedFiles& files, config::Problems& problems) {
  if (use.contents.size() == use.files.size()) return true;
  const size_t before = problems.items().size();
  use.contents.clear();
  for (size_t i = 0; i < use.files.size(); ++i) {
    const auto bytes =
        files.Read(use.files[i], kMaxDataBytes, fmt::format("files[{}]", i), problems);
    use.contents.push_back(bytes ? absl::Base64Escape(*bytes) : "");
  }
  return problems.items().size() == before;
}

// Asks the plug-in what it is, with these settings; null after a problem.
absl::StatusOr<json> Ask(PluginUse& use, std::string_view kind, config::Problems& problems,
                         const CheckCreated& check) {
  PluginInstance instance(use, std::string(kind), kSeed);
  ASSIGN_OR_RETURN(const Description description, instance.Describe());
  const size_t before = problems.items().size();
  SettingsOf(description.settings, use.with, problems);
  if (problems.items().size() > before) return json();
  json declared = {{"doc", description.doc}, {"sandbox", description.sandbox}};
  if (check) {
    ASSIGN_OR_RETURN(declared["created"], instance.Created());
    const absl::Status makes_sense = check(declared["created"]);
    if (!makes_sense.ok()) {
      return InvalidArgument("{}: {}", use.use, std::string(makes_sense.message()));
    }
  }
  use.runs_with = DescribeHost(use, description);
  return declared;
}

std::string HintFor(const absl::Status& failure) {
  const std::string traceback = TracebackOf(failure);
  if (failure.message().find("ModuleNotFoundError") != absl::string_view::npos) {
    return fmt::format(
        "install it for {}, which runs plug-ins, or name another Python in "
        "cluster.plugins.python\n{}",
        HostSettings::OfThisProcess().python, traceback);
  }
  return traceback.empty() ? "see the guide on policies of your own" : traceback;
}

json DeclaredOf(const PluginUse& use) {
  return json::parse(use.declared, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

void TakePlugin(PluginUse& use, std::string_view kind, config::NamedFiles& files,
                config::Problems& problems, const CheckCreated& check) {
  if (use.file().empty()) return;  // Noted by Check().
  const config::ByteSize most = HostSettings::OfThisProcess().memory;
  if (use.memory > most) {
    problems.Add("memory",
                 fmt::format("{} is more than plug-ins may have here, which is {}",
                             config::FormatByteSize(use.memory), config::FormatByteSize(most)),
                 "ask for less, or have an administrator raise cluster.plugins.memory");
    return;
  }
  if (use.program.empty()) {
    const auto bytes = files.Read(use.file(), kMaxFileBytes, "use", problems);
    if (!bytes) return;
    use.program = absl::Base64Escape(*bytes);
  }
  if (!TakeData(use, files, problems)) return;
  const auto declared = Ask(use, kind, problems, check);
  if (!declared.ok()) {
    problems.Add("use", std::string(declared.status().message()), HintFor(declared.status()));
    return;
  }
  if (declared->is_null()) return;
  use.declared = declared->dump();
  if (use.declared.size() <= kMaxDeclaredBytes) return;
  problems.Add("use",
               fmt::format("{} says {} bytes of itself, and {} is the most", use.use,
                           use.declared.size(), kMaxDeclaredBytes),
               "shorten what describes it");
}

absl::StatusOr<json> CreatedOf(const PluginUse& use) {
  const json declared = DeclaredOf(use);
  if (declared.is_object()) return declared.value("created", json());
  return FailedPrecondition("{}: the pipeline does not hold the plug-in's declaration", use.use);
}

HostSettings HostSettingsOf(const PluginUse& use) {
  auto settings = HostSettings::OfThisProcess();
  const json declared = DeclaredOf(use);
  const std::string before = declared.is_object() ? TextAt(declared, "sandbox") : "";
  if (before == "bwrap" && settings.sandbox == "auto") settings.sandbox = "bwrap";
  return settings;
}

}  // namespace tidemill::plugin
