#include "rpc/usage/prices_config.h"

#include <cmath>

namespace tidemill::rpc {

void PricesConfig::Check(config::Problems& problems) const {
  for (const auto& [kind, price] : device_hour) {
    if (price >= 0 && std::isfinite(price)) continue;
    problems.Add("device_hour", fmt::format("the price of {} is {}, which is below 0", kind, price),
                 "write what an hour of such a device costs");
  }
  const bool has_none =
      !processor_hour && device_hour.empty() && !gigabyte_sent && !gigabyte_stored_month;
  if (currency.empty() && !has_none) {
    problems.Add("currency", "is missing, so the prices mean nothing",
                 "write the name of the money: currency: EUR");
  }
  if (!currency.empty() && has_none) {
    problems.Add("currency", "no price is in it", "add processor_hour, or leave `prices` out");
  }
}

std::optional<v1::Prices> PricesConfig::ToMessage() const {
  if (currency.empty()) return std::nullopt;
  v1::Prices prices;
  prices.set_currency(currency);
  if (processor_hour) prices.set_processor_hour(*processor_hour);
  prices.mutable_device_hour()->insert(device_hour.begin(), device_hour.end());
  if (gigabyte_sent) prices.set_gigabyte_sent(*gigabyte_sent);
  if (gigabyte_stored_month) prices.set_gigabyte_stored_month(*gigabyte_stored_month);
  return prices;
}

}  // namespace tidemill::rpc
