// The settings shared by the methods that use the gradients of many samples at once.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "config/config.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

// The algorithms that maximise a set function.
enum class GreedySearch { kLazy, kNaive, kStochastic };

// The settings of methods that use all gradients at once.
struct GradientCoreset : Kept {
  int64_t period = 1;
  bool balance = true;
  GradientOf of = GradientOf::kOutputs;
  int64_t part = 4096;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field(
        "period", period,
        "Number of epochs after which the method chooses again. 0: it chooses once in a training.",
        {.min = 0});
    field("balance", balance, "Choose from each class separately, the same share of each.");
    field("of", of, "Which gradients.");
    field("part", part,
          "Number of samples that are compared with one another. A larger set is first divided "
          "into random parts of this size.",
          {.min = 16, .max = 20'000});
  }

  friend bool operator==(const GradientCoreset&, const GradientCoreset&) = default;
};

template <typename Spec>
concept GradientCoresetSpec = KeptSpec<Spec> && std::derived_from<Spec, GradientCoreset>;

template <GradientCoresetSpec Spec>
class DownsamplingOf<Spec> final : public KeptDownsampling<Spec> {
 public:
  void CheckTraining(const models::TrainedWith& with,
                     models::TrainingProblems& problems) const override {
    CheckBalance(this->spec_.balance, with, problems);
  }
};

}  // namespace tidemill::trainer_server

template <>
struct tidemill::config::EnumNames<tidemill::trainer_server::GreedySearch> {
  static constexpr std::pair<tidemill::trainer_server::GreedySearch, std::string_view> kNames[] = {
      {tidemill::trainer_server::GreedySearch::kLazy, "lazy"},
      {tidemill::trainer_server::GreedySearch::kNaive, "naive"},
      {tidemill::trainer_server::GreedySearch::kStochastic, "stochastic"}};
};
