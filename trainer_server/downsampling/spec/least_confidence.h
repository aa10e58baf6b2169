// Chooses the samples whose predicted class the model is least sure about.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct LeastConfidence : Ranked {
  static constexpr std::string_view kType = "least_confidence";
  static constexpr std::string_view kDoc =
      "Takes the samples whose class the model is least sure of.";
  static constexpr std::string_view kRule =
      "the smallest value of the greatest probability first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  friend bool operator==(const LeastConfidence&, const LeastConfidence&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const LeastConfidence& spec);

template <>
class DownsamplingOf<LeastConfidence> final : public ClassScoredDownsampling<LeastConfidence> {};

}  // namespace tidemill::trainer_server
