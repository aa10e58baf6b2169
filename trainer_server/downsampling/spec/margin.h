// Chooses the samples whose two most probable classes are closest.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct Margin : Ranked {
  static constexpr std::string_view kType = "margin";
  static constexpr std::string_view kDoc =
      "Takes the samples whose two likeliest classes are closest.";
  static constexpr std::string_view kRule = "the smallest p1 - p2 first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  friend bool operator==(const Margin&, const Margin&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const Margin& spec);

template <>
class DownsamplingOf<Margin> final : public ClassScoredDownsampling<Margin> {};

}  // namespace tidemill::trainer_server
