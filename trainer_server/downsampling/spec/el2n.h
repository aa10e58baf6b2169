// Chooses the samples with the greatest errors.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct El2n : Ranked {
  static constexpr std::string_view kType = "el2n";
  static constexpr std::string_view kDoc = "Takes the samples with the greatest errors.";
  static constexpr std::string_view kRule =
      "the greatest ||p - y|| first, for real labels ||output - y||; ties by ordinal";
  static constexpr std::string_view kSource =
      "Paul et al., Deep Learning on a Data Diet (NeurIPS 2021)";
  friend bool operator==(const El2n&, const El2n&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const El2n& spec);

}  // namespace tidemill::trainer_server
