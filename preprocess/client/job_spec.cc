#include "preprocess/client/job_spec.h"

#include <utility>

#include "base/check.h"
#include "loader/held_out.h"

namespace tidemill::preprocess {
namespace {

using PurposeNames = config::EnumNames<OrderPurpose>;

std::string_view NameOf(OrderPurpose purpose) {
  for (const auto& [value, name] : PurposeNames::kNames) {
    if (value == purpose) return name;
  }
  TIDEMILL_CHECK(false);
  return {};
}

}  // namespace

OrderPurpose OrderPurposeOf(std::string_view name) {
  for (const auto& [value, known] : PurposeNames::kNames) {
    if (known == name) return value;
  }
  TIDEMILL_CHECK(false);
  return OrderPurpose::kShuffle;
}

loader::BatchPlan PlanOf(const JobSpec& job, int64_t lane) {
  // If lanes are shards, each has its own batches.
  const bool share_batches = !job.shards;
  return {.batch_size = job.batch_size,
          .epochs = job.epochs,
          .shuffle = {.seed = job.seed,
                      .purpose = NameOf(job.purpose),
                      .trigger = job.draw == 0 ? job.trigger : job.draw},
          .order = job.order,
          .draw = job.repeated_draw ? std::optional(loader::RepeatedDraw{
                                          .samples = job.repeated_draw->samples,
                                          .replacement = job.repeated_draw->replacement})
                                    : std::nullopt,
          .first_epoch = job.first_epoch,
          .training = job.training,
          .standardize_target = job.standardize_target,
          .last_batch = job.last_batch,
          .buckets = job.buckets,
          .slice = share_batches ? lane : 0,
          .num_slices = share_batches ? job.num_lanes : 1};
}

std::shared_ptr<const loader::TrainingSet> PartOf(
    const JobSpec& job, std::shared_ptr<const loader::TrainingSet> sealed) {
  if (!job.held_out) return sealed;
  loader::DividedSet sets = loader::HoldOut(*sealed, job.held_out->share, job.held_out->seed);
  return std::make_shared<const loader::TrainingSet>(
      job.held_out->measured ? std::move(sets.held_out) : std::move(sets.trained));
}

}  // namespace tidemill::preprocess
