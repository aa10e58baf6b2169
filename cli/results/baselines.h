// What the models of a run are to be held against: rules without a model, and the first model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "cli/results/sample_mean.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// On the windows on which it and the model in use both have a value, hence on the same samples.
struct Baseline {
  // `constant`, `last` or `first`.
  std::string name;
  // "always saying the most frequent class known at each training".
  std::string rule;
  SampleMean reached;
  // What the models in use reached there.
  SampleMean models;

  // Whether the models are worse; false where they are equal.
  bool Wins() const;
};

// "the first model, trained on 90 samples and never retrained"; `trigger` made it.
std::string DescribeFirstModel(const supervisor::v1::GetRunResponse& run, int64_t trigger);

// Of one measure of one evaluation, the rules without a model first.
std::vector<Baseline> BaselinesOf(const supervisor::v1::GetRunResponse& run, int32_t evaluation,
                                  const std::string& dataset, const std::string& measure);

// A line for people, two blanks in; empty where there is no rule without a model.
std::string DescribeBaselines(const std::vector<Baseline>& baselines);

// A few sentences, each with a blank before it: what rules without a model would have had, and,
// where the models lose to one, that they do. `show` makes text of a value.
std::string BaselineSentences(const std::vector<Baseline>& baselines,
                              const std::function<std::string(double)>& show);

// Of all measures of the run.
nlohmann::ordered_json BaselinesToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
