// A problem of a training.
#pragma once

#include <string>
#include <vector>

#include "models/spec/model_inputs.h"

namespace tidemill::models {

// A problem of the pipeline's value at `path`, such as "training.loss".
struct TrainingProblem {
  std::string path;
  SpecProblem problem;
};
using TrainingProblems = std::vector<TrainingProblem>;

}  // namespace tidemill::models
