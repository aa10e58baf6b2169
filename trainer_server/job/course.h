// What a report says about the course of a training, whoever trains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "loader/batch_source.h"
#include "trainer_server/downsampling/downsampled_source.h"
#include "trainer_server/job/prepared_training.h"
#include "trainer_server/training/loss_curve.h"
#include "trainer_server/training/training_counters.h"

namespace tidemill::trainer_server {

// Thread-compatible.
class Course {
 public:
  virtual ~Course() = default;

  virtual const PreparedTraining& training() const = 0;
  // nullptr before the first batch, as are the curve and the source.
  virtual const TrainingCounters* counters() const = 0;
  virtual const LossCurve* loss_curve() const = 0;
  virtual const loader::BatchSource* source() const = 0;
  // nullptr unless the training downsamples.
  virtual const DownsampledSource* downsampled() const { return nullptr; }
  // What must be known of the weights that the training began with; empty for fresh ones.
  virtual std::string start_note() const { return {}; }

  // The samples that the processes before this one have trained on.
  virtual int64_t first_samples() const = 0;
  // The samples of the whole training, as far as that is known.
  virtual int64_t samples_total() const = 0;
  // The samples that have been deleted since they were selected, as far as that was noticed.
  virtual int64_t num_deleted() const = 0;
  // The seconds for which it has waited for its source, and those in which its device had nothing
  // to compute, as far as they are known.
  virtual double wait_seconds() const = 0;
  virtual std::optional<double> device_idle_seconds() const { return std::nullopt; }
  // The seconds that auxiliary models took.
  virtual double auxiliary_seconds() const { return 0; }
};

}  // namespace tidemill::trainer_server
