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
    field(
        "name", name,
        "The worker's permanent name among the others. By default the address that it serves at.");
    field("endpoint", endpoint,
          "Where trainings reach the worker, if that is not the address that it serves at: "
          "unix:/path or host:port.");
    field("threads", threads, "Threads that prepare samples. 0: one for each processor.",
          {.min = 0, .max = 1024});
    field("budget", budget,
          "Bytes of prepared batches that wait to be sent. Batches that are being prepared are not "
          "counted.");
  }
};

}  // namespace tidemill::preprocess
