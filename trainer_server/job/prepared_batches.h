// The batches of a training. Preprocessing workers make them, or the training's own process does.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_stream.h"
#include "models/training/training_spec.h"
#include "trainer_server/job/opened_job.h"

namespace tidemill::trainer_server {

// The parts of a sealed set. Without early stopping, all of it is trained on.
enum class SetPart { kTrained, kHeldOut };

// What is opened, and for whom.
struct WantedBatches {
  SetPart part = SetPart::kTrained;
  // A name that no other process has used. The ranks of a training use the same, and each opens one
  // slice.
  std::string group = {};
};

// Returns how often a sample of a set is expected to be used after its first use: in each further
// epoch, for each time that it is scored before it is trained on, and by later triggers, as far as
// the sets so far tell.
double ExpectedUses(const models::TrainingSpec& training, int64_t trigger,
                    const loader::TrainingSet& set);

// Opens the batches of a plan from batch `plan.first_batch` on. Workers make them when the job asks
// for workers and there is a dispatcher, and when there are enough samples; otherwise they are made
// here, as `here` says. The batches are the same in either case. The set in `parts` is that part of
// the sealed set. The training adds its sources, the job its shards. Returns the errors of
// preprocess::DivideSet(), WorkerSource::Open() and loader::BatchStream::Create().
absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenTrainingBatches(
    const v1::TrainingJob& job, const OpenedJob& opened, const models::TrainingSpec& training,
    const WantedBatches& wanted, const loader::BatchParts& parts, const loader::BatchPlan& plan,
    const loader::StreamOptions& here);

}  // namespace tidemill::trainer_server
