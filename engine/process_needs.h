// What processes of a group need: the part that all groups have in the configuration.
#pragma once

#include <string>

#include "config/config.h"
#include "engine/engine.h"

namespace tidemill::engine {

// What each process of a group needs, and further arguments of its program.
struct ProcessNeeds {
  int processors = 0;
  config::ByteSize memory{0};
  int gpus = 0;
  std::string config = {};

  void NeedFields(auto& field) {
    field("processors", processors,
          "Processors of each process, of which the engine is asked. 0: as the engine gives.",
          {.min = 0, .max = 4096});
    field("memory", memory,
          "Memory of each process, of which the engine is asked. 0B: as the engine gives.",
          {.min = 0});
    field("config", config,
          "The system configuration of these processes, at a path that their hosts know. Empty: "
          "the path of the configuration of the service that starts them.");
  }
  Resources ToResources() const {
    return {.processors = processors, .memory_bytes = memory.bytes, .gpus = gpus};
  }
};

}  // namespace tidemill::engine
