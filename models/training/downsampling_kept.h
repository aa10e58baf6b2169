// What the methods of `training.downsampling` have in common: how much is kept, when samples are
// scored, how a draw is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

// When samples are scored: all of them before each period, or each large batch before its step.
enum class ScoreWhen { kSampleThenBatch, kBatchThenSample };
// How a draw with unequal probabilities is made.
enum class ScoreSampling { kPriority, kPoisson, kSystematic };
// Of which last-layer gradients: of its bias, p - y, or of its weights, too.
enum class GradientOf { kOutputs, kLastLayer };

// How much is kept, and how often the choice is made anew; common to all methods.
struct Kept {
  double fraction = 0.1;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    field("fraction", fraction,
          "Share of the samples that an epoch trains on, rounded down, at least one.",
          {.min = 1e-6, .max = 1, .required = true, .example = "0.1"});
    field("warmup_triggers", warmup_triggers, "So many first triggers train on everything.",
          {.min = 0});
  }
  friend bool operator==(const Kept&, const Kept&) = default;
};

// Of methods that look at each sample with the model.
struct Scored : Kept {
  ScoreWhen when = ScoreWhen::kSampleThenBatch;
  int64_t period = 1;
  bool balance = false;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("when", when,
          "sample_then_batch: score all samples, choose, train on the chosen ones; "
          "batch_then_sample: score batches of batch_size / fraction and train on the part of each "
          "that is chosen.");
    field("period", period,
          "Epochs after which all samples are scored again, with sample_then_batch; 0: once a "
          "training.",
          {.min = 0});
    field("balance", balance,
          "Choose from each class by itself, the same share of each; with sample_then_batch.");
  }
  void Check(config::Problems& problems) const {
    if (balance && when == ScoreWhen::kBatchThenSample) {
      problems.Add("balance", "needs all samples at once", "write when: sample_then_batch");
    }
  }
  friend bool operator==(const Scored&, const Scored&) = default;
};

// Of methods that draw with probabilities in proportion to scores.
struct Drawn : Scored {
  ScoreSampling sampling = ScoreSampling::kPriority;
  double smoothing = 0.1;

  void Fields(auto&& field) {
    Scored::Fields(field);
    field("sampling", sampling,
          "priority and systematic draw a fixed number, poisson each sample by itself.");
    field("smoothing", smoothing,
          "Adds so many times the mean to each score: no weight is then above (1 + x) / x.",
          {.min = 0});
  }
  friend bool operator==(const Drawn&, const Drawn&) = default;
};

}  // namespace tidemill::models

namespace tidemill::config {

template <>
struct EnumNames<models::ScoreWhen> {
  static constexpr std::pair<models::ScoreWhen, std::string_view> kNames[] = {
      {models::ScoreWhen::kSampleThenBatch, "sample_then_batch"},
      {models::ScoreWhen::kBatchThenSample, "batch_then_sample"}};
};
template <>
struct EnumNames<models::ScoreSampling> {
  static constexpr std::pair<models::ScoreSampling, std::string_view> kNames[] = {
      {models::ScoreSampling::kPriority, "priority"},
      {models::ScoreSampling::kPoisson, "poisson"},
      {models::ScoreSampling::kSystematic, "systematic"}};
};
template <>
struct EnumNames<models::GradientOf> {
  static constexpr std::pair<models::GradientOf, std::string_view> kNames[] = {
      {models::GradientOf::kOutputs, "outputs"}, {models::GradientOf::kLastLayer, "last_layer"}};
};

}  // namespace tidemill::config
