// The `lora` of a `training` section: linear layers that learn a product of two small matrices
// beside their weights.
//
//   lora: {rank: 8, alpha: 16, layers: ["*attention*"]}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace tidemill::models {

struct Lora {
  static constexpr std::string_view kDoc =
      "Trains low-rank additions in place of the weights of linear layers (Hu et al., 2022): the "
      "weights W of such a layer are frozen, and it computes with W + alpha / rank * B * A, where "
      "only A and B are trained. B begins as zeros. The model of the training has the sums, so it "
      "is "
      "a network like any other, and the next training begins with it and with new additions. "
      "`frozen` says what else is not trained.";
  int64_t rank = 8;
  double alpha = 16;
  std::vector<std::string> layers = {};

  void Fields(auto&& field) {
    field("rank", rank, "Rows of A and columns of B.", {.min = 1, .max = 1024});
    field("alpha", alpha, "Factor of the additions, before it is divided by the rank.",
          {.min = 1e-6, .max = 1e6});
    field(
        "layers", layers,
        "Which linear layers: patterns with * and ? for their names, which are the names of their "
        "weights without `.weight`.",
        {.min = 1, .required = true, .example = "[\"*attention*\"]"});
  }
  friend bool operator==(const Lora&, const Lora&) = default;
};

}  // namespace tidemill::models
