// The batches of a training, made by preprocessing workers or in its own process.
#pragma once

#include <memory>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_stream.h"
#include "models/training/training_spec.h"
#include "trainer_server/job/opened_job.h"

namespace tidemill::trainer_server {

// How a job makes batches in its own process.
loader::StreamOptions StreamOptionsOf(const v1::Preparation& preparation,
                                      loader::SettleRows settle);

// Those of the training's whole course from batch `plan.first_batch` on: made by workers where the
// job asks for them and there is a dispatcher, else here, and the same in either case. The plan is
// of the whole set in `parts`; what the training says of sources, and the job of shards, is added.
// Fails as preprocess::DivideSet(), WorkerSource::Open() and loader::BatchStream::Create() do.
absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenTrainingBatches(
    const v1::TrainingJob& job, const OpenedJob& opened, const models::TrainingSpec& training,
    const loader::BatchParts& parts, const loader::BatchPlan& plan,
    const loader::SettleRows& settle);

}  // namespace tidemill::trainer_server
