// How networks over images begin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "models/spec/model_inputs.h"

namespace tidemill::models {

enum class Stem { kAuto, kSmall, kStandard };

inline constexpr std::string_view kStemDoc =
    "How the network begins. `small`: a 3x3 convolution that keeps the size. `standard`: a 7x7 "
    "convolution and a maximum that reduce it to a quarter. `auto`: small for images up to 64 "
    "pixels.";

// Whether images of that size get the small beginning.
inline bool IsSmallStem(Stem stem, int64_t height, int64_t width) {
  constexpr int64_t kSmallImage = 64;
  return stem == Stem::kSmall || (stem == Stem::kAuto && std::max(height, width) <= kSmallImage);
}

// Returns why a network with four stages, of which each but the first halves the size, cannot take
// such columns: there is not one column of images, or they are too small for the stages.
std::optional<SpecProblem> CheckStagedImages(std::string_view network, Stem stem,
                                             const InputSpecs& inputs);

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::Stem> {
  static constexpr std::pair<tidemill::models::Stem, std::string_view> kNames[] = {
      {tidemill::models::Stem::kAuto, "auto"},
      {tidemill::models::Stem::kSmall, "small"},
      {tidemill::models::Stem::kStandard, "standard"}};
};
