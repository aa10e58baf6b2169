#include "preprocess/client/set_division.h"

#include <utility>

#include "loader/sample_facts.h"

namespace tidemill::preprocess {
namespace {

absl::StatusOr<std::vector<loader::Subset>> ShardsOf(const Shards& shards,
                                                     const loader::SampleFacts& facts,
                                                     int64_t size) {
  return shards.by == ShardBy::kFile ? loader::ShardByFile(facts, shards.count)
                                     : loader::ShardByKey(size, shards.count);
}

}  // namespace

absl::StatusOr<SetDivision> DivideSet(const JobSpec& job, const loader::TrainingSet& set,
                                      std::shared_ptr<const loader::Subset> chosen,
                                      const storage::StorageClient& storage) {
  if (job.shards && chosen != nullptr) {
    return InvalidArgument("a job over chosen samples cannot have shards");
  }
  if (job.shards && job.num_lanes != job.shards->count) {
    return InvalidArgument(
        "a job of {} shards has one lane for each shard, not {}; its consumers cannot share "
        "batches",
        job.shards->count, job.num_lanes);
  }
  SetDivision division{.shards = {std::move(chosen)}};
  loader::SampleFacts facts;
  if (job.mix || (job.shards && job.shards->by == ShardBy::kFile)) {
    ASSIGN_OR_RETURN(facts, loader::ReadSampleFacts(storage, DatasetId{job.dataset_id}, set));
  }
  if (job.shards) {
    ASSIGN_OR_RETURN(std::vector<loader::Subset> shards, ShardsOf(*job.shards, facts, set.size()));
    division.shards.clear();
    for (loader::Subset& shard : shards) {
      division.shards.push_back(std::make_shared<const loader::Subset>(std::move(shard)));
    }
  }
  division.sources.resize(division.shards.size());
  for (size_t shard = 0; job.mix && shard < division.shards.size(); ++shard) {
    ASSIGN_OR_RETURN(loader::SampleSources sources,
                     loader::DivideIntoSources(set, facts, division.shards[shard].get(), *job.mix));
    division.sources[shard] = std::make_shared<const loader::SampleSources>(std::move(sources));
  }
  return division;
}

loader::BatchPlan PlanOf(const SetDivision& division, const loader::BatchPlan& plan, size_t shard) {
  loader::BatchPlan narrowed = plan;
  narrowed.subset = division.shards[shard];
  narrowed.sources = division.sources[shard];
  narrowed.part = static_cast<int64_t>(shard);
  return narrowed;
}

loader::BatchPlan PlanOf(const JobSpec& job, const SetDivision& division, int64_t lane) {
  return PlanOf(division, PlanOf(job, lane), job.shards ? static_cast<size_t>(lane) : 0);
}

absl::StatusOr<ShardLanes> LanesOf(const SetDivision& division, const loader::BatchParts& parts,
                                   const loader::BatchPlan& plan) {
  std::vector<loader::BatchPlan> plans;
  std::vector<int64_t> sizes;
  std::vector<int64_t> ends;
  int64_t num_samples = 0;
  for (size_t shard = 0; shard < division.shards.size(); ++shard) {
    plans.push_back(PlanOf(division, plan, shard));
    ASSIGN_OR_RETURN(const auto maker, loader::BatchMaker::Create(parts, plans.back()));
    sizes.push_back(maker->num_batches());
    ends.push_back(maker->end());
    num_samples += maker->num_samples();
  }
  loader::Interleave interleave(sizes);
  const std::vector<int64_t> begins = interleave.BeginsAt(plan.first_batch);
  for (size_t shard = 0; shard < plans.size(); ++shard) plans[shard].first_batch = begins[shard];
  return ShardLanes{.plans = std::move(plans),
                    .ends = std::move(ends),
                    .interleave = std::move(interleave),
                    .num_samples = num_samples};
}

}  // namespace tidemill::preprocess
