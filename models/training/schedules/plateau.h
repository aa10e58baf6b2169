// A learning rate that falls when the loss no longer does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

enum class WatchedLoss { kTraining, kHeldOut };

struct Plateau {
  static constexpr std::string_view kType = "plateau";
  static constexpr std::string_view kDoc =
      "Multiplies the learning rate by a factor when the loss has not fallen for some time. It "
      "looks at the loss after each epoch, or after a number of steps.";
  WatchedLoss loss = WatchedLoss::kTraining;
  std::optional<int64_t> every = std::nullopt;
  double factor = 0.1;
  int64_t patience = 2;
  double min_delta = 0;
  int64_t cooldown = 0;
  double least = 0;

  void Fields(auto&& field) {
    field("loss", loss,
          "training: the mean loss of the steps since the last look. held_out: the loss on the "
          "samples that `early_stopping` holds out.");
    field("every", every,
          "Number of steps between two looks at the loss of the training. By default an epoch.",
          {.min = 1});
    field("factor", factor, "Factor after each wait.", {.min = 0, .max = 1});
    field("patience", patience, "Number of looks without a lower loss after which it falls.",
          {.min = 1});
    field("min_delta", min_delta, "How much lower a loss must be to count as lower.", {.min = 0});
    field("cooldown", cooldown, "Number of looks after a fall that do not count.", {.min = 0});
    field("least", least, "The factor does not fall below this.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const {
    if (every && loss == WatchedLoss::kHeldOut) {
      problems.Add("every",
                   "is for the loss of the training; that of held-out samples is measured "
                   "after each epoch",
                   "leave it out");
    }
  }
  // What it does depends on losses, not on the step.
  double LearningRateFactor(int64_t /*step*/, int64_t /*total*/) const { return 1; }
  const Plateau* Watched() const { return this; }
  friend bool operator==(const Plateau&, const Plateau&) = default;
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::WatchedLoss> {
  using Type = tidemill::models::WatchedLoss;
  static constexpr std::pair<Type, std::string_view> kNames[] = {{Type::kTraining, "training"},
                                                                 {Type::kHeldOut, "held_out"}};
};
