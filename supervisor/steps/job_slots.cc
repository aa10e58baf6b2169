#include "supervisor/steps/job_slots.h"

#include "config/config.h"
#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

constexpr char kReturned[] = "the job is over";

// Ranks train on processors.
std::string DeviceOf(const models::TrainingSpec& training) {
  return config::FormatDevice(training.EffectiveDevice());
}

}  // namespace

SlotRequest JobSlots::RequestFor(const std::string& stage, int64_t number) const {
  const PipelineSpec& spec = record_.spec();
  SlotRequest request{
      .job = {.run = record_.run().value, .stage = stage, .number = number},
      .pipeline = record_.pipeline(),
      .kind = stage == kEvaluateStage ? v1::MEMBER_KIND_EVALUATOR : v1::MEMBER_KIND_TRAINER_SERVER,
      .device = stage == kFitStage ? kFitStage : "cpu",
      .priority = static_cast<int>(spec.priority),
      .share = spec.share};
  if (request.kind == v1::MEMBER_KIND_EVALUATOR) {
    // Each round of a live run counts the evaluations of the pipeline again.
    const auto evaluation = static_cast<size_t>(number) % spec.evaluation.size();
    request.device = config::FormatDevice(spec.evaluation.at(evaluation).device);
    return request;
  }
  if (spec.training.placement) request.labels = spec.training.placement->labels;
  if (stage == kTrainStage) request.device = DeviceOf(spec.training);
  return request;
}

absl::StatusOr<JobPlace> JobSlots::Take(const std::string& stage, int64_t number) {
  const auto waiting = [&](const std::string& why) {
    v1::Progress progress = ProgressOf(stage.c_str(), 0, 0, "");
    progress.set_waiting_for(why);
    if (stage != kEvaluateStage) progress.set_trigger(number);
    record_.Report(std::move(progress));
  };
  ASSIGN_OR_RETURN(const Lease lease,
                   pool_.Acquire(RequestFor(stage, number), patience_.token(), waiting));
  return JobPlace{.endpoint = lease.endpoint,
                  .slot = lease.devices.front(),
                  .attempt = lease.placement_id,
                  .over = lease.over};
}

absl::Status JobSlots::Return(const std::string& stage, int64_t number) {
  if (patience_.stop_requested()) return absl::OkStatus();
  return patience_.RetryTransient([&] {
    return pool_.Release({.run = record_.run().value, .stage = stage, .number = number}, kReturned);
  });
}

absl::Status JobSlots::ReturnAll() {
  return patience_.RetryTransient(
      [&] { return pool_.ReleaseRun(record_.run(), "the run has ended"); });
}

}  // namespace tidemill::supervisor
