#include "plugin/process/plugin_instance.h"

#include <limits>
#include <utility>

#include "base/logs/log.h"
#include "config/documents/problems.h"
#include "plugin/process/fault.h"

namespace tidemill::plugin {
using nlohmann::json;

PluginInstance::~PluginInstance() {
  if (run_ == nullptr || host_ == nullptr || !host_->is_running() || host_->is_worn()) return;
  run_->Leave(Hosted(), {.process = std::move(host_), .description = std::move(description_)});
}

void PluginInstance::InterruptWhen(std::function<bool()> is_unwanted) {
  is_unwanted_ = std::move(is_unwanted);
  if (host_ != nullptr) host_->InterruptWhen(is_unwanted_);
}

absl::Status PluginInstance::Load() {
  if (host_ != nullptr && host_->is_running() && !host_->is_worn()) return absl::OkStatus();
  host_ = nullptr;
  created_ = nullptr;
  std::optional<LoadedHost> left;
  if (run_ != nullptr) left = run_->Take(Hosted());
  if (!left) return Start();
  host_ = std::move(left->process);
  host_->InterruptWhen(is_unwanted_);
  description_ = std::move(left->description);
  return absl::OkStatus();
}

absl::Status PluginInstance::Start() {
  absl::Status failure;
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto host = StartHost(use_, settings_);
    if (host.ok()) (*host)->InterruptWhen(is_unwanted_);
    auto description = host.ok() ? LoadPlugin(**host, use_, kind_) : host.status();
    if (description.ok()) {
      host_ = *std::move(host);
      description_ = *std::move(description);
      if (run_ != nullptr) NoteStart();
      return absl::OkStatus();
    }
    failure = description.status();
    if (!absl::IsUnavailable(failure)) break;
    if (attempt == 0 && !IsOfMachine(failure)) NoteDeath(failure);
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
    if (attempt == 0) NoteDeath(ready);
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
    if (attempt == 0) NoteDeath(answer.status());
  }
  if (!answer.ok()) Replace(answer.status());
  return answer;
}

void PluginInstance::NoteStart() {
  log::Info("a plug-in's process runs",
            {{"plugin", use_.use}, {"process", std::to_string(host_->pid())}});
  run_->NoteStart();
}

void PluginInstance::NoteDeath(const absl::Status& death) {
  const std::string what(death.message());
  log::Warn("a plug-in's process died; starting another one",
            {{"plugin", use_.use}, {"error", what}});
  if (run_ != nullptr) run_->NoteDeath({.plugin = use_.use, .what = what});
}

void PluginInstance::Replace(const absl::Status& failure) {
  created_ = nullptr;
  const bool is_survived = absl::IsInvalidArgument(failure) && host_->is_running();
  if (!keeps_process_ || !is_survived) host_ = nullptr;
}

absl::StatusOr<json> PluginInstance::Call(const json& request) {
  return Call([&request](HostProcess&) { return request; });
}

absl::StatusOr<json> PluginInstance::CallOnce(const Request& request) {
  if (host_ == nullptr || created_.is_null()) {
    return FailedPrecondition("{}: it is called before an instance exists", use_.use);
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
