// The settings shared by the methods that look at the gradients of many samples at once.
#pragma once

#include <cstdint>
#include <utility>

#include "config/config.h"
#include "trainer_server/downsampling/methods/scored.h"

namespace tidemill::trainer_server {

// The algorithms that maximise a set function.
enum class GreedySearch { kLazy, kNaive, kStochastic };

// The settings of methods that look at all gradients at once.
struct GradientCoreset : Kept {
  int64_t period = 1;
  bool balance = true;
  GradientOf of = GradientOf::kOutputs;
  int64_t part = 4096;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("period", period, "Epochs after which the choice is made anew; 0: once a training.",
          {.min = 0});
    field("balance", balance, "Choose from each class by itself, the same share of each.");
    field("of", of, "Which gradients.");
    field("part", part,
          "Samples that are compared with one another: more are cut into random parts of this size "
          "first.",
          {.min = 16, .max = 20'000});
  }

  void CheckTraining(const models::TrainedWith& with, models::TrainingProblems& problems) const {
    CheckBalance(balance, with, problems);
  }
  friend bool operator==(const GradientCoreset&, const GradientCoreset&) = default;
};

}  // namespace tidemill::trainer_server

template <>
struct tidemill::config::EnumNames<tidemill::trainer_server::GreedySearch> {
  static constexpr std::pair<tidemill::trainer_server::GreedySearch, std::string_view> kNames[] = {
      {tidemill::trainer_server::GreedySearch::kLazy, "lazy"},
      {tidemill::trainer_server::GreedySearch::kNaive, "naive"},
      {tidemill::trainer_server::GreedySearch::kStochastic, "stochastic"}};
};
