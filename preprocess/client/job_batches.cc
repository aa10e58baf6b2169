#include "preprocess/client/job_batches.h"

#include <iterator>
#include <utility>
#include <vector>

#include "loader/interleave.h"
#include "preprocess/client/sharded_source.h"
#include "preprocess/client/worker_source.h"

namespace tidemill::preprocess {
namespace {

std::string FittedOf(const loader::BatchParts& parts) {
  return parts.fitted == nullptr ? "" : parts.fitted->Encode();
}

WorkerSourceOptions OptionsOf(const JobBatches& job, const JobWorkers& workers,
                              const loader::StreamOptions& here) {
  return {.dispatcher = workers.dispatcher,
          .job_name = workers.job_name,
          .link = {.transport = workers.spec.transport,
                   .compression = workers.spec.compression,
                   .rows_are_writable = workers.rows_are_writable},
          .most_workers = workers.spec.most,
          .bytes_ahead = workers.spec.bytes_ahead.bytes,
          .threads_here = workers.spec.training_helps ? here.num_threads : 0,
          .settle = here.settle,
          .samples = job.samples};
}

}  // namespace

absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenHere(const JobBatches& job,
                                                              const loader::StreamOptions& here) {
  if (!job.spec.shards) {
    return loader::BatchStream::Create(job.parts, PlanOf(job.division, job.plan, 0), here);
  }
  ASSIGN_OR_RETURN(ShardLanes lanes, LanesOf(job.division, job.parts, job.plan));
  const auto num_lanes = std::ssize(lanes.plans);
  std::vector<std::unique_ptr<loader::BatchSource>> streams;
  for (const loader::BatchPlan& plan : lanes.plans) {
    ASSIGN_OR_RETURN(auto stream,
                     loader::BatchStream::Create(job.parts, plan,
                                                 {.num_threads = 1,
                                                  .bytes_ahead = here.bytes_ahead / num_lanes,
                                                  .settle = here.settle}));
    streams.push_back(std::move(stream));
  }
  return std::make_unique<loader::InterleavedSource>(
      std::move(streams), std::move(lanes.interleave), lanes.num_samples, job.plan.first_batch);
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenAtWorkers(
    const JobBatches& job, const JobWorkers& workers, const loader::StreamOptions& here) {
  const std::string fitted = FittedOf(job.parts);
  // Workers share their rows. This process makes only what they do not.
  loader::BatchParts parts = job.parts;
  parts.sharing = nullptr;
  const WorkerSourceOptions options = OptionsOf(job, workers, here);
  if (job.spec.shards) {
    return ShardedSource::Open(job.spec, fitted, parts, job.division, job.plan, options);
  }
  ASSIGN_OR_RETURN(auto maker,
                   loader::BatchMaker::Create(parts, PlanOf(job.division, job.plan, 0)));
  // A consumer that had its last batch before it was interrupted has no use for workers.
  if (job.plan.first_batch >= maker->end()) return OpenHere(job, here);
  return WorkerSource::Open(job.spec, fitted, std::move(maker), options);
}

}  // namespace tidemill::preprocess
