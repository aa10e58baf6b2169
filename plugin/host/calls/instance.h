// A plug-in that was created, and calls of its functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "plugin/host/calls/guard.h"
#include "plugin/host/calls/settings.h"
#include "plugin/include/tidemill/plugin.h"

namespace tidemill::plugin::host {

// The reason that the plug-in gave with TidemillHost.fail for the failure of the last call, and the
// paths of its data files. Not movable.
class Failure {
 public:
  Failure()
      : face_{.host = {.size = sizeof(TidemillHost), .fail = &Fail, .file = &PathOf},
              .failure = this} {}
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  const TidemillHost* host() const { return &face_.host; }
  const std::string& where() const { return where_; }

  // Calls a function of the plug-in, which returns 0 for success. Returns the function's failure,
  // or the exception that it throws as a status.
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

  // Sets the paths of the data files, by their names.
  void Place(std::map<std::string, std::string> files) { files_ = std::move(files); }

 private:
  // The host as plug-ins see it. The address of the struct is the address of its first member.
  struct Face {
    TidemillHost host;
    Failure* failure;
  };

  static void Fail(const TidemillHost* host, const char* what, const char* where);
  static const char* PathOf(const TidemillHost* host, const char* name);

  const Face face_;
  bool is_set_ = false;
  std::string what_;
  std::string where_;
  std::map<std::string, std::string> files_;
};

// The plug-in's instance ends with this object. Thread-compatible.
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

  // Returns the state in base64.
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
