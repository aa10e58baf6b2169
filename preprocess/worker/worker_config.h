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
  config::ByteSize share_window{int64_t{256} << 20};

  void Fields(auto&& field) {
    field("name", name,
          "The worker's permanent name among the others: a second one of this name ends the first. "
          "By "
          "default one of its host, pod or job, with a number, or the socket that it serves at.");
    field("endpoint", endpoint,
          "Where trainings reach the worker, if that is not the address that it serves at: "
          "unix:/path or host:port. By default it finds the address of its host.");
    field("threads", threads,
          "Threads that prepare samples. 0: one for each processor, of which an engine may give "
          "some.",
          {.min = 0, .max = 1024});
    field("budget", budget,
          "Bytes of prepared batches that wait to be sent. Batches that are being prepared are not "
          "counted.");
    field("share_window", share_window,
          "Bytes of prepared samples in shared memory that wait for jobs which share them "
          "(`training.share`), for each set of jobs of the same samples. 0B: nothing is shared.",
          {.min = 0});
  }
};

}  // namespace tidemill::preprocess
