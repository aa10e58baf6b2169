#include "trainer_server/training/prepared_batches.h"

#include <utility>

#include "base/config.h"
#include "preprocess/client/workers_spec.h"

namespace tidemill::trainer_server {
namespace {

preprocess::JobSpec SpecOf(const TrainingJob& job, const models::TrainingSpec& training,
                           const loader::BatchPlan& plan) {
  preprocess::JobSpec spec = {.run_id = job.run_id,
                              .trigger = job.trigger,
                              .dataset_id = job.dataset_id,
                              .dataset = job.dataset,
                              .graph = job.graph,
                              .batch_size = plan.batch_size,
                              .epochs = plan.epochs,
                              .seed = plan.shuffle.seed,
                              .order = plan.order,
                              .buckets = plan.buckets};
  if (training.early_stopping) {
    spec.held_out = {.share = training.early_stopping->held_out, .seed = training.seed};
  }
  return spec;
}

}  // namespace

absl::StatusOr<std::unique_ptr<preprocess::WorkerSource>> OpenPreparedBatches(
    const TrainingJob& job, const OpenedJob& opened, const models::TrainingSpec& training,
    loader::BatchParts parts, const loader::BatchPlan& plan, loader::SettleRows settle) {
  ASSIGN_OR_RETURN(const auto workers,
                   config::Read<preprocess::WorkersSpec>(job.workers, "workers"));
  const std::string fitted = parts.fitted == nullptr ? "" : parts.fitted->Encode();
  ASSIGN_OR_RETURN(auto maker, loader::BatchMaker::Create(std::move(parts), plan));
  // Another process may have begun this training, with a job of its own that has come further.
  std::string name =
      fmt::format("run-{}/trigger-{}/{}", job.run_id, job.trigger, rpc::NewRequestId());
  return preprocess::WorkerSource::Open(
      SpecOf(job, training, plan), fitted, std::move(maker),
      {.dispatcher = opened.PeerOf(job.endpoints.preprocess),
       .job_name = std::move(name),
       .link = {.transport = workers.transport, .compression = workers.compression},
       .most_workers = workers.most,
       .bytes_ahead = workers.bytes_ahead.bytes,
       .settle = std::move(settle)});
}

}  // namespace tidemill::trainer_server
