// What amounts cost.
#pragma once

#include <string>
#include <vector>

#include "tidemill/rpc/v1/usage.pb.h"

namespace tidemill::rpc {

// Sums of money, in the currency of the prices.
struct Money {
  double once = 0;
  // For what is stored, for each month that it stays.
  double monthly = 0;
  // The kinds of devices that were used and have no price. They are not in `once`.
  std::vector<std::string> unpriced = {};
};

// Resources without a price cost nothing. A device without a price is named, too.
Money MoneyOf(const v1::Usage& usage, const v1::Prices& prices);

}  // namespace tidemill::rpc
