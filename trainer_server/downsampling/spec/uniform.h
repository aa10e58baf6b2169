// Draws one uniform subset for the whole training. Compare every other method with it.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/kept.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct UniformSubset : Kept {
  static constexpr std::string_view kType = "uniform";
  static constexpr std::string_view kDoc =
      "All epochs train on the same samples, which are drawn uniformly once.";
  static constexpr std::string_view kRule =
      "the samples with the smallest hashes of (seed, trigger, ordinal)";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "nothing";
  static constexpr std::string_view kSource = "";
  void Fields(auto&& field) { Kept::Fields(field); }
  friend bool operator==(const UniformSubset&, const UniformSubset&) = default;
};

std::unique_ptr<const BlindMethod> MakeMethod(const UniformSubset& spec);

}  // namespace tidemill::trainer_server
