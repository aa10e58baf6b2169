#include "preprocess/client/training_job.h"

namespace tidemill::preprocess {
namespace {

loader::LastBatch LastBatchOf(models::LastBatch last) {
  switch (last) {
    case models::LastBatch::kDrop:
      return loader::LastBatch::kDrop;
    case models::LastBatch::kWrap:
      return loader::LastBatch::kWrap;
    case models::LastBatch::kKeep:
      break;
  }
  return loader::LastBatch::kKeep;
}

}  // namespace

loader::BatchPlan PlanOfTraining(const models::TrainingSpec& training, int64_t draw) {
  return {.batch_size = training.batch_size,
          .epochs = training.epochs,
          .shuffle = {.seed = training.seed, .purpose = "shuffle", .trigger = draw},
          .order = training.EffectiveOrder(),
          .last_batch = LastBatchOf(training.last_batch),
          .buckets = training.buckets};
}

JobSpec JobOfTraining(const JobOrigin& origin, const models::TrainingSpec& training,
                      const loader::BatchPlan& plan) {
  JobSpec job = {.run_id = origin.run_id,
                 .trigger = origin.trigger,
                 .dataset_id = origin.dataset_id,
                 .dataset = origin.dataset,
                 .graph = origin.graph,
                 .batch_size = plan.batch_size,
                 .epochs = plan.epochs,
                 .first_epoch = plan.first_epoch,
                 .seed = plan.shuffle.seed,
                 .purpose = OrderPurposeOf(plan.shuffle.purpose),
                 .draw = origin.draw,
                 .order = plan.order,
                 .cache = training.cache,
                 .training = plan.training,
                 .shares = training.share != models::Share::kOff,
                 .last_batch = plan.last_batch,
                 .num_lanes = plan.num_slices,
                 .buckets = plan.buckets,
                 .mix = training.mix};
  if (training.early_stopping) {
    job.held_out = {.share = training.early_stopping->held_out, .seed = training.seed};
  }
  if (plan.draw) {
    job.repeated_draw = {.samples = plan.draw->samples, .replacement = plan.draw->replacement};
  }
  return job;
}

}  // namespace tidemill::preprocess
