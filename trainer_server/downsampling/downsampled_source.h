// The batches of a training that does not train on every sample in each epoch. There are four
// kinds:
//
// - sample_then_batch: before each period of epochs, the current network scores all samples. Some
//   of them are chosen, and their batches follow until the next period.
// - batch_then_sample: larger batches are read and scored. The samples chosen from one of them are
//   a batch.
// - Methods that use no samples' data: their batches are read ahead through all epochs.
// - Methods that use losses: they choose before each epoch, by the losses that the training itself
// has computed.
//
// Scoring and training do not share a forward pass. A pass that keeps what the backward pass needs
// costs more than it saves when most samples are left out. Besides, scores are computed with the
// network in evaluation mode. When nothing would be left out, nothing is scored. A method that uses
// losses never makes its own pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_stream.h"
#include "loader/training_set.h"
#include "models/training/downsampling_spec.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/tally.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// The parts from which a source is made.
struct DownsamplingSetup {
  // The method that serves the trigger. It is neither a schedule nor `none`.
  models::DownsamplingSpec method;
  std::shared_ptr<const loader::TrainingSet> set;  // Shared with the streams over it.
  // Opens batches of the set.
  std::function<absl::StatusOr<std::unique_ptr<loader::BatchSource>>(const loader::BatchPlan&)>
      open;
  // The folder where choices are written, so that a resumed training finds them.
  std::string folder;
  // Called after each batch that was scored.
  std::function<absl::Status()> progress;
  // The number of samples that are scored together when all are scored. The results depend on it.
  int64_t score_batch = 256;
  // For a method that uses it: the loss of another model for each ordinal, NaN for samples that are
  // not trained on.
  std::vector<float> irreducible_losses = {};
  // Finds the event times of the samples of the set. Called once, for a method that uses them.
  std::function<absl::StatusOr<SampleTimes>()> find_times = nullptr;
};

// Thread-compatible. Continues from the loop's counters.
class DownsampledSource : public loader::BatchSource {
 public:
  // Returns how many samples all epochs together train on, as far as that is known.
  virtual int64_t samples_total() const = 0;
  // Returns the counts so far.
  virtual Tally tally() const = 0;
  // Returns how long passes that scored have waited for batches, in this process.
  virtual double scoring_wait_seconds() const = 0;
  // Tells the source that the checkpoints from before this epoch are removed. It may remove the
  // files that only they need.
  virtual absl::Status Forget(int64_t epoch) = 0;
};

// Makes a source for `loop`, which must outlive it. When the training resumes, `loop` must be
// restored already. NOT_FOUND or DATA_LOSS when the choice that a checkpoint needs is missing or
// damaged.
absl::StatusOr<std::unique_ptr<DownsampledSource>> MakeDownsampledSource(DownsamplingSetup setup,
                                                                         TrainingLoop& loop);

// Returns the number of samples whose last loss the training must remember: `num_samples` or 0.
int64_t NumLosses(const models::DownsamplingSpec& method, int64_t num_samples);

// Returns the number of samples from which a batch is chosen with batch_then_sample.
int64_t LargeBatch(int64_t batch_size, double fraction);

}  // namespace tidemill::trainer_server
