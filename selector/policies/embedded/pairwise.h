// Chooses samples that the model is unsure about and that are unlike one another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "fmt/format.h"

#include "config/config.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

struct Pairwise : Draw {
  static constexpr std::string_view kType = "pairwise";
  static constexpr std::string_view kDoc =
      "Trains on samples that the model is unsure of and that are unlike one another. Worker "
      "processes choose them, and no process holds all candidates.";
  static constexpr std::string_view kRule =
      "maximises alpha sum u(v) - (1 - alpha) sum s(v, w) over pairs of chosen neighbours: u = 1 - "
      "(p1 - p2) with the newest model's two greatest probabilities, s = the cosine of embeddings, "
      "at least 0, over the `neighbors` nearest neighbours of each. Bounding decides what can be "
      "decided exactly. Then, in each of `rounds` rounds, every random part is reduced greedily";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost =
      "O((N + edges) log N) over all workers, O(N / partitions) memory in each";
  static constexpr std::string_view kSource =
      "Boether et al., On Distributed Larger-Than-Memory Subset Selection With Pairwise Submodular "
      "Functions (MLSys 2025)";
  double alpha = 0.9;
  int64_t neighbors = 10;
  int64_t partitions = 8;
  int64_t rounds = 8;
  bool adaptive = true;
  bool bounding = true;
  std::optional<double> sampled_bounding = std::nullopt;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("alpha", alpha, "How much the utility counts, compared with unlikeness.",
          {.min = 0.01, .max = 1});
    field("neighbors", neighbors, "Nearest neighbours of each candidate.", {.min = 1, .max = 1000});
    field("partitions", partitions, "Parts of the first round.", {.min = 1, .max = 65'536});
    field("rounds", rounds, "Rounds in which the candidates are reduced.", {.min = 1, .max = 1000});
    field("adaptive", adaptive, "Use fewer parts as fewer candidates are left.");
    field("bounding", bounding,
          "First decide by bounds what they can decide. The best choice stays possible.");
    field("sampled_bounding", sampled_bounding,
          "Decide more, by bounds over this share of the neighbours. The best choice may then be "
          "lost.",
          {.min = 0.01, .max = 1});
  }

  LooksAt WhatItLooksAt() const { return LooksAt::kModel; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const Pairwise& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

template <>
class SelectionOf<Pairwise> final : public DrawnSelection<Pairwise> {
 public:
  void CheckSamples(const transform::DescribedSamples& described,
                    config::Problems& problems) const override {
    if (described.schema.label == transform::LabelKind::kClass) return;
    problems.Add("",
                 fmt::format("looks at probabilities of classes, but the label of '{}' is {}",
                             described.dataset, transform::Describe(described.schema.label)),
                 "use k_center, facility_location or k_medoids");
  }
};

}  // namespace tidemill::selector
