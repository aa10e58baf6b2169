// Chooses the samples whose predicted class the model is least sure about.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/methods/method_spec.h"
#include "trainer_server/downsampling/methods/scored.h"

namespace tidemill::trainer_server {

struct LeastConfidence : Ranked {
  static constexpr std::string_view kType = "least_confidence";
  static constexpr std::string_view kDoc =
      "Takes the samples whose class the model is least sure of.";
  static constexpr std::string_view kRule =
      "the smallest value of the greatest probability first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  void CheckTraining(const models::TrainedWith& with, models::TrainingProblems& problems) const {
    CheckOfClasses(kType, with, problems);
    Ranked::CheckTraining(with, problems);
  }
  friend bool operator==(const LeastConfidence&, const LeastConfidence&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const LeastConfidence& spec);

}  // namespace tidemill::trainer_server
