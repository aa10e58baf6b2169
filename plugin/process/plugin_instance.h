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
#include "plugin/process/host_process.h"
#include "plugin/spec/declared_settings.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// What a plug-in says of itself.
struct Description {
  std::string kind = {};
  std::string name = {};
  std::string doc = {};
  // The author's; may be empty.
  std::string version = {};
  std::vector<DeclaredSetting> settings = {};
  // Of the interpreter and its libraries, by name.
  nlohmann::json versions = {};
  // "bwrap", or "plain": a process with limits, which can read the files of this user.
  std::string sandbox = {};
};

// Starts a host for a moment and asks. `kind` is what the plug-in has to be: "trigger". Fails as
// fault.h says. Thread-safe.
absl::StatusOr<Description> Describe(const PluginUse& use, std::string_view kind,
                                     const HostSettings& settings);

// Its process is started by the first call that needs one. When the process dies, another one takes
// its place, is given the state that was noted last, and gets the same call again: a plug-in is a
// function of its settings, its state and the call, so whoever killed the process changes nothing.
// A call of which two processes die is a fault of the plug-in. Failures are those of fault.h, and
// the next call after one begins at the noted state. Thread-compatible.
class PluginInstance {
 public:
  // `use` holds the program.
  PluginInstance(PluginUse use, std::string kind, uint64_t seed,
                 HostSettings settings = HostSettings::OfThisProcess())
      : use_(std::move(use)), kind_(std::move(kind)), seed_(seed), settings_(std::move(settings)) {}

  // What it says of itself with these settings: the answer to `create`.
  absl::StatusOr<nlohmann::json> Created();

  // Makes the request, with its columns; it may be asked to do so twice.
  using Request = std::function<absl::StatusOr<nlohmann::json>(HostProcess& host)>;
  absl::StatusOr<nlohmann::json> Call(const Request& request);
  absl::StatusOr<nlohmann::json> Call(const nlohmann::json& request);

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
  absl::Status Ready();
  absl::Status Start();

  const PluginUse use_;
  const std::string kind_;
  const uint64_t seed_;
  const HostSettings settings_;
  std::unique_ptr<HostProcess> host_;
  nlohmann::json created_;
  std::string state_;
};

}  // namespace tidemill::plugin
