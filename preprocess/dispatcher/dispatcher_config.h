// The `preprocess` section of the system configuration.
#pragma once

#include <string>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::preprocess {

struct DispatcherConfig {
  Duration worker_timeout{3'000'000};
  Duration consumer_timeout{60'000'000};
  std::string scaler_address = {};

  void Fields(auto&& field) {
    field("worker_timeout", worker_timeout,
          "A worker that is silent for longer is lost. Its splits are issued again.",
          {.min = 1.5, .max = 3600});
    field("consumer_timeout", consumer_timeout,
          "A job is ended if none of its consumers reports for longer than this.",
          {.min = 1, .max = 86'400});
    field(
        "scaler_address", scaler_address,
        "host:port at which KEDA asks how many workers are wanted, and then starts and ends them "
        "instead of an engine. No token is asked for; off loopback, cluster.tls is needed. Empty: "
        "KEDA is not answered.",
        {.example = "0.0.0.0:50059"});
  }
};

}  // namespace tidemill::preprocess
