// The part of the training loop in which ranks work together. Each has the whole state and computes
// the gradients of its own slice of a batch. In a step
//
//   loss of the slice -> what the batch has come to -> gradients, added up in buckets -> optimiser
//
// nothing but the buffers changes before the last sum has arrived. All ranks then make the same
// step and remain equal, bit for bit. A rank that is lost makes a sum fail, and the others go back
// to where the step began.
#include <array>
#include <cmath>
#include <utility>

#include "trainer_server/training/culprits.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {
namespace {

// More than there are ranks.
constexpr int64_t kMostRanks = int64_t{1} << 16;

}  // namespace

// Numbers of a slice and, once they are added up, of the batch.
struct TrainingLoop::BatchSums {
  std::array<double, 7> numbers = {};

  double& loss() { return numbers[0]; }
  double& divisor() { return numbers[1]; }
  double& rows() { return numbers[2]; }
  double& skipped() { return numbers[3]; }
  double& filtered() { return numbers[4]; }
  // The rows that alone spoil the loss, and the slices whose loss is not finite without them.
  double& culprits() { return numbers[5]; }
  double& not_finite() { return numbers[6]; }
};

absl::Status TrainingLoop::BeginStep() {
  before_step_ = {.state = state_, .buffers = learner_.CopyBuffers()};
  learner_.optimizer().ZeroGradients();
  return absl::OkStatus();
}

void TrainingLoop::GiveUpStep() {
  if (!before_step_) return;
  state_ = std::move(before_step_->state);
  learner_.SetBuffers(before_step_->buffers);
  before_step_.reset();
  group_is_open_ = false;
  group_divisor_ = 0;
  group_batches_ = 0;
}

absl::StatusOr<std::optional<BatchLoss>> TrainingLoop::LossOfSlice(
    const loader::TrainingBatch& slice, BatchSums& sums) {
  sums.skipped() = static_cast<double>(slice.num_skipped);
  sums.filtered() = static_cast<double>(slice.num_filtered);
  if (!slice.reason.empty()) last_reason_ = slice.reason;
  if (slice.rows.num_rows() == 0) return std::optional<BatchLoss>();
  // Not one stream for the whole training: a rank that begins in the middle of it draws the same.
  models::SeedGenerator({.seed = setup_.training.seed,
                         .purpose = "dropout",
                         .trigger = setup_.trigger,
                         .epoch = state_.counters.batches * kMostRanks + setup_.ranks->rank()});
  ASSIGN_OR_RETURN(DeviceBatch moved, learner_.PrepareToLearn(slice));
  BatchLoss loss = learner_.LossOf(moved);
  double value = loss.number.Wait();
  ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> rest,
                   WithoutCulprits(slice, moved, loss, value));
  const loader::TrainingBatch& seen = rest.has_value() ? *rest : slice;
  if (rest.has_value()) last_reason_ = rest->reason;
  sums.culprits() = static_cast<double>(seen.num_skipped - slice.num_skipped);
  sums.skipped() = static_cast<double>(seen.num_skipped);
  if (seen.rows.num_rows() == 0) return std::optional<BatchLoss>();
  sums.rows() = static_cast<double>(seen.rows.num_rows());
  if (!std::isfinite(value)) {
    sums.not_finite() = 1;
    return std::optional<BatchLoss>();
  }
  sums.loss() = value;
  sums.divisor() = learner_.DivisorOf(moved);
  return std::optional(std::move(loss));
}

absl::Status TrainingLoop::VisitSlice(const loader::TrainingBatch& slice,
                                      const loader::BatchSource& source) {
  if (!group_is_open_) RETURN_IF_ERROR(BeginStep());
  BatchSums sums;
  ASSIGN_OR_RETURN(std::optional<BatchLoss> loss, LossOfSlice(slice, sums));
  RETURN_IF_ERROR(setup_.ranks->Sum(sums.numbers));
  const auto rows = static_cast<int64_t>(sums.rows());
  const auto skipped = static_cast<int64_t>(sums.skipped());
  const auto filtered = static_cast<int64_t>(sums.filtered());
  const bool is_refused = sums.not_finite() > 0 || (rows == 0 && sums.culprits() > 0);
  if (is_refused) {
    if (slice.rows.num_rows() > 0) learner_.RestoreBuffers();
    RETURN_IF_ERROR(RefuseLoss());
  } else if (rows > 0) {
    group_divisor_ += sums.divisor();
    Measure(sums.divisor() > 0 ? sums.loss() / sums.divisor() : 0, rows, skipped + filtered);
  }
  Count(rows, skipped, filtered);
  const bool sends = EndsStep(slice, source) && group_batches_ > 0;
  if (sends) learner_.gradient_sums().Begin();
  if (!is_refused && loss.has_value()) Learner::AddGradientsOf(*loss, LossFactor());
  return sends ? learner_.gradient_sums().Finish() : absl::OkStatus();
}

}  // namespace tidemill::trainer_server
