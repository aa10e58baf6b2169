// The section `preprocess_worker` of the system configuration.
#pragma once

#include <string>

#include "config/config.h"

namespace tidemill::preprocess {

struct WorkerConfig {
  std::string name = {};
  std::string endpoint = {};
  int threads = 0;
  config::ByteSize budget{int64_t{256} << 20};

  void Fields(auto&& field) {
    field("name", name,
          "Names a worker among the others, for good. Without it, the address that it serves at.");
    field("endpoint", endpoint,
          "Where trainings reach it, when that is another address than the one it serves at: "
          "unix:/path or host:port.");
    field("threads", threads, "Threads that prepare samples; 0 for one per processor.",
          {.min = 0, .max = 1024});
    field("budget", budget,
          "Prepared batches that wait to be sent; what is being prepared comes on top.");
  }
};

}  // namespace tidemill::preprocess
