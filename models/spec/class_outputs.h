// How the outputs of a network that predicts classes become probabilities. The loss of the training
// decides it, and it never changes afterwards.
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

enum class ClassOutputs {
  kSoftmax,  // One output for each class. A single output belongs to the only class.
  kSigmoid,  // One output. Its sigmoid is the probability of class 1 of two.
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::ClassOutputs> {
  static constexpr std::pair<tidemill::models::ClassOutputs, std::string_view> kNames[] = {
      {tidemill::models::ClassOutputs::kSoftmax, "softmax"},
      {tidemill::models::ClassOutputs::kSigmoid, "sigmoid"},
  };
};
