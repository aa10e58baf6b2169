#include "plugin/host/calls/instance.h"

#include "absl/strings/escaping.h"

namespace tidemill::plugin::host {

void Failure::Clear() {
  is_set_ = false;
  what_.clear();
  where_.clear();
}

void Failure::Fail(const TidemillHost* host, const char* what, const char* where) {
  Failure& failure = *reinterpret_cast<const Face*>(host)->failure;
  failure.is_set_ = true;
  failure.what_ = what != nullptr ? what : "it gave no reason";
  failure.where_ = where != nullptr ? where : "";
}

const char* Failure::PathOf(const TidemillHost* host, const char* name) {
  const auto& files = reinterpret_cast<const Face*>(host)->failure->files_;
  const auto found = files.find(name != nullptr ? name : "");
  return found == files.end() ? nullptr : found->second.c_str();
}

absl::StatusOr<std::unique_ptr<Instance>> Instance::Create(const TidemillPlugin& plugin,
                                                           const Values& values, uint64_t seed,
                                                           Failure& failure) {
  void* self = nullptr;
  RETURN_IF_ERROR(failure.Call("create", [&] {
    self = plugin.create(failure.host(), values.all().data(), values.all().size(), seed);
    return self == nullptr ? 1 : 0;
  }));
  return std::unique_ptr<Instance>(new Instance(plugin, self, failure));
}

Instance::~Instance() {
  Guard([this] { plugin_.destroy(self_); }).IgnoreError();
}

absl::StatusOr<std::string> Instance::Seal() {
  if (plugin_.seal == nullptr) return std::string();
  TidemillBytes state = {};
  RETURN_IF_ERROR(Call("seal", [&] { return plugin_.seal(self_, &state); }));
  if (state.data == nullptr) return std::string();
  return absl::Base64Escape({static_cast<const char*>(state.data), state.size});
}

absl::Status Instance::Restore(const std::string& state) {
  std::string bytes;
  if (!absl::Base64Unescape(state, &bytes)) return InvalidArgument("the state is not base64");
  if (plugin_.restore == nullptr) {
    if (bytes.empty()) return absl::OkStatus();
    return FailedPrecondition("it has no state, but got {} bytes to restore", bytes.size());
  }
  return Call("restore",
              [&] { return plugin_.restore(self_, {.data = bytes.data(), .size = bytes.size()}); });
}

}  // namespace tidemill::plugin::host
