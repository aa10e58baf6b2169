// A plug-in with its settings, whatever process it lives in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/process/description.h"
#include "plugin/process/host_process.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// A plug-in in its process, which is started by the first call that needs one. When the process
// dies, another one takes its place, is given the state that was noted last, and gets the same call
// again: a plug-in is a function of its settings, its state and the call, so whoever killed the
// process changes nothing. A call of which two processes die is a fault of the plug-in. Failures
// are those of fault.h, and the next call after one begins at the noted state. Thread-compatible.
class PluginInstance {
 public:
  // `use` holds the program. `create_with` is what `create` has besides settings and seed, an
  // object.
  PluginInstance(PluginUse use, std::string kind, uint64_t seed,
                 HostSettings settings = HostSettings::OfThisProcess(),
                 nlohmann::json create_with = nlohmann::json::object())
      : use_(std::move(use)),
        kind_(std::move(kind)),
        seed_(seed),
        settings_(std::move(settings)),
        create_with_(std::move(create_with)) {}

  // For a plug-in that is asked so often that a process for each of its faults would take too long:
  // after a fault that its process survives, another instance takes its place in that process.
  void KeepProcess() { keeps_process_ = true; }

  // What it says of itself, whatever its settings.
  absl::StatusOr<Description> Describe();

  // What it says of itself with these settings: the answer to `create`. INVALID_ARGUMENT when
  // `with` is not what it declares.
  absl::StatusOr<nlohmann::json> Created();

  // Makes the request, with its columns; it may be asked to do so twice.
  using Request = std::function<absl::StatusOr<nlohmann::json>(HostProcess& host)>;
  absl::StatusOr<nlohmann::json> Call(const Request& request);
  absl::StatusOr<nlohmann::json> Call(const nlohmann::json& request);

  // Makes a call of the process that Created() has found or started, for a kind that remembers what
  // many calls have told it: another process would not have heard them. So a process that dies is
  // not replaced, and the call is UNAVAILABLE. After any failure Created() starts anew.
  absl::StatusOr<nlohmann::json> CallOnce(const Request& request);

  // The columns of the last answer; valid until the next call.
  absl::StatusOr<batch::Batch> Columns(const nlohmann::json& answer) const {
    return host_->Columns(answer);
  }

  // The state behind the last call, in base64, as the plug-in gave it: what a new process is given.
  // The living process is taken to be in this state.
  void Note(std::string state) { state_ = std::move(state); }
  // Goes on from another state.
  void Restore(std::string state);
  const std::string& state() const { return state_; }

  // The process, for tests; 0 for none.
  pid_t pid() const { return host_ == nullptr ? 0 : host_->pid(); }

 private:
  // Starts a process that has loaded the file; starts another one when it died over that.
  absl::Status Load();
  // Makes an instance in it, in the noted state.
  absl::Status Create();
  absl::Status Ready();
  // What a failed call has left behind nobody knows: another instance answers the next one.
  void Replace(const absl::Status& failure);

  const PluginUse use_;
  const std::string kind_;
  const uint64_t seed_;
  const HostSettings settings_;
  const nlohmann::json create_with_;
  std::unique_ptr<HostProcess> host_;
  Description description_;
  // Null while the process has no instance.
  nlohmann::json created_;
  std::string state_;
  bool keeps_process_ = false;
};

}  // namespace tidemill::plugin
