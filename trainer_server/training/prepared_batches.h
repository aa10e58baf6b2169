// Batches that preprocessing workers make for a training.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "loader/batch_stream.h"
#include "models/training_spec.h"
#include "preprocess/client/worker_source.h"
#include "trainer_server/training/opened_job.h"

namespace tidemill::trainer_server {

// Those of the training's whole course from batch `plan.first_batch` on. They are the ones that
// BatchStream would make of the same parts and plan. The job has `workers`. Fails as
// preprocess::WorkerSource::Open() does.
absl::StatusOr<std::unique_ptr<preprocess::WorkerSource>> OpenPreparedBatches(
    const TrainingJob& job, const OpenedJob& opened, const models::TrainingSpec& training,
    loader::BatchParts parts, const loader::BatchPlan& plan, loader::SettleRows settle);

}  // namespace tidemill::trainer_server
