#include "trainer_server/training/training_counters.h"

#include <algorithm>

#include "fmt/format.h"

namespace tidemill::trainer_server {
namespace {

int64_t Ceiling(int64_t dividend, int64_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

void TrainingCounters::Count(int64_t num_rows, int64_t skipped, int64_t filtered) {
  ++batches;
  ++epoch_batches;
  samples += num_rows + skipped + filtered;
  filtered_in_epoch += filtered;
  num_skipped += skipped;
}

void TrainingCounters::EndEpoch() {
  if (loss_samples > 0) last_epoch_loss = loss();
  loss_sum = 0;
  loss_samples = 0;
  most_skipped = num_bad();
  skipped_before_epoch = num_skipped;
  most_filtered = num_filtered();
  filtered_in_epoch = 0;
  ++epoch;
  epoch_batches = 0;
  steps_before_epoch = num_steps;
  samples_before_epoch = samples;
}

int64_t NumSteps(const models::TrainingSpec& spec, const TrainingCounters& counters,
                 const loader::BatchSource& source) {
  const int64_t of_epoch = Ceiling(source.num_batches(), spec.accumulate);
  const int64_t whole = of_epoch * (spec.epochs - counters.epoch);
  if (!spec.max_samples || source.num_samples() == 0) return counters.steps_before_epoch + whole;
  const int64_t left = spec.max_samples->value - counters.samples_before_epoch;
  const int64_t epochs = left / source.num_samples();
  const int64_t batches = Ceiling(left % source.num_samples(), spec.batch_size);
  return counters.steps_before_epoch +
         std::min(whole, epochs * of_epoch + Ceiling(batches, spec.accumulate));
}

absl::Status CheckLimit(const TrainingCounters& counters, const models::TrainingSpec& spec,
                        std::string_view reason) {
  const auto& limit = spec.max_bad_samples;
  if (!limit || counters.num_bad() <= limit->value) return absl::OkStatus();
  return FailedPrecondition(
      "{} samples could not be read, decoded or learnt from, which is more than the {} that "
      "training.max_bad_samples allows; {}",
      counters.num_bad(), limit->value,
      reason.empty() ? "the samples are gone" : fmt::format("the last one: {}", reason));
}

absl::Status CheckHoles(int64_t num_skipped, int64_t num_samples, double max_bad_fraction,
                        std::string_view reason) {
  const double allowed = max_bad_fraction * static_cast<double>(num_samples);
  if (static_cast<double>(num_skipped) <= allowed) return absl::OkStatus();
  return FailedPrecondition(
      "{} of {} samples could not be read, decoded or learnt from, which is more than "
      "max_bad_fraction allows; {}",
      num_skipped, num_samples,
      reason.empty() ? "the samples are gone" : fmt::format("for example {}", reason));
}

}  // namespace tidemill::trainer_server
