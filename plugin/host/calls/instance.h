// A plug-in that was created, and calls of its functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "plugin/host/calls/guard.h"
#include "plugin/host/calls/settings.h"
#include "plugin/include/tidemill/plugin.h"

namespace tidemill::plugin::host {

// Why the last call failed, as the plug-in says by TidemillHost.fail. Stays where it is.
class Failure {
 public:
  Failure() : face_{.host = {.size = sizeof(TidemillHost), .fail = &Fail}, .failure = this} {}
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  const TidemillHost* host() const { return &face_.host; }
  const std::string& where() const { return where_; }

  // Calls a function of the plug-in, which returns 0 for success. Fails as the function does, also
  // with what it throws.
  template <typename Function>
  absl::Status Call(std::string_view name, const Function& function) {
    Clear();
    int failed = 0;
    RETURN_IF_ERROR(Guard([&] { failed = function(); }));
    if (failed == 0 && !is_set_) return absl::OkStatus();
    if (!is_set_) return Internal("{} failed and gave no reason", name);
    return Internal("{}", what_);
  }

  void Clear();

 private:
  // What plug-ins are given: its address is that of its first member.
  struct Face {
    TidemillHost host;
    Failure* failure;
  };

  static void Fail(const TidemillHost* host, const char* what, const char* where);

  const Face face_;
  bool is_set_ = false;
  std::string what_;
  std::string where_;
};

// Ends with its object. Thread-compatible.
class Instance {
 public:
  // `plugin` and `failure` outlive it.
  static absl::StatusOr<std::unique_ptr<Instance>> Create(const TidemillPlugin& plugin,
                                                          const Values& values, uint64_t seed,
                                                          Failure& failure);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void* self() const { return self_; }

  template <typename Function>
  absl::Status Call(std::string_view name, const Function& function) {
    return failure_.Call(name, function);
  }

  // In base64.
  absl::StatusOr<std::string> Seal();
  absl::Status Restore(const std::string& state);

 private:
  Instance(const TidemillPlugin& plugin, void* self, Failure& failure)
      : plugin_(plugin), self_(self), failure_(failure) {}

  const TidemillPlugin& plugin_;
  void* const self_;
  Failure& failure_;
};

}  // namespace tidemill::plugin::host
