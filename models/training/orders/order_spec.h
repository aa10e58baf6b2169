// The `order` of a training: in which order the samples of an epoch are visited. An order as its
// spec says it, and all that the platform asks of one.
//
//   order: full
//   order: {type: block, samples: 4096, window: 262_144}
//
// To add an order: a header beside this one with its spec, which says what OrderOf in order_spec.cc
// asks of it, its source, and its two lines in order_spec.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/random.h"
#include "config/choice.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

// An order and its settings. Thread-compatible.
class Order : public config::Part<Order> {
 public:
  // Every order there is.
  static std::span<const config::Alternative<Order>> Alternatives();

  // Of `size` samples. `key` names the stream of random numbers; its `epoch` is not used.
  virtual std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const = 0;

  // Whether each order of all samples is as likely as another.
  virtual bool IsUniform() const = 0;

  // Whether samples stay as they stand in the stream.
  virtual bool KeepsStream() const = 0;

  // Whether an order of the same type has the same settings.
  virtual bool Equals(const Order& other) const = 0;
};

using OrderSpec = config::Choice<Order>;

// That which keeps the stream.
OrderSpec InStreamOrder();

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::OrderSpec);
