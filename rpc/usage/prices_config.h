// The `prices` section of the system configuration.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/config.h"
#include "tidemill/rpc/v1/usage.pb.h"

namespace tidemill::rpc {

// The prices that users pay. They change no run; they convert the resources that runs have used
// into money.
struct PricesConfig {
  std::string currency;
  std::optional<double> processor_hour = std::nullopt;
  std::map<std::string, double> device_hour = {};
  std::optional<double> gigabyte_sent = std::nullopt;
  std::optional<double> gigabyte_stored_month = std::nullopt;

  void Fields(auto&& field) {
    field("currency", currency, "The name of the money. Empty: there are no prices.",
          {.example = "EUR"});
    field("processor_hour", processor_hour,
          "An hour of one processor, of jobs, workers and services alike.",
          {.min = 0, .example = "0.04"});
    field("device_hour", device_hour,
          "An hour for which a job holds a device, by the name of the device as `tidemill doctor` "
          "shows it. `cuda` is any GPU that is not named.",
          {.example = "{cuda: 2.50, NVIDIA H200: 4.00}"});
    field("gigabyte_sent", gigabyte_sent, "10^9 bytes of messages between services and jobs.",
          {.min = 0, .example = "0.02"});
    field("gigabyte_stored_month", gigabyte_stored_month,
          "10^9 bytes of models and training sets, for a month that they are kept.",
          {.min = 0, .example = "0.023"});
  }
  void Check(config::Problems& problems) const;

  // Without a currency there are no prices.
  std::optional<v1::Prices> ToMessage() const;
};

}  // namespace tidemill::rpc
