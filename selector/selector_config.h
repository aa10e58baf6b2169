// The `selector` section of the system configuration.
#pragma once

#include "config/config.h"

namespace tidemill::selector {

struct SelectorConfig {
  config::ByteSize memory_budget{int64_t{256} << 20};
  int num_threads = 2;
  int num_workers = 2;
  config::ByteSize worker_memory{int64_t{512} << 20};

  void Fields(auto&& field) {
    field("memory_budget", memory_budget,
          "Bytes of candidates that one selection holds in memory. The rest waits in a file. A "
          "quarter as many are kept on top for the second pass over them.",
          {.min = 1'048'576});
    field("num_threads", num_threads, "Threads of one selection.", {.min = 1, .max = 256});
    field("num_workers", num_workers,
          "Processes that one selection uses at the same time, for policies that choose in parts.",
          {.min = 1, .max = 256});
    field("worker_memory", worker_memory, "Bytes of candidates that one of these processes holds.",
          {.min = 1'048'576});
  }
};

}  // namespace tidemill::selector
