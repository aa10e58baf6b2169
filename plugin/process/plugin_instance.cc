#include "plugin/process/plugin_instance.h"

#include <limits>
#include <utility>

#include "absl/strings/escaping.h"

#include "config/problems.h"
#include "plugin/process/fault.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::plugin {
namespace {

using nlohmann::json;

absl::StatusOr<std::unique_ptr<HostProcess>> StartHost(const PluginUse& use,
                                                       const HostSettings& settings) {
  HostOptions options{.language = use.language(),
                      .use = use.use,
                      .memory_bytes = use.memory.bytes,
                      .settings = settings};
  if (!absl::Base64Unescape(use.program, &options.program) || options.program.empty()) {
    return FailedPrecondition("{}: the pipeline does not hold the file", use.use);
  }
  return HostProcess::Start(options);
}

// Loads the file and reads what it says of the plug-in.
absl::StatusOr<Description> Load(HostProcess& host, const PluginUse& use, std::string_view kind) {
  ASSIGN_OR_RETURN(const json answer, host.Call({{"call", "load"},
                                                 {"file", use.file()},
                                                 {"name", use.name()},
                                                 {"kind", std::string(kind)}},
                                                use.timeout));
  const json said = answer.value("plugin", json::object());
  Description description{.kind = TextAt(said, "kind"),
                          .name = TextAt(said, "name"),
                          .doc = TextAt(said, "doc"),
                          .version = TextAt(said, "version"),
                          .versions = host.hello().value("versions", json::object()),
                          .sandbox = TextAt(host.hello(), "sandbox")};
  auto declared = ReadDeclared(said.value("settings", json::array()));
  if (!declared.ok()) {
    return InvalidArgument("{}: {}", use.use, std::string(declared.status().message()));
  }
  description.settings = *std::move(declared);
  return description;
}

}  // namespace

absl::StatusOr<Description> Describe(const PluginUse& use, std::string_view kind,
                                     const HostSettings& settings) {
  ASSIGN_OR_RETURN(const auto host, StartHost(use, settings));
  return Load(*host, use, kind);
}

absl::Status PluginInstance::Start() {
  ASSIGN_OR_RETURN(auto host, StartHost(use_, settings_));
  ASSIGN_OR_RETURN(const Description description, Load(*host, use_, kind_));
  config::Problems problems;
  const json settings = SettingsOf(description.settings, use_.with, problems);
  RETURN_IF_ERROR(Annotate(problems.ToStatus(), use_.use));
  constexpr auto kGreatestSeed = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  ASSIGN_OR_RETURN(
      created_,
      host->Call({{"call", "create"}, {"settings", settings}, {"seed", seed_ & kGreatestSeed}},
                 use_.timeout));
  if (!state_.empty()) {
    RETURN_IF_ERROR(host->Call({{"call", "restore"}, {"state", state_}}, use_.timeout).status());
  }
  host_ = std::move(host);
  return absl::OkStatus();
}

absl::Status PluginInstance::Ready() {
  if (host_ != nullptr && host_->is_running()) return absl::OkStatus();
  host_ = nullptr;
  const absl::Status started = Start();
  return absl::IsUnavailable(started) ? Start() : started;
}

absl::StatusOr<json> PluginInstance::Created() {
  RETURN_IF_ERROR(Ready());
  return created_;
}

absl::StatusOr<json> PluginInstance::Call(const Request& request) {
  absl::StatusOr<json> answer;
  for (int attempt = 0; attempt < 2; ++attempt) {
    RETURN_IF_ERROR(Ready());
    host_->BeginColumns();
    ASSIGN_OR_RETURN(const json said, request(*host_));
    answer = host_->Call(said, use_.timeout);
    if (!absl::IsUnavailable(answer.status())) break;
  }
  // What a failed call has left behind in the process nobody knows.
  if (!answer.ok()) host_ = nullptr;
  return answer;
}

absl::StatusOr<json> PluginInstance::Call(const json& request) {
  return Call([&request](HostProcess&) { return request; });
}

void PluginInstance::Restore(std::string state) {
  state_ = std::move(state);
  host_ = nullptr;
}

}  // namespace tidemill::plugin
