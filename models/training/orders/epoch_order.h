// The order in which the samples of an epoch are visited. It is a pure function of the seed, the
// trigger and the epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/numbers/random.h"

namespace tidemill::models {

// The order of each epoch of a set of samples: a permutation of its ordinals. Thread-safe.
class EpochOrder {
 public:
  virtual ~EpochOrder() = default;
  // Returns the ordinals at the positions from, from + 1 ... of an epoch. Any piece may be
  // requested at any time; the answer never depends on earlier calls. An order may be fastest when
  // the pieces are requested one after another, each once.
  virtual void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const = 0;
};

// The base of orders that draw random numbers.
class SeededOrder : public EpochOrder {
 public:
  SeededOrder(const RandomKey& key, int64_t size) : key_(key), purpose_(key.purpose), size_(size) {}

 protected:
  RandomKey KeyOf(int64_t epoch) const {
    return {.seed = key_.seed, .purpose = purpose_, .trigger = key_.trigger, .epoch = epoch};
  }
  int64_t size() const { return size_; }

 private:
  const RandomKey key_;
  const std::string purpose_;  // The key has only a view of it.
  const int64_t size_;
};

// Returns a number in [0, end) from 64 random bits.
int64_t Below(int64_t end, uint64_t bits);

}  // namespace tidemill::models
