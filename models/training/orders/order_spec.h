// The `order` of a training: in which order the samples of an epoch are visited. An Order is an
// order as its spec defines it, with all functions that the platform needs.
//
//   order: full
//   order: {type: block, samples: 4096, window: 262_144}
//
// To add an order, write a header beside this one with its spec, its source, and its two lines in
// order_spec.cc. The spec defines what OrderOf in order_spec.cc needs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/numbers/random.h"
#include "config/choice.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

// An order and its settings. Thread-compatible.
class Order : public config::Part<Order> {
 public:
  // Lists every order.
  static std::span<const config::Alternative<Order>> Alternatives();

  // Makes the order of `size` samples. `key` names the stream of random numbers; its `epoch` is not
  // used.
  virtual std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const = 0;

  // Whether every order of all samples is equally likely.
  virtual bool IsUniform() const = 0;

  // Whether samples stay in the order of the stream.
  virtual bool KeepsStream() const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Order& other) const = 0;
};

using OrderSpec = config::Choice<Order>;

// Returns the order that keeps the stream.
OrderSpec InStreamOrder();

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::OrderSpec);
