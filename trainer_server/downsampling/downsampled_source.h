// The batches of a training that does not train on all of its samples in each epoch.
//
// sample_then_batch: before each period of epochs all samples are scored by the network as it is,
// some are chosen, and their batches follow until the next period begins.
// batch_then_sample: larger batches are read, scored, and what is chosen of each is a batch.
// Methods that look at no sample: their batches are read ahead through all epochs.
// Methods that look at losses choose before each epoch by those that the training itself has seen.
//
// One forward pass cannot serve both scoring and training where samples are scored: a pass that
// keeps what the backward pass needs costs more than it saves when most samples are left out, and a
// score is that of the network in evaluation mode. Where nothing would be left out, nothing is
// scored; a method that looks at losses never makes a pass of its own.
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
#include "trainer_server/downsampling/tally.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// What a source is made of.
struct DownsamplingSetup {
  // That which serves the trigger; no schedule, and not `none`.
  models::DownsamplingSpec method;
  std::shared_ptr<const loader::TrainingSet> set;  // Shared with the streams over it.
  // Opens batches of the set.
  std::function<absl::StatusOr<std::unique_ptr<loader::BatchSource>>(const loader::BatchPlan&)>
      open;
  // Where choices are written, so that a resumed training finds them.
  std::string folder;
  // Called after each batch that was scored.
  std::function<absl::Status()> progress;
  // Samples that are scored together where all are; results depend on it.
  int64_t score_batch = 256;
  // Of a method that has one: by ordinal what another model's loss is, NaN for samples that are not
  // trained on.
  std::vector<float> irreducible_losses = {};
};

// Thread-compatible. Goes on where the loop's counters say.
class DownsampledSource : public loader::BatchSource {
 public:
  // Samples that are trained on in all epochs, as far as is known.
  virtual int64_t samples_total() const = 0;
  // What was done so far.
  virtual Tally tally() const = 0;
  // Checkpoints from before this epoch are gone: what only they need may go, too.
  virtual absl::Status Forget(int64_t epoch) = 0;
};

// A source for `loop`, which must outlive it and be restored already when it resumes. NOT_FOUND or
// DATA_LOSS when the choice that a checkpoint needs is missing or damaged.
absl::StatusOr<std::unique_ptr<DownsampledSource>> MakeDownsampledSource(DownsamplingSetup setup,
                                                                         TrainingLoop& loop);

// How many last losses a training with such a method is to remember, of so many samples: all or
// none.
int64_t NumLosses(const models::DownsamplingSpec& method, int64_t num_samples);

// Samples of which a batch is chosen with batch_then_sample.
int64_t LargeBatch(int64_t batch_size, double fraction);

}  // namespace tidemill::trainer_server
