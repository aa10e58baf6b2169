#include "preprocess/dispatcher/job_request.h"

#include "base/names.h"

namespace tidemill::preprocess {
namespace {

// The sums over all lanes fit an int64.
constexpr int kMaxLanes = 65'536;
constexpr int64_t kMaxBatches = int64_t{1} << 45;
constexpr int64_t kMaxSplitBatches = 1'000'000'000;

absl::Status CheckLane(int index, const v1::Lane& lane) {
  if (lane.end_batch() > kMaxBatches) {
    return InvalidArgument("lane {} has end_batch {}; the most is {}", index, lane.end_batch(),
                           kMaxBatches);
  }
  if (lane.first_batch() < 0 || lane.end_batch() < lane.first_batch()) {
    return InvalidArgument("lane {} has batches [{}, {})", index, lane.first_batch(),
                           lane.end_batch());
  }
  if (lane.shard() < 0) return InvalidArgument("lane {} has shard {}", index, lane.shard());
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckJob(const v1::CreateJobRequest& request) {
  RETURN_IF_ERROR(CheckLabel("job's name", request.name()));
  if (request.split_batches() < 1 || request.split_batches() > kMaxSplitBatches) {
    return InvalidArgument("split_batches is {}; write a number from 1 to {}",
                           request.split_batches(), kMaxSplitBatches);
  }
  if (request.lanes_size() > kMaxLanes) {
    return InvalidArgument("job {} has {} lanes; the most is {}", request.name(),
                           request.lanes_size(), kMaxLanes);
  }
  bool has_batches = false;
  for (int i = 0; i < request.lanes_size(); ++i) {
    const v1::Lane& lane = request.lanes(i);
    RETURN_IF_ERROR(CheckLane(i, lane));
    has_batches = has_batches || lane.end_batch() > lane.first_batch();
  }
  if (!has_batches) return InvalidArgument("job {} has no batches", request.name());
  return absl::OkStatus();
}

}  // namespace tidemill::preprocess
