#include "plugin/host/server.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/version.h"
#include "plugin/host/calls/guard.h"
#include "plugin/host/calls/json_fields.h"
#include "plugin/host/options.h"

namespace tidemill::plugin::host {

using nlohmann::json;
namespace {

// The data files after the plug-in's file, by their names.
std::map<std::string, std::string> FilesOf(const json& request) {
  std::map<std::string, std::string> files;
  int descriptor = kFirstData;
  for (const json& name : FieldOf(request, "files")) {
    if (name.is_string()) {
      files[name.get<std::string>()] = "/proc/self/fd/" + std::to_string(descriptor);
    }
    ++descriptor;
  }
  return files;
}

}  // namespace

Server::Server(std::string sandbox, Memories memories)
    : sandbox_(std::move(sandbox)),
      memories_(std::make_unique<const Memories>(memories)),
      failure_(std::make_unique<Failure>()),
      connection_(kSocket) {}

absl::StatusOr<Server> Server::Create(std::string sandbox) {
  ASSIGN_OR_RETURN(const Memory requests, Memory::Map(kRequests));
  ASSIGN_OR_RETURN(const Memory answers, Memory::Map(kAnswers, Memory::Access::kWrite));
  return Server(std::move(sandbox), {.requests = requests, .answers = answers});
}

void Server::Run() {
  const json hello = {{"hello", 1},
                      {"language", "c++"},
                      {"versions", {{"tidemill", kVersion}, {"compiler", __VERSION__}}},
                      {"sandbox", sandbox_}};
  bool has_owner = connection_.Send(hello);
  while (has_owner) {
    const std::optional<json> request = connection_.Receive();
    if (!request.has_value()) break;
    const json answer = Answer(*request);
    // The plug-in's output arrives before the answer does.
    std::fflush(nullptr);
    has_owner = connection_.Send(answer);
  }
  // The plug-in's own last words could take forever.
  _exit(0);
}

json Server::Answer(const json& request) {
  const absl::StatusOr<std::string> call = TextOf(request, "call");
  failure_->Clear();
  absl::StatusOr<json> answer;
  // Memory may be short on this side of the contract, too.
  const absl::Status guarded =
      call.ok() ? Guard([&] { answer = Handle(*call, request); }) : call.status();
  if (!guarded.ok()) answer = guarded;
  if (answer.ok()) {
    (*answer)["ok"] = true;
    return *std::move(answer);
  }
  const std::string where = failure_->where().empty() ? call.value_or("") : failure_->where();
  return FaultOf(std::string(answer.status().message()), where);
}

absl::StatusOr<json> Server::Handle(const std::string& call, const json& request) {
  if (call == "load") return Load(request);
  if (call == "list") {
    ASSIGN_OR_RETURN(const std::string file, TextOf(request, "file"));
    failure_->Place(FilesOf(request));
    ASSIGN_OR_RETURN(json plugins, ListPlugins(file));
    return json{{"plugins", std::move(plugins)}};
  }
  if (plugin_ == nullptr) return FailedPrecondition("no plug-in is loaded");
  if (call == "create") return Create(request);
  if (kind_ == nullptr) return FailedPrecondition("the plug-in was not created");
  if (call == "seal") {
    ASSIGN_OR_RETURN(std::string state, instance_->Seal());
    return json{{"state", std::move(state)}};
  }
  if (call == "restore") {
    ASSIGN_OR_RETURN(const std::string state, TextOf(request, "state"));
    RETURN_IF_ERROR(instance_->Restore(state));
    return json::object();
  }
  return kind_->Call(call, request);
}

absl::StatusOr<json> Server::Load(const json& request) {
  ASSIGN_OR_RETURN(const std::string file, TextOf(request, "file"));
  ASSIGN_OR_RETURN(const std::string name, TextOf(request, "name"));
  ASSIGN_OR_RETURN(const std::string kind, TextOf(request, "kind"));
  failure_->Place(FilesOf(request));
  ASSIGN_OR_RETURN(LoadedPlugin loaded, LoadPlugin(file, name, kind));
  kind_ = nullptr;
  instance_ = nullptr;
  plugin_ = std::make_unique<LoadedPlugin>(std::move(loaded));
  return json{{"plugin", plugin_->description}};
}

absl::StatusOr<json> Server::Create(const json& request) {
  ASSIGN_OR_RETURN(const int64_t seed, WholeOf(request, "seed"));
  ASSIGN_OR_RETURN(const Values values,
                   Values::Read(plugin_->settings, FieldOf(request, "settings")));
  kind_ = nullptr;
  instance_ = nullptr;
  ASSIGN_OR_RETURN(
      instance_, Instance::Create(plugin_->plugin, values, static_cast<uint64_t>(seed), *failure_));
  auto kind = plugin_->kind->make(plugin_->plugin.functions, *instance_, *memories_);
  ASSIGN_OR_RETURN(json created, kind->Created(request));
  kind_ = std::move(kind);
  return created;
}

}  // namespace tidemill::plugin::host
