// A plug-in with its settings, independent of the process in which it runs.
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
#include "plugin/process/run_hosts.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// A plug-in in its process, which is started by the first call that needs one. When the process
// dies, a new process gets the state that was noted last, and then the same call: a plug-in is a
// function of its settings, its state and the call, so a killed process changes nothing. A call
// during which two processes die is a fault of the plug-in. Errors are as in fault.h. The call
// after a failure begins at the noted state. Thread-compatible.
class PluginInstance {
 public:
  // `use` holds the program. `create_with` is an object: the fields of `create` besides settings
  // and seed.
  PluginInstance(PluginUse use, std::string kind, uint64_t seed,
                 HostSettings settings = HostSettings::OfThisProcess(),
                 nlohmann::json create_with = nlohmann::json::object())
      : use_(std::move(use)),
        kind_(std::move(kind)),
        seed_(seed),
        settings_(std::move(settings)),
        create_with_(std::move(create_with)) {}
  ~PluginInstance();
  PluginInstance(const PluginInstance&) = delete;
  PluginInstance& operator=(const PluginInstance&) = delete;

  // For a plug-in that is called so often that a new process after each fault would take too long:
  // after a fault that the process survives, a new instance is created in the same process.
  void KeepProcess() { keeps_process_ = true; }

  // As HostProcess::InterruptWhen(), whichever process it has.
  void InterruptWhen(std::function<bool()> is_unwanted);

  // Takes its process from those of the run, and leaves it there when this object ends. Call it
  // before any call that needs a process.
  void BelongTo(std::shared_ptr<RunHosts> run) { run_ = std::move(run); }

  // Returns the description of the plug-in, which does not depend on its settings.
  absl::StatusOr<Description> Describe();

  // Returns the answer to `create`: the declaration of the plug-in with these settings.
  // INVALID_ARGUMENT when `with` does not match the settings that it declares.
  absl::StatusOr<nlohmann::json> Created();

  // Makes the request, with its columns. May be called twice.
  using Request = std::function<absl::StatusOr<nlohmann::json>(HostProcess& host)>;
  absl::StatusOr<nlohmann::json> Call(const Request& request);
  absl::StatusOr<nlohmann::json> Call(const nlohmann::json& request);

  // Calls the process that Created() has found or started, for a kind whose instances remember
  // earlier calls: a new process would not know them. So a process that dies is not replaced, and
  // the call is UNAVAILABLE. After any failure Created() starts again.
  absl::StatusOr<nlohmann::json> CallOnce(const Request& request);

  // Tells the log and the run that another process takes the place of one that died.
  void NoteDeath(const absl::Status& death);

  // The columns of the last answer; valid until the next call.
  absl::StatusOr<batch::Batch> Columns(const nlohmann::json& answer) const {
    return host_->Columns(answer);
  }

  // Sets the state after the last call, in base64, as the plug-in returned it. A new process gets
  // it. The running process is assumed to be in this state.
  void Note(std::string state) { state_ = std::move(state); }
  // Continues from another state.
  void Restore(std::string state);
  const std::string& state() const { return state_; }

  // The process, for tests; 0 for none.
  pid_t pid() const { return host_ == nullptr ? 0 : host_->pid(); }

 private:
  // Takes a process that has loaded the file from the run, or starts one.
  absl::Status Load();
  void NoteStart();
  // Starts a process that loads the file; starts another one when the first dies while loading.
  absl::Status Start();
  // Creates an instance in the process, in the noted state.
  absl::Status Create();
  absl::Status Ready();
  // Replaces the instance, because its state after a failed call is unknown.
  void Replace(const absl::Status& failure);
  HostedPlugin Hosted() const { return {.use = use_, .kind = kind_, .settings = settings_}; }

  const PluginUse use_;
  const std::string kind_;
  const uint64_t seed_;
  const HostSettings settings_;
  const nlohmann::json create_with_;
  // Null unless the instance belongs to a run.
  std::shared_ptr<RunHosts> run_;
  std::unique_ptr<HostProcess> host_;
  Description description_;
  // Null while the process has no instance.
  nlohmann::json created_;
  std::string state_;
  bool keeps_process_ = false;
  std::function<bool()> is_unwanted_;
};

}  // namespace tidemill::plugin
