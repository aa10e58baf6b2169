// The factor by which losses are multiplied in float16.
#pragma once

#include <cstdint>

namespace tidemill::trainer_server {

// Small gradients are zero in float16, so losses are multiplied before gradients are computed, and
// gradients are divided afterwards. The factor grows while gradients are finite, and a step with
// gradients that are not is left out (Micikevicius et al., "Mixed Precision Training", ICLR 2018).
// A part of checkpoints. All factors are powers of two, which change no digit.
struct LossScale {
  static constexpr double kFirst = 65536;
  static constexpr double kLeast = 1;
  static constexpr double kMost = 16777216;
  // The steps after which it doubles.
  static constexpr int64_t kGrowAfter = 2000;

  double factor = kFirst;
  // The steps with finite gradients since it changed.
  int64_t good_steps = 0;

  // Notes whether the gradients of a step are finite. Returns false when they are not, though the
  // factor could not be smaller: then they are not too large because of it.
  bool Note(bool finite) {
    if (!finite) {
      good_steps = 0;
      if (factor <= kLeast) return false;
      factor /= 2;
      return true;
    }
    if (++good_steps < kGrowAfter) return true;
    good_steps = 0;
    if (factor < kMost) factor *= 2;
    return true;
  }

  friend bool operator==(const LossScale&, const LossScale&) = default;
};

}  // namespace tidemill::trainer_server
