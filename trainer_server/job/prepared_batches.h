// The batches of a training. Preprocessing workers make them, or the training's own process does.
#pragma once

#include <memory>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_stream.h"
#include "models/training/training_spec.h"
#include "trainer_server/job/opened_job.h"

namespace tidemill::trainer_server {

// Opens the batches of the whole training from batch `plan.first_batch` on. Workers make them when
// the job asks for workers and there is a dispatcher; otherwise they are made here, as `here` says.
// The batches are the same in either case. The plan covers the whole set in `parts`. The training
// adds its sources, the job its shards. Returns the errors of preprocess::DivideSet(),
// WorkerSource::Open() and loader::BatchStream::Create().
absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenTrainingBatches(
    const v1::TrainingJob& job, const OpenedJob& opened, const models::TrainingSpec& training,
    const loader::BatchParts& parts, const loader::BatchPlan& plan,
    const loader::StreamOptions& here);

}  // namespace tidemill::trainer_server
