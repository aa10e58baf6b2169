// The baselines of a run's models: rules without a model, and the first model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "results/rows.h"
#include "results/sample_mean.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// A baseline on the windows on which both it and the model in use have a value. Both are therefore
// measured on the same samples.
struct Baseline {
  // `constant`, `last` or `first`.
  std::string name;
  // "always predicting the most frequent class known at each training".
  std::string rule = {};
  results::SampleMean reached;
  // The value of the models in use on these windows.
  results::SampleMean models;

  // Whether the baseline is better than the models. False when they are equal.
  bool Wins() const;
};

// Returns "the first model, trained on 90 samples and never retrained". `trigger` trained it.
std::string DescribeFirstModel(const supervisor::v1::GetRunResponse& run, int64_t trigger);

// Returns the baselines of one measure of one evaluation. The rules without a model come first.
std::vector<Baseline> BaselinesOf(const supervisor::v1::GetRunResponse& run,
                                  const results::Measured& measured);

// Returns a line for people, indented by two blanks. Empty when there is no rule without a model.
std::string DescribeBaselines(const std::vector<Baseline>& baselines);

// How the models in use compare with a rule, sample by sample.
struct RuleComparison {
  // "+5.2 points [+3.0, +7.4]"; empty when it is unknown.
  std::string difference = {};
  bool may_be_chance = false;
};

// Returns a few sentences, each after a blank: the values of the rules without a model, the rules
// that beat the models, and those from which only chance may divide them. `show` formats a value.
std::string BaselineSentences(const std::vector<Baseline>& baselines,
                              const std::function<std::string(double)>& show,
                              const std::function<RuleComparison(const Baseline&)>& compare);

// Returns the baselines of all measures of the run.
nlohmann::ordered_json BaselinesToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
