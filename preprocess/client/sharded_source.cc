#include "preprocess/client/sharded_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::preprocess {
namespace {

constexpr std::chrono::milliseconds kFinishDeadline{2'000};

std::vector<v1::Lane> ToProto(const ShardLanes& lanes) {
  std::vector<v1::Lane> protos;
  for (size_t shard = 0; shard < lanes.plans.size(); ++shard) {
    v1::Lane& lane = protos.emplace_back();
    lane.set_first_batch(lanes.plans[shard].first_batch);
    lane.set_end_batch(lanes.ends[shard]);
    // 0 is for lanes that any worker makes.
    lane.set_shard(static_cast<int32_t>(shard) + 1);
  }
  return protos;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShardedSource>> ShardedSource::Open(
    const JobSpec& job, const std::string& fitted, const loader::BatchParts& parts,
    const SetDivision& division, const loader::BatchPlan& plan,
    const WorkerSourceOptions& options) {
  ASSIGN_OR_RETURN(ShardLanes lanes, LanesOf(division, parts, plan));
  std::unique_ptr<ShardedSource> source(new ShardedSource(options.dispatcher));
  source->job_name_ = options.job_name;
  WorkerSourceOptions of_shard = options;
  of_shard.bytes_ahead = options.bytes_ahead / std::ssize(lanes.plans);
  of_shard.threads_here = 0;
  of_shard.charges = source->charges_;
  of_shard.shard = ShardLane{.lanes = ToProto(lanes)};
  std::vector<std::unique_ptr<loader::BatchSource>> shards;
  for (size_t shard = 0; shard < lanes.plans.size(); ++shard) {
    source->shards_.push_back(nullptr);
    shards.push_back(nullptr);
    if (lanes.plans[shard].first_batch >= lanes.ends[shard]) continue;
    of_shard.shard->lane = static_cast<int32_t>(shard);
    ASSIGN_OR_RETURN(auto maker, loader::BatchMaker::Create(parts, lanes.plans[shard]));
    ASSIGN_OR_RETURN(auto opened, WorkerSource::Open(job, fitted, std::move(maker), of_shard));
    source->job_id_ = opened->job_id();
    source->shards_.back() = opened.get();
    shards.back() = std::move(opened);
  }
  source->batches_ = std::make_unique<loader::InterleavedSource>(
      std::move(shards), std::move(lanes.interleave), lanes.num_samples, plan.first_batch);
  return source;
}

ShardedSource::~ShardedSource() {
  batches_.reset();
  if (job_id_ == 0) return;
  v1::FinishJobRequest request;
  request.set_job_id(job_id_);
  const auto finished = dispatcher_.FinishJob(request, kFinishDeadline);
  if (!finished.ok()) {
    log::Warn("cannot tell the dispatcher that a job has ended; it will notice later",
              {{"job", job_name_}, {"error", std::string(finished.status().message())}});
  } else {
    charges_->Note(finished->usage());
  }
}

loader::PathWork ShardedSource::work() const {
  loader::PathWork total;
  bool has_all = false;
  for (const WorkerSource* const shard : shards_) {
    if (shard == nullptr) continue;
    // The work of workers is known only for the whole job. All of one graph, so that they add up.
    loader::Merge(has_all ? shard->work_here() : shard->work(), total).IgnoreError();
    has_all = true;
  }
  return total;
}

std::vector<WorkerSourceCounters> ShardedSource::counters() const {
  std::vector<WorkerSourceCounters> counters;
  for (const WorkerSource* const shard : shards_) {
    counters.push_back(shard == nullptr ? WorkerSourceCounters() : shard->counters());
  }
  return counters;
}

}  // namespace tidemill::preprocess
