#include "trainer_server/training/training_counters.h"

#include <algorithm>

#include "fmt/format.h"

namespace tidemill::trainer_server {
namespace {

int64_t Ceiling(int64_t dividend, int64_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

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
