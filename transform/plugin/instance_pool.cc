#include "transform/plugin/instance_pool.h"

#include <algorithm>
#include <utility>

#include "transform/plugin/declared_op.h"

namespace tidemill::transform {

std::unique_ptr<plugin::PluginInstance> InstancePool::Take(const std::string& state) {
  std::unique_ptr<plugin::PluginInstance> taken;
  {
    MutexLock lock(mutex_);
    auto found = std::ranges::find_if(
        idle_, [&](const auto& instance) { return instance->state() == state; });
    if (found == idle_.end() && !idle_.empty()) found = idle_.begin();
    if (found != idle_.end()) {
      taken = std::move(*found);
      idle_.erase(found);
    }
  }
  if (taken == nullptr) taken = MakeOpInstance(use_, inputs_);
  // Not under the lock: it ends a process.
  if (taken->state() != state) taken->Restore(state);
  return taken;
}

void InstancePool::PutBack(std::unique_ptr<plugin::PluginInstance> instance) {
  MutexLock lock(mutex_);
  idle_.push_back(std::move(instance));
}

}  // namespace tidemill::transform
