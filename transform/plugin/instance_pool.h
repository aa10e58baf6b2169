// Instances of a user's op, each with its own process, for the threads that run it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/spec/plugin_use.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Holds at most as many instances as there were concurrent threads. Thread-safe.
class InstancePool {
 public:
  InstancePool(plugin::PluginUse use, std::vector<ColumnSchema> inputs)
      : use_(std::move(use)), inputs_(std::move(inputs)) {}

  // Returns an instance with the learnt state `state`, in base64, "" for none. Prefers an idle
  // instance that already has this state.
  std::unique_ptr<plugin::PluginInstance> Take(const std::string& state)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void PutBack(std::unique_ptr<plugin::PluginInstance> instance) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const plugin::PluginUse use_;
  const std::vector<ColumnSchema> inputs_;
  Mutex mutex_;
  std::vector<std::unique_ptr<plugin::PluginInstance>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::transform
