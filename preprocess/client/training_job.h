// The batches that a training reads: the plan of its passes, and the job from which workers make
// them.
#pragma once

#include <cstdint>
#include <string>

#include "loader/batches/batch_plan.h"
#include "models/training/training_spec.h"
#include "preprocess/client/job_spec.h"

namespace tidemill::preprocess {

// The sealed training set that a job reads, and what is made of its samples.
struct JobOrigin {
  int64_t run_id = 0;
  int64_t trigger = 0;
  int64_t dataset_id = 0;
  // A DatasetSpec and a GraphSpec, as canonical YAML.
  std::string dataset = {};
  std::string graph = {};
  // The number that random draws use in place of the trigger; 0 for the trigger.
  int64_t draw = 0;
};

// Returns the plan of a training's epochs over the samples that it trains on. `draw` is the number
// that random draws use: that of JobOrigin, or the trigger.
loader::BatchPlan PlanOfTraining(const models::TrainingSpec& training, int64_t draw);

// Returns the job that makes the batches of `plan`, which is of this training. With early stopping,
// the job takes the part of the set that is trained on.
JobSpec JobOfTraining(const JobOrigin& origin, const models::TrainingSpec& training,
                      const loader::BatchPlan& plan);

}  // namespace tidemill::preprocess
