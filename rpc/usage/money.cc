#include "rpc/usage/money.h"

#include <map>

#include "rpc/usage/usage_message.h"

namespace tidemill::rpc {
namespace {

constexpr double kNanosPerHour = 3600e9;
constexpr double kBytesPerGigabyte = 1e9;
// The price of GPUs whose names have none.
constexpr char kAnyGpu[] = "cuda";

}  // namespace

Money MoneyOf(const v1::Usage& usage, const v1::Prices& prices) {
  Money money;
  money.once =
      static_cast<double>(ProcessorNanos(usage)) / kNanosPerHour * prices.processor_hour() +
      static_cast<double>(usage.bytes_sent()) / kBytesPerGigabyte * prices.gigabyte_sent();
  money.monthly = static_cast<double>(usage.bytes_stored()) / kBytesPerGigabyte *
                  prices.gigabyte_stored_month();
  // In the order of the names, which a protobuf map does not have: a sum has its last digit from
  // it.
  const std::map<std::string, int64_t> devices(usage.device_nanos().begin(),
                                               usage.device_nanos().end());
  for (const auto& [kind, nanos] : devices) {
    auto price = prices.device_hour().find(kind);
    if (price == prices.device_hour().end()) price = prices.device_hour().find(kAnyGpu);
    if (price == prices.device_hour().end()) {
      money.unpriced.push_back(kind);
    } else {
      money.once += static_cast<double>(nanos) / kNanosPerHour * price->second;
    }
  }
  return money;
}

}  // namespace tidemill::rpc
