// Networks over time series: rows of float32 [history, features], the latest last.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "models/spec/dense_models.h"

namespace tidemill::models {

inline constexpr std::string_view kResidualDoc =
    "Add a linear function of the latest row to the output. It begins at zero and is learned with "
    "the rest, so the network need only say how the future differs from the present; it works "
    "for standardised inputs and raw targets alike.";

struct Gru {
  static constexpr std::string_view kType = "gru";
  static constexpr std::string_view kDoc =
      "Gated recurrent units (Cho et al., 2014) over the history; the last state gives the output.";
  int64_t hidden = 64;
  int64_t layers = 1;
  double dropout = 0;
  bool residual = false;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("hidden", hidden, "Units of each layer.", {.min = 1, .max = 8192});
    field("layers", layers, "Layers.", {.min = 1, .max = 16});
    field("dropout", dropout, "Share of units silenced between layers.", {.min = 0, .max = 0.95});
    field("residual", residual, kResidualDoc);
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }
  friend bool operator==(const Gru&, const Gru&) = default;
};

struct Tcn {
  static constexpr std::string_view kType = "tcn";
  static constexpr std::string_view kDoc =
      "A temporal convolutional network (Bai et al., 2018): layers of causal convolutions whose "
      "reach doubles, with residual connections.";
  int64_t hidden = 32;
  int64_t layers = 4;
  int64_t kernel = 3;
  double dropout = 0;
  bool residual = false;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("hidden", hidden, "Channels of each layer.", {.min = 1, .max = 8192});
    field(
        "layers", layers,
        "Layers of two convolutions each; together they see 1 + 2 * (kernel - 1) * (2^layers - 1) "
        "rows.",
        {.min = 1, .max = 16});
    field("kernel", kernel, "Rows that a convolution looks at.", {.min = 2, .max = 64});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
    field("residual", residual, kResidualDoc);
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }
  friend bool operator==(const Tcn&, const Tcn&) = default;
};

}  // namespace tidemill::models
