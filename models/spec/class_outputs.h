// How the outputs of a network that tells classes become probabilities: what the loss takes them
// for while it trains is what they are taken for ever after.
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

enum class ClassOutputs {
  kSoftmax,  // One output for each class; a single one is that of the only class there is.
  kSigmoid,  // One output, whose sigmoid is the probability of class 1 of two.
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::ClassOutputs> {
  static constexpr std::pair<tidemill::models::ClassOutputs, std::string_view> kNames[] = {
      {tidemill::models::ClassOutputs::kSoftmax, "softmax"},
      {tidemill::models::ClassOutputs::kSigmoid, "sigmoid"},
  };
};
