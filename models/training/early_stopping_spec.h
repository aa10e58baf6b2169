// The key `early_stopping` of a training.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"

namespace tidemill::models {

// Ends a training that no longer improves on held-out samples.
struct EarlyStopping {
  static constexpr std::string_view kDoc =
      "Ends the training when the loss on held-out samples no longer falls. The loss is measured "
      "after each epoch.";
  double held_out = 0.1;
  int64_t patience = 2;
  double min_delta = 0;
  bool restore_best = true;

  void Fields(auto&& field) {
    field("held_out", held_out,
          "Share of the samples that is held out. They are drawn by a hash of seed and key, so a "
          "sample that is held out once is held out of every training of the run.",
          {.min = 0.0001, .max = 0.9});
    field("patience", patience, "Number of epochs without a better loss after which to stop.",
          {.min = 1});
    field("min_delta", min_delta, "How much better a loss must be to count as better.", {.min = 0});
    field("restore_best", restore_best,
          "End with the weights of the best epoch, not of the last one.");
  }
  friend bool operator==(const EarlyStopping&, const EarlyStopping&) = default;
};

}  // namespace tidemill::models
