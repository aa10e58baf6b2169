#include "preprocess/client/job_spec.h"

#include <utility>

#include "loader/held_out.h"

namespace tidemill::preprocess {

loader::BatchPlan PlanOf(const JobSpec& job, int64_t lane) {
  return {.batch_size = job.batch_size,
          .epochs = job.epochs,
          .shuffle = {.seed = job.seed, .purpose = "shuffle", .trigger = job.trigger},
          .order = job.order,
          .last_batch = job.last_batch,
          .buckets = job.buckets,
          .slice = lane,
          .num_slices = job.num_lanes};
}

std::shared_ptr<const loader::TrainingSet> PartOf(const JobSpec& job, loader::TrainingSet sealed) {
  if (job.held_out) {
    sealed = loader::HoldOut(sealed, job.held_out->share, job.held_out->seed).trained;
  }
  return std::make_shared<const loader::TrainingSet>(std::move(sealed));
}

}  // namespace tidemill::preprocess
