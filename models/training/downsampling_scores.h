// The methods of `training.downsampling` that look at each sample by itself, or at none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/training/downsampling_kept.h"

namespace tidemill::models {

// The same number of samples in each epoch, drawn uniformly (RS2).
struct Rs2 : Kept {
  static constexpr std::string_view kType = "rs2";
  static constexpr std::string_view kDoc =
      "Each epoch trains on other samples, drawn uniformly, without looking at any.";
  static constexpr std::string_view kRule =
      "with replacement: each epoch draws anew; without: epochs walk through a permutation of all "
      "samples and draw the next one when the rest of it is too short";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "nothing";
  static constexpr std::string_view kSource =
      "Okanovic et al., Repeated Random Sampling for Minimizing the Time-to-Accuracy of Learning "
      "(ICLR 2024)";
  bool replacement = false;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("replacement", replacement,
          "Whether an epoch may have samples again before all were had; within an epoch none is "
          "twice.");
  }
  friend bool operator==(const Rs2&, const Rs2&) = default;
};

// One uniform subset for the whole training: what every method is to be compared with.
struct UniformSubset : Kept {
  static constexpr std::string_view kType = "uniform";
  static constexpr std::string_view kDoc =
      "All epochs train on the same samples, drawn uniformly once.";
  static constexpr std::string_view kRule =
      "the samples with the smallest hashes of (seed, trigger, ordinal)";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "nothing";
  void Fields(auto&& field) { Kept::Fields(field); }
  friend bool operator==(const UniformSubset&, const UniformSubset&) = default;
};

struct LossSampling : Drawn {
  static constexpr std::string_view kType = "loss";
  static constexpr std::string_view kDoc = "Draws samples in proportion to their losses.";
  static constexpr std::string_view kRule = "probability in proportion to the loss";
  static constexpr std::string_view kWeights =
      "k / (N p), with priority k max(s, threshold) / (N s): the weighted mean stays unbiased";
  static constexpr std::string_view kCost = "one forward pass over what is scored";
  static constexpr std::string_view kSource =
      "Katharopoulos and Fleuret, Not All Samples Are Created Equal (ICML 2018)";
  void Fields(auto&& field) { Drawn::Fields(field); }
  friend bool operator==(const LossSampling&, const LossSampling&) = default;
};

struct GradientNormSampling : Drawn {
  static constexpr std::string_view kType = "gradient_norm";
  static constexpr std::string_view kDoc =
      "Draws samples in proportion to an upper bound of the norm of their gradients.";
  static constexpr std::string_view kRule =
      "probability in proportion to ||dL/d outputs||, p - y of cross entropy, or with `of: "
      "last_layer` times sqrt(1 + ||embedding||^2)";
  static constexpr std::string_view kWeights =
      "k / (N p), with priority k max(s, threshold) / (N s): the weighted mean stays unbiased";
  static constexpr std::string_view kCost =
      "one forward pass over what is scored, with `of: last_layer` two";
  static constexpr std::string_view kSource =
      "Katharopoulos and Fleuret, Not All Samples Are Created Equal (ICML 2018)";
  GradientOf of = GradientOf::kOutputs;
  void Fields(auto&& field) {
    Drawn::Fields(field);
    field("of", of, "Which gradients.");
  }
  friend bool operator==(const GradientNormSampling&, const GradientNormSampling&) = default;
};

// Of methods that take the samples with the k first scores.
struct Ranked : Scored {
  static constexpr std::string_view kWeights = "1 each: the choice is biased by design";
  static constexpr std::string_view kCost = "one forward pass over what is scored";
  friend bool operator==(const Ranked&, const Ranked&) = default;
};

struct LeastConfidence : Ranked {
  static constexpr std::string_view kType = "least_confidence";
  static constexpr std::string_view kDoc =
      "Takes the samples of whose class the model is least sure.";
  static constexpr std::string_view kRule =
      "the smallest greatest probability first, ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";
  friend bool operator==(const LeastConfidence&, const LeastConfidence&) = default;
};

struct Margin : Ranked {
  static constexpr std::string_view kType = "margin";
  static constexpr std::string_view kDoc =
      "Takes the samples whose two likeliest classes are closest.";
  static constexpr std::string_view kRule = "the smallest p1 - p2 first, ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";
  friend bool operator==(const Margin&, const Margin&) = default;
};

struct Entropy : Ranked {
  static constexpr std::string_view kType = "entropy";
  static constexpr std::string_view kDoc = "Takes the samples with the most even probabilities.";
  static constexpr std::string_view kRule = "the greatest -sum p log p first, ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";
  friend bool operator==(const Entropy&, const Entropy&) = default;
};

struct El2n : Ranked {
  static constexpr std::string_view kType = "el2n";
  static constexpr std::string_view kDoc = "Takes the samples with the greatest errors.";
  static constexpr std::string_view kRule =
      "the greatest ||p - y|| first, of real labels ||output - y||, ties by ordinal";
  static constexpr std::string_view kSource =
      "Paul et al., Deep Learning on a Data Diet (NeurIPS 2021)";
  friend bool operator==(const El2n&, const El2n&) = default;
};

struct RhoLoss : Kept {
  static constexpr std::string_view kType = "rho_loss";
  static constexpr std::string_view kDoc =
      "Takes samples that are not learnt yet but could be: those with a greater loss than a model "
      "has that was trained on other samples.";
  static constexpr std::string_view kRule =
      "the greatest loss - irreducible loss first; the irreducible loss is that of a model trained "
      "on the share `holdout` of the samples, which the training then leaves out, or with `twin` "
      "that of two models, each trained on one half and asked about the other";
  static constexpr std::string_view kWeights = "1 each: the choice is biased by design";
  static constexpr std::string_view kCost =
      "training the other model, once a trigger, one forward pass of it over all other samples, "
      "and "
      "one over what is scored";
  static constexpr std::string_view kSource =
      "Mindermann et al., Prioritized Training on Points that are Learnable, Worth Learning, and "
      "Not Yet Learnt (ICML 2022)";
  ScoreWhen when = ScoreWhen::kBatchThenSample;
  int64_t period = 1;
  double holdout = 0.1;
  bool twin = false;
  int64_t epochs = 1;
  std::optional<ModelSpec> model = std::nullopt;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("when", when, "As of `loss`.");
    field("period", period, "As of `loss`.", {.min = 0});
    field("holdout", holdout, "Share of the samples for the other model.",
          {.min = 0.01, .max = 0.5});
    field("twin", twin, "Two models on halves instead of a holdout.");
    field("epochs", epochs, "Epochs of the other model.", {.min = 1});
    field("model", model, "The other model; by default one like that which is trained.");
  }
  friend bool operator==(const RhoLoss&, const RhoLoss&) = default;
};

struct InfoBatch {
  static constexpr std::string_view kType = "info_batch";
  static constexpr std::string_view kDoc =
      "Leaves out some of the samples that are learnt well already, by the losses that the "
      "training "
      "itself has seen.";
  static constexpr std::string_view kRule =
      "before each epoch, of the samples whose last loss is below the mean, the share `prune` "
      "goes, "
      "drawn uniformly; from the epoch `until` x epochs on, all train";
  static constexpr std::string_view kWeights =
      "1; below the mean (samples there) / (samples kept there): the sum over an epoch stays "
      "unbiased";
  static constexpr std::string_view kCost = "nothing but four bytes a sample";
  static constexpr std::string_view kSource =
      "Qin et al., InfoBatch: Lossless Training Speed Up by Unbiased Dynamic Data Pruning (ICLR "
      "2024)";
  double prune = 0.5;
  double until = 0.875;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    field("prune", prune, "Share of the well learnt samples to leave out.",
          {.min = 0, .max = 0.99});
    field("until", until, "Share of the epochs in which samples are left out.",
          {.min = 0, .max = 1});
    field("warmup_triggers", warmup_triggers, "So many first triggers train on everything.",
          {.min = 0});
  }
  friend bool operator==(const InfoBatch&, const InfoBatch&) = default;
};

}  // namespace tidemill::models
