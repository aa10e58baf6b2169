// The methods that take samples by a score of each, the most telling first or in proportion.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct LossSampling : Drawn {
  static constexpr std::string_view kType = "loss";
  static constexpr std::string_view kDoc = "Draws samples in proportion to their losses.";
  static constexpr std::string_view kRule = "probability in proportion to the loss";
  static constexpr std::string_view kWeights =
      "k / (N p); with priority, k max(s, threshold) / (N s): the weighted mean stays unbiased";
  static constexpr std::string_view kCost = "one forward pass over the samples that are scored";
  static constexpr std::string_view kSource =
      "Katharopoulos and Fleuret, Not All Samples Are Created Equal (ICML 2018)";
  void Fields(auto&& field) { Drawn::Fields(field); }
  friend bool operator==(const LossSampling&, const LossSampling&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const LossSampling& spec);

struct GradientNormSampling : Drawn {
  static constexpr std::string_view kType = "gradient_norm";
  static constexpr std::string_view kDoc =
      "Draws samples in proportion to an upper bound of the norm of their gradients.";
  static constexpr std::string_view kRule =
      "probability in proportion to ||dL/d outputs||, which is p - y for cross entropy; with `of: "
      "last_layer`, times sqrt(1 + ||embedding||^2)";
  static constexpr std::string_view kWeights =
      "k / (N p); with priority, k max(s, threshold) / (N s): the weighted mean stays unbiased";
  static constexpr std::string_view kCost =
      "one forward pass over the samples that are scored, with `of: last_layer` two";
  static constexpr std::string_view kSource =
      "Katharopoulos and Fleuret, Not All Samples Are Created Equal (ICML 2018)";
  GradientOf of = GradientOf::kOutputs;
  void Fields(auto&& field) {
    Drawn::Fields(field);
    field("of", of, "Which gradients.");
  }
  friend bool operator==(const GradientNormSampling&, const GradientNormSampling&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const GradientNormSampling& spec);

struct LeastConfidence : Ranked {
  static constexpr std::string_view kType = "least_confidence";
  static constexpr std::string_view kDoc =
      "Takes the samples whose class the model is least sure of.";
  static constexpr std::string_view kRule =
      "the smallest value of the greatest probability first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  friend bool operator==(const LeastConfidence&, const LeastConfidence&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const LeastConfidence& spec);

template <>
class DownsamplingOf<LeastConfidence> final : public ClassScoredDownsampling<LeastConfidence> {};

struct Margin : Ranked {
  static constexpr std::string_view kType = "margin";
  static constexpr std::string_view kDoc =
      "Takes the samples whose two likeliest classes are closest.";
  static constexpr std::string_view kRule = "the smallest p1 - p2 first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  friend bool operator==(const Margin&, const Margin&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const Margin& spec);

template <>
class DownsamplingOf<Margin> final : public ClassScoredDownsampling<Margin> {};

struct Entropy : Ranked {
  static constexpr std::string_view kType = "entropy";
  static constexpr std::string_view kDoc = "Takes the samples with the most even probabilities.";
  static constexpr std::string_view kRule = "the greatest -sum p log p first; ties by ordinal";
  static constexpr std::string_view kSource = "Coleman et al., Selection via Proxy (ICLR 2020)";

  friend bool operator==(const Entropy&, const Entropy&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const Entropy& spec);

template <>
class DownsamplingOf<Entropy> final : public ClassScoredDownsampling<Entropy> {};

struct El2n : Ranked {
  static constexpr std::string_view kType = "el2n";
  static constexpr std::string_view kDoc = "Takes the samples with the greatest errors.";
  static constexpr std::string_view kRule =
      "the greatest ||p - y|| first, for real labels ||output - y||; ties by ordinal";
  static constexpr std::string_view kSource =
      "Paul et al., Deep Learning on a Data Diet (NeurIPS 2021)";
  friend bool operator==(const El2n&, const El2n&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const El2n& spec);

}  // namespace tidemill::trainer_server
