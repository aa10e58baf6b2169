// Chooses samples that the model has not learnt yet but could learn.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "fmt/format.h"

#include "config/config.h"
#include "models/spec/model_spec.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct RhoLoss : Kept {
  static constexpr std::string_view kType = "rho_loss";
  static constexpr std::string_view kDoc =
      "Takes samples that are not learnt yet but can be. Their loss is greater than that of a "
      "model that was trained on other samples.";
  static constexpr std::string_view kRule =
      "the greatest loss - irreducible loss first; the irreducible loss is the loss of a model "
      "trained on the share `holdout` of the samples, which the training then leaves out; with "
      "`twin`, it is the loss of two models, each trained on one half and asked about the other "
      "half";
  static constexpr std::string_view kWeights = "1 each: the choice is biased by design";
  static constexpr std::string_view kCost =
      "training of the other model at each trigger, one forward pass of it over all other samples, "
      "and one forward pass of the model over the samples that are scored";
  static constexpr std::string_view kSource =
      "Mindermann et al., Prioritized Training on Points that are Learnable, Worth Learning, and "
      "Not Yet Learnt (ICML 2022)";
  ScoreWhen when = ScoreWhen::kBatchThenSample;
  int64_t period = 1;
  double holdout = 0.1;
  bool twin = false;
  int64_t epochs = 1;
  std::optional<models::ModelSpec> model = std::nullopt;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("when", when, "As for `loss`.");
    field("period", period, "As for `loss`.", {.min = 0});
    field("holdout", holdout, "Share of the samples to train the other model on.",
          {.min = 0.01, .max = 0.5});
    field("twin", twin, "Train two models on halves, instead of one on a holdout.");
    field("epochs", epochs, "Epochs of the training of the other model.", {.min = 1});
    field("model", model, "The other model. By default one like the model of the pipeline.");
  }

  friend bool operator==(const RhoLoss&, const RhoLoss&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const RhoLoss& spec);

template <>
class DownsamplingOf<RhoLoss> final : public KeptDownsampling<RhoLoss> {
 public:
  std::optional<models::AuxiliaryModel> Auxiliary() const override {
    return models::AuxiliaryModel{
        .model = spec_.model, .epochs = spec_.epochs, .holdout = spec_.holdout, .twin = spec_.twin};
  }
  void CheckTraining(const models::TrainedWith& with,
                     models::TrainingProblems& problems) const override {
    CheckLargeBatch(spec_.when, spec_.fraction, with.batch_size, problems);
    const int64_t outputs = spec_.model ? (*spec_.model)->NumOutputs() : with.outputs;
    if (outputs == with.outputs) return;
    problems.push_back({"model",
                        {fmt::format("has {} outputs, but the model has {}", outputs, with.outputs),
                         fmt::format("write outputs: {}", with.outputs)}});
  }
};

}  // namespace tidemill::trainer_server
