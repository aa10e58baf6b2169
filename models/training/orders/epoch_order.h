// In which order the samples of an epoch are visited: a pure function of seed, trigger and epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/random.h"

namespace tidemill::models {

// The order of each epoch of a set of samples: a permutation of its ordinals. Thread-safe.
class EpochOrder {
 public:
  virtual ~EpochOrder() = default;
  // The ordinals at the positions from, from + 1 ... of an epoch. Any piece may be asked for at any
  // time; the answer never depends on what was asked before. An order may be fastest for those who
  // ask for pieces one after another, each once.
  virtual void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const = 0;
};

// What orders are made of that draw random numbers.
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
  const std::string purpose_;  // The key's is but a view.
  const int64_t size_;
};

// A number in [0, end) out of 64 bits.
int64_t Below(int64_t end, uint64_t bits);

}  // namespace tidemill::models
