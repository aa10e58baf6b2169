// Chooses the samples with the most even probabilities.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct Entropy : Ranked {
  static constexpr std::string_view kType = "entropy";
  static constexpr std::string_view kDoc = "Takes the samples with the most even probabilities.";
  static constexpr std::string_view kRule = "the greatest -sum p log p first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  friend bool operator==(const Entropy&, const Entropy&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const Entropy& spec);

template <>
class DownsamplingOf<Entropy> final : public ClassScoredDownsampling<Entropy> {};

}  // namespace tidemill::trainer_server
