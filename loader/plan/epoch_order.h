// In which order the samples of an epoch are visited: a pure function of seed, trigger and epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/random.h"
#include "loader/plan/subset.h"
#include "models/training/order_spec.h"

namespace tidemill::loader {

// The order of each epoch of a set of samples: a permutation of its ordinals. Thread-safe.
class EpochOrder {
 public:
  virtual ~EpochOrder() = default;
  // The ordinals at the positions from, from + 1 ... of an epoch. Any piece may be asked for at any
  // time; the answer never depends on what was asked before. An order may be fastest for those who
  // ask for pieces one after another, each once.
  virtual void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const = 0;
};

// Of `size` samples. `key` names the stream of random numbers; its `epoch` is not used.
std::unique_ptr<EpochOrder> MakeEpochOrder(const models::OrderSpec& spec, const RandomKey& key,
                                           int64_t size);

// Of the samples that each epoch draws of `size`: positions [0, draw.samples) of an epoch. A full
// order is that in which they are drawn and takes constant memory; others hold the ordinals of an
// epoch. (Okanovic et al., Repeated Random Sampling, ICLR 2024.)
std::unique_ptr<EpochOrder> MakeDrawnOrder(const models::OrderSpec& spec, const RandomKey& key,
                                           int64_t size, const RepeatedDraw& draw);

}  // namespace tidemill::loader
