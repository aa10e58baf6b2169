// The random numbers that random ops draw for samples in training.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "base/numbers/random.h"
#include "base/status.h"
#include "transform/engine/frame.h"

namespace tidemill::transform {

// The random numbers of one sample, one after the other. Thread-compatible.
class SampleDraws {
 public:
  // `bits` come from Draws::Bits().
  explicit SampleDraws(uint64_t bits) : bits_(bits) {}

  // Returns a number that is uniform in [min, max).
  double Between(double min, double max) {
    return min + (max - min) * (static_cast<double>(Next() >> 11) * 0x1p-53);
  }
  // Returns a whole number in [0, end). `end` must be below 2^31.
  int64_t Below(int64_t end);

 private:
  uint64_t Next() { return MixBits(bits_ ^ ++num_drawn_); }

  const uint64_t bits_;
  uint64_t num_drawn_ = 0;
};

// Draws 64 random bits for each row of a frame. The bits are a function of the run's seed, the
// trigger, the epoch, the purpose and the sample's ordinal. Draws for two purposes are independent.
// The frame and the purpose must outlive this object.
class Draws {
 public:
  // NOT_FOUND when the samples have no ordinals.
  static absl::StatusOr<Draws> Of(const Frame& frame, std::string_view purpose) {
    ASSIGN_OR_RETURN(const batch::Column* ordinals,
                     frame.samples().Get(batch::kOrdinalColumn, batch::DataType::kInt64));
    const RunContext& context = frame.context();
    return Draws({.seed = context.seed,
                  .purpose = purpose,
                  .trigger = context.trigger,
                  .epoch = context.epoch},
                 ordinals->Values<int64_t>());
  }

  uint64_t Bits(int64_t row) const { return RandomBits(key_, ordinals_[row]); }

  // Returns a whole number in [0, end) from 32 random bits. `end` must be below 2^31.
  static int64_t Below(int64_t end, uint32_t bits) {
    TIDEMILL_DCHECK(end > 0 && end < int64_t{1} << 31);
    return static_cast<int64_t>((static_cast<uint64_t>(end) * bits) >> 32);
  }

 private:
  Draws(const RandomKey& key, std::span<const int64_t> ordinals) : key_(key), ordinals_(ordinals) {}

  RandomKey key_;
  std::span<const int64_t> ordinals_;
};

inline int64_t SampleDraws::Below(int64_t end) {
  return Draws::Below(end, static_cast<uint32_t>(Next() >> 32));
}

}  // namespace tidemill::transform
