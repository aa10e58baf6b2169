// The settings shared by the methods that score each sample with the model.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "config/config.h"
#include "trainer_server/downsampling/spec/kept.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

// When samples are scored: all samples before each period, or each large batch before its step.
enum class ScoreWhen { kSampleThenBatch, kBatchThenSample };
// The methods to draw with unequal probabilities.
enum class ScoreSampling { kPriority, kPoisson, kSystematic };
// Which gradients of the last layer: only the gradients of its bias, p - y, or also the gradients
// of its weights.
enum class GradientOf { kOutputs, kLastLayer };

// The most samples scored together with batch_then_sample. They are in memory at once.
inline constexpr double kMaxLargeBatch = 65'536;

inline void CheckLargeBatch(ScoreWhen when, double fraction, int64_t batch_size,
                            models::TrainingProblems& problems) {
  const double large = static_cast<double>(batch_size) / fraction;
  if (when != ScoreWhen::kBatchThenSample || large <= kMaxLargeBatch) return;
  problems.push_back({"",
                      {fmt::format("scores batch_size / fraction = {:.0f} samples together, but at "
                                   "most {:.0f} are possible",
                                   large, kMaxLargeBatch),
                       "write when: sample_then_batch, or a smaller batch_size"}});
}

inline void CheckBalance(bool balance, const models::TrainedWith& with,
                         models::TrainingProblems& problems) {
  if (!balance || with.label_is_class) return;
  problems.push_back({"", {"balance needs classes", "write balance: false"}});
}

inline void CheckOfClasses(std::string_view method, const models::TrainedWith& with,
                           models::TrainingProblems& problems) {
  if (with.loss_is_of_classes) return;
  problems.push_back({"",
                      {fmt::format("{} needs probabilities of classes", method),
                       "use loss, gradient_norm or el2n for real labels"}});
}

// The settings of methods that score each sample with the model.
struct Scored : Kept {
  ScoreWhen when = ScoreWhen::kSampleThenBatch;
  int64_t period = 1;
  bool balance = false;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("when", when,
          "sample_then_batch: score all samples, choose, and train on the chosen ones. "
          "batch_then_sample: score batches of batch_size / fraction samples, and train on the "
          "chosen part of each.");
    field("period", period,
          "With sample_then_batch: number of epochs after which all samples are scored again. 0: "
          "they are scored once in a training.",
          {.min = 0});
    field("balance", balance,
          "With sample_then_batch: choose from each class separately, the same share of each.");
  }
  void Check(config::Problems& problems) const {
    if (balance && when == ScoreWhen::kBatchThenSample) {
      problems.Add("balance", "needs all samples at once", "write when: sample_then_batch");
    }
  }

  friend bool operator==(const Scored&, const Scored&) = default;
};

template <typename Spec>
concept ScoredSpec = KeptSpec<Spec> && std::derived_from<Spec, Scored>;

template <ScoredSpec Spec>
class ScoredDownsampling : public KeptDownsampling<Spec> {
 public:
  void CheckTraining(const models::TrainedWith& with,
                     models::TrainingProblems& problems) const override {
    const Scored& spec = this->spec_;
    CheckBalance(spec.balance, with, problems);
    CheckLargeBatch(spec.when, spec.fraction, with.batch_size, problems);
  }
};

// The additional requirements of a method that uses probabilities of classes.
template <ScoredSpec Spec>
class ClassScoredDownsampling : public ScoredDownsampling<Spec> {
 public:
  void CheckTraining(const models::TrainedWith& with,
                     models::TrainingProblems& problems) const override {
    CheckOfClasses(Spec::kType, with, problems);
    ScoredDownsampling<Spec>::CheckTraining(with, problems);
  }
};

template <ScoredSpec Spec>
class DownsamplingOf<Spec> final : public ScoredDownsampling<Spec> {};

// The settings of methods that draw with probabilities in proportion to scores.
struct Drawn : Scored {
  ScoreSampling sampling = ScoreSampling::kPriority;
  double smoothing = 0.1;

  void Fields(auto&& field) {
    Scored::Fields(field);
    field("sampling", sampling,
          "priority and systematic draw a fixed number of samples; poisson draws each sample "
          "independently.");
    field(
        "smoothing", smoothing,
        "Adds x times the mean to each score. With systematic and poisson, no weight is then above "
        "(1 + x) / x. With priority, whose threshold depends on chance, some sets have a weight "
        "above it.",
        {.min = 0});
  }
  friend bool operator==(const Drawn&, const Drawn&) = default;
};

// The settings of methods that choose the k samples that rank first by their scores.
struct Ranked : Scored {
  static constexpr std::string_view kWeights = "1 each: the choice is biased by design";
  static constexpr std::string_view kCost = "one forward pass over the samples that are scored";
  friend bool operator==(const Ranked&, const Ranked&) = default;
};

}  // namespace tidemill::trainer_server

template <>
struct tidemill::config::EnumNames<tidemill::trainer_server::ScoreWhen> {
  static constexpr std::pair<tidemill::trainer_server::ScoreWhen, std::string_view> kNames[] = {
      {tidemill::trainer_server::ScoreWhen::kSampleThenBatch, "sample_then_batch"},
      {tidemill::trainer_server::ScoreWhen::kBatchThenSample, "batch_then_sample"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::trainer_server::ScoreSampling> {
  static constexpr std::pair<tidemill::trainer_server::ScoreSampling, std::string_view> kNames[] = {
      {tidemill::trainer_server::ScoreSampling::kPriority, "priority"},
      {tidemill::trainer_server::ScoreSampling::kPoisson, "poisson"},
      {tidemill::trainer_server::ScoreSampling::kSystematic, "systematic"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::trainer_server::GradientOf> {
  static constexpr std::pair<tidemill::trainer_server::GradientOf, std::string_view> kNames[] = {
      {tidemill::trainer_server::GradientOf::kOutputs, "outputs"},
      {tidemill::trainer_server::GradientOf::kLastLayer, "last_layer"}};
};
