// Finds the models that have seen given samples, in their own training sets or through the models
// that they continue from.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::cli {

using TrainingSetMatch = selector::v1::FindTrainingSetsResponse::Match;

struct ModelThatSaw {
  int64_t model = 0;
  int64_t run = 0;
  int64_t trigger = 0;
  // The number of the samples in its own training set; an upper bound when `is_unsure`.
  int64_t num_samples = 0;
  // The retention of its run has removed the entries of its training set.
  bool is_unsure = false;
  // The nearest model before it that has seen some. 0 when its own training set holds some.
  int64_t through = 0;
  // Its weights are removed already.
  bool is_removed = false;
};

// Adds up the matches of one set.
void AddMatch(const TrainingSetMatch& match, std::vector<TrainingSetMatch>& matches);

// Returns the models in the order of their ids. `models` are all models.
std::vector<ModelThatSaw> ModelsThatSaw(const std::vector<TrainingSetMatch>& matches,
                                        const std::vector<model_store::v1::Model>& models);

}  // namespace tidemill::cli
