#include "plugin/process/description.h"

#include <memory>
#include <utility>

#include "absl/strings/escaping.h"

#include "base/printable.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::plugin {
namespace {

using nlohmann::json;

// Reads what the host says about a plug-in.
absl::StatusOr<Description> ReadDescription(const json& said, const HostProcess& host,
                                            const PluginUse& use) {
  Description description{.kind = TextAt(said, "kind"),
                          .name = TextAt(said, "name"),
                          .doc = Printable(TextAt(said, "doc"), "\n"),
                          .version = Printable(TextAt(said, "version")),
                          .versions = ObjectAt(host.hello(), "versions"),
                          .sandbox = Printable(TextAt(host.hello(), "sandbox")),
                          .problem = Printable(TextAt(said, "problem"))};
  auto declared = ReadDeclared(ListAt(said, "settings"));
  if (!declared.ok()) {
    return InvalidArgument("{}: {}", use.use, std::string(declared.status().message()));
  }
  description.settings = *std::move(declared);
  return description;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HostProcess>> StartHost(const PluginUse& use,
                                                       const HostSettings& settings) {
  HostOptions options{.language = use.language(),
                      .use = use.use,
                      .memory_bytes = use.memory.bytes,
                      .answers_bytes = use.answers_bytes,
                      .num_threads = use.num_threads,
                      .settings = settings};
  if (!absl::Base64Unescape(use.program, &options.program) || options.program.empty()) {
    return FailedPrecondition("{}: the pipeline does not hold the file", use.use);
  }
  for (size_t i = 0; i < use.files.size(); ++i) {
    if (i >= use.contents.size() ||
        !absl::Base64Unescape(use.contents[i], &options.files.emplace_back())) {
      return FailedPrecondition("{}: the pipeline does not hold the file {}", use.use,
                                use.files[i]);
    }
  }
  return HostProcess::Start(options);
}

absl::StatusOr<Description> LoadPlugin(HostProcess& host, const PluginUse& use,
                                       std::string_view kind) {
  json request = {{"call", "load"},
                  {"file", use.file()},
                  {"files", use.files},
                  {"name", use.name()},
                  {"kind", std::string(kind)}};
  if (!use.requirements.empty()) request["requirements"] = use.requirements;
  ASSIGN_OR_RETURN(const json answer, host.Call(request, use.timeout));
  return ReadDescription(ObjectAt(answer, "plugin"), host, use);
}

absl::StatusOr<std::vector<Description>> ListPlugins(const PluginUse& use,
                                                     const HostSettings& settings) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HostProcess> host, StartHost(use, settings));
  ASSIGN_OR_RETURN(
      const json answer,
      host->Call({{"call", "list"}, {"file", use.file()}, {"files", use.files}}, use.timeout));
  std::vector<Description> descriptions;
  for (const json& said : ListAt(answer, "plugins")) {
    ASSIGN_OR_RETURN(descriptions.emplace_back(), ReadDescription(said, *host, use));
  }
  return descriptions;
}

}  // namespace tidemill::plugin
