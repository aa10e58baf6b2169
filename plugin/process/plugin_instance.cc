#include "plugin/process/plugin_instance.h"

#include <limits>
#include <utility>

#include "absl/strings/escaping.h"

#include "base/printable.h"
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
absl::StatusOr<Description> AskForDescription(HostProcess& host, const PluginUse& use,
                                              std::string_view kind) {
  ASSIGN_OR_RETURN(const json answer, host.Call({{"call", "load"},
                                                 {"file", use.file()},
                                                 {"name", use.name()},
                                                 {"kind", std::string(kind)}},
                                                use.timeout));
  const json said = ObjectAt(answer, "plugin");
  Description description{.kind = TextAt(said, "kind"),
                          .name = TextAt(said, "name"),
                          .doc = Printable(TextAt(said, "doc")),
                          .version = Printable(TextAt(said, "version")),
                          .versions = ObjectAt(host.hello(), "versions"),
                          .sandbox = Printable(TextAt(host.hello(), "sandbox"))};
  auto declared = ReadDeclared(ListAt(said, "settings"));
  if (!declared.ok()) {
    return InvalidArgument("{}: {}", use.use, std::string(declared.status().message()));
  }
  description.settings = *std::move(declared);
  return description;
}

}  // namespace

absl::Status PluginInstance::Load() {
  if (host_ != nullptr && host_->is_running() && !host_->is_worn()) return absl::OkStatus();
  absl::Status failure;
  for (int attempt = 0; attempt < 2; ++attempt) {
    host_ = nullptr;
    created_ = nullptr;
    auto host = StartHost(use_, settings_);
    auto description = host.ok() ? AskForDescription(**host, use_, kind_) : host.status();
    if (description.ok()) {
      host_ = *std::move(host);
      description_ = *std::move(description);
      return absl::OkStatus();
    }
    failure = description.status();
    if (!absl::IsUnavailable(failure)) break;
  }
  return failure;
}

absl::Status PluginInstance::Create() {
  config::Problems problems;
  const json settings = SettingsOf(description_.settings, use_.with, problems);
  RETURN_IF_ERROR(Annotate(problems.ToStatus(), use_.use));
  constexpr auto kGreatestSeed = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  json request = create_with_;
  request.update({{"call", "create"}, {"settings", settings}, {"seed", seed_ & kGreatestSeed}});
  ASSIGN_OR_RETURN(json created, host_->Call(request, use_.timeout));
  if (!state_.empty()) {
    RETURN_IF_ERROR(host_->Call({{"call", "restore"}, {"state", state_}}, use_.timeout).status());
  }
  created_ = std::move(created);
  return absl::OkStatus();
}

absl::Status PluginInstance::Ready() {
  absl::Status ready;
  for (int attempt = 0; attempt < 2; ++attempt) {
    RETURN_IF_ERROR(Load());
    if (!created_.is_null()) return absl::OkStatus();
    ready = Create();
    if (!absl::IsUnavailable(ready)) break;
  }
  if (!ready.ok()) host_ = nullptr;
  return ready;
}

absl::StatusOr<Description> PluginInstance::Describe() {
  RETURN_IF_ERROR(Load());
  return description_;
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

absl::StatusOr<json> PluginInstance::CallOnce(const Request& request) {
  if (host_ == nullptr || created_.is_null()) {
    return FailedPrecondition("{}: it is asked before there is an instance", use_.use);
  }
  host_->BeginColumns();
  absl::StatusOr<json> said = request(*host_);
  absl::StatusOr<json> answer = said.ok() ? host_->Call(*said, use_.timeout) : said;
  if (!answer.ok()) host_ = nullptr;
  return answer;
}

void PluginInstance::Restore(std::string state) {
  state_ = std::move(state);
  host_ = nullptr;
}

}  // namespace tidemill::plugin
