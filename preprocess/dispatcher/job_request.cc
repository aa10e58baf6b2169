#include "preprocess/dispatcher/job_request.h"

#include "base/names.h"

namespace tidemill::preprocess {
namespace {

absl::Status CheckLane(int index, const v1::Lane& lane) {
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
  if (request.split_batches() < 1) {
    return InvalidArgument("a split has at least one batch, not {}", request.split_batches());
  }
  if (!v1::Guarantee_IsValid(request.guarantee()) ||
      request.guarantee() == v1::GUARANTEE_UNSPECIFIED) {
    return InvalidArgument("job {} does not say which delivery it guarantees", request.name());
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
