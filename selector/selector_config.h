// The `selector` section of the system configuration.
#pragma once

#include "base/config.h"

namespace tidemill::selector {

struct SelectorConfig {
  config::ByteSize memory_budget{int64_t{256} << 20};
  int num_threads = 2;

  void Fields(auto&& field) {
    field("memory_budget", memory_budget,
          "Bytes of candidates that one selection holds in memory; the rest waits in a file.",
          {.min = 1'048'576});
    field("num_threads", num_threads, "Threads that one selection draws with.",
          {.min = 1, .max = 256});
  }
};

}  // namespace tidemill::selector
