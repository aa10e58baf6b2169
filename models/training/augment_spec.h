// The `augment` of a `training` section: rows of a batch that are mixed with others of it.
//
//   augment: {type: mixup, alpha: 0.2}
//   augment: {type: cutmix, probability: 0.5}
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

enum class AugmentType { kMixup, kCutmix };

struct Augment {
  static constexpr std::string_view kDoc =
      "Mixes rows with others of their batch, in training only. A row has a share f, drawn from a "
      "Beta distribution, and a partner: the rows of a batch form a ring, in a random order. The "
      "loss of the row is f * loss(its target) + (1 - f) * loss(the partner's target). `mixup` "
      "makes its inputs f * row + (1 - f) * partner. `cutmix` puts a rectangle of the partner's "
      "image into the row's, whose area is 1 - f of the image; it is cut off at the edges, and f "
      "is "
      "the area that is left. A row keeps its weight. What is drawn depends on the training's "
      "seed, "
      "trigger and epoch, and on the samples of the batch. Held-out samples, evaluations and the "
      "scores of downsampling are never mixed; methods of downsampling that look at the losses of "
      "the training see those of mixed rows.";
  AugmentType type = AugmentType::kMixup;
  double alpha = 1;
  double probability = 1;

  void Fields(auto&& field) {
    field("type", type, "What is mixed: whole rows, or parts of images.",
          {.required = true, .example = "mixup"});
    field("alpha", alpha,
          "f is drawn from Beta(alpha, alpha). With 1 every share is as likely, with less most are "
          "near 0 or 1.",
          {.min = 0.01, .max = 100, .example = "0.2"});
    field("probability", probability, "How likely a row is mixed at all.",
          {.min = 0, .max = 1, .example = "0.5"});
  }
  friend bool operator==(const Augment&, const Augment&) = default;
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::AugmentType> {
  using Type = tidemill::models::AugmentType;
  static constexpr std::pair<Type, std::string_view> kNames[] = {{Type::kMixup, "mixup"},
                                                                 {Type::kCutmix, "cutmix"}};
};
