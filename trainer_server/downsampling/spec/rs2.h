// Draws the same number of samples uniformly in each epoch.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/kept.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct Rs2 : Kept {
  static constexpr std::string_view kType = "rs2";
  static constexpr std::string_view kDoc =
      "Each epoch trains on other samples, which are drawn uniformly without looking at any.";
  static constexpr std::string_view kRule =
      "with replacement: each epoch draws again from all samples; without: epochs walk through a "
      "permutation of all samples and draw the next permutation when the rest is too short";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "nothing";
  static constexpr std::string_view kSource =
      "Okanovic et al., Repeated Random Sampling for Minimizing the Time-to-Accuracy of Learning "
      "(ICLR 2024)";
  bool replacement = false;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("replacement", replacement,
          "Whether an epoch may use samples again before all were used. Within an epoch no sample "
          "occurs twice.");
  }
  friend bool operator==(const Rs2&, const Rs2&) = default;
};

std::unique_ptr<const BlindMethod> MakeMethod(const Rs2& spec);

}  // namespace tidemill::trainer_server
