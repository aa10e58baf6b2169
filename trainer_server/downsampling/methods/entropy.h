// Chooses the samples with the most even probabilities.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/methods/method_spec.h"
#include "trainer_server/downsampling/methods/scored.h"

namespace tidemill::trainer_server {

struct Entropy : Ranked {
  static constexpr std::string_view kType = "entropy";
  static constexpr std::string_view kDoc = "Takes the samples with the most even probabilities.";
  static constexpr std::string_view kRule = "the greatest -sum p log p first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  void CheckTraining(const models::TrainedWith& with, models::TrainingProblems& problems) const {
    CheckOfClasses(kType, with, problems);
    Ranked::CheckTraining(with, problems);
  }
  friend bool operator==(const Entropy&, const Entropy&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const Entropy& spec);

}  // namespace tidemill::trainer_server
