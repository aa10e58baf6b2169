// The part of the training loop in which ranks work together. Each has the whole state and computes
// the gradients of its own slice of a batch. In a step
//
//   loss of the slice -> what the batch has come to -> gradients, added up in buckets -> optimiser
//
// the middle two are awaited together where the gradients are those of one batch. In any case
// nothing but the buffers changes before the last sum has arrived. All ranks then make the same
// step and remain equal, bit for bit. A rank that is lost makes a sum fail, and the others go back
// to where the step began.
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "models/shared_norm.h"
#include "trainer_server/training/culprits.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {
namespace {

// More than there are ranks.
constexpr int64_t kMostRanks = int64_t{1} << 16;

}  // namespace

// Numbers of a slice and, once they are added up, of the batch.
struct TrainingLoop::BatchSums {
  std::array<double, 8> numbers = {};

  double& loss() { return numbers[0]; }
  double& divisor() { return numbers[1]; }
  double& rows() { return numbers[2]; }
  double& skipped() { return numbers[3]; }
  double& filtered() { return numbers[4]; }
  // The rows that alone spoil the loss, and the slices whose loss is not finite without them.
  double& culprits() { return numbers[5]; }
  double& not_finite() { return numbers[6]; }
  // Since the processes began.
  double& deleted() { return numbers[7]; }
};

int64_t TrainingLoop::num_deleted() const {
  if (setup_.ranks != nullptr) return deleted_in_all_;
  return setup_.bad == nullptr ? 0 : setup_.bad->num_deleted();
}

void TrainingLoop::ShareNormalisation() {
  models::SetSumOverParts([ranks = setup_.ranks](torch::Tensor& numbers) {
    const absl::Status added =
        ranks->Sum({numbers.data_ptr<double>(), static_cast<size_t>(numbers.numel())});
    TORCH_CHECK(added.ok(), std::string(added.message()));
  });
}

void TrainingLoop::BeginStep() {
  before_step_ = {.state = state_, .buffers = learner_.CopyBuffers()};
  learner_.optimizer().ZeroGradients();
}

absl::Status TrainingLoop::CheckBuffers() {
  if (std::exchange(has_checked_buffers_, true) || learner_.normalises_over_batch() ||
      !learner_.HasChangedBuffers()) {
    return absl::OkStatus();
  }
  return FailedPrecondition(
      "the network changes its buffers when it trains, as batch normalisation does, and each rank "
      "would do so by its own part of a batch; leave training.ranks out, or use another "
      "normalisation");
}

absl::StatusOr<std::optional<loader::TrainingBatch>> TrainingLoop::TogetherWithoutCulprits(
    const loader::TrainingBatch& slice, DeviceBatch& moved, BatchLoss& loss, double& value) {
  std::optional<loader::TrainingBatch> rest;
  double num_suspicious = IsSuspicious(value) ? 1 : 0;
  RETURN_IF_ERROR(setup_.ranks->Sum({&num_suspicious, 1}));
  if (num_suspicious == 0) return rest;
  if (IsSuspicious(value) && slice.rows.num_rows() > 0) {
    ASSIGN_OR_RETURN(rest, RemoveCulprits(slice, moved, learner_.OwnLosses(moved, loss)));
  }
  learner_.RestoreBuffers();
  if (rest.has_value()) {
    if (rest->rows.num_rows() == 0) {
      moved = learner_.NoRows();
    } else {
      ASSIGN_OR_RETURN(moved, learner_.PrepareToLearn(*rest));
    }
  }
  loss = learner_.LossOf(moved);
  value = loss.number.Wait();
  return rest;
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
  const bool is_awaited = learner_.normalises_over_batch();
  if (slice.rows.num_rows() == 0 && !is_awaited) return std::optional<BatchLoss>();
  // Not one stream for the whole training: a rank that begins in the middle of it draws the same.
  models::SeedGenerator({.seed = setup_.training.seed,
                         .purpose = "dropout",
                         .trigger = setup_.trigger,
                         .epoch = state_.counters.batches * kMostRanks + setup_.ranks->rank()});
  DeviceBatch moved;
  if (slice.rows.num_rows() == 0) {
    moved = learner_.NoRows();
  } else {
    ASSIGN_OR_RETURN(moved, learner_.PrepareToLearn(slice));
  }
  BatchLoss loss = learner_.LossOf(moved);
  double value = loss.number.Wait();
  RETURN_IF_ERROR(CheckBuffers());
  ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> rest,
                   is_awaited ? TogetherWithoutCulprits(slice, moved, loss, value)
                              : WithoutCulprits(slice, moved, loss, value));
  const loader::TrainingBatch& seen = rest.has_value() ? *rest : slice;
  if (rest.has_value()) last_reason_ = rest->reason;
  sums.culprits() = static_cast<double>(seen.num_skipped - slice.num_skipped);
  sums.skipped() = static_cast<double>(seen.num_skipped);
  sums.rows() = static_cast<double>(seen.rows.num_rows());
  if (seen.rows.num_rows() == 0 && !is_awaited) return std::optional<BatchLoss>();
  if (!std::isfinite(value)) {
    sums.not_finite() = 1;
    return std::optional<BatchLoss>();
  }
  sums.loss() = value;
  if (seen.rows.num_rows() > 0) sums.divisor() = learner_.DivisorOf(moved);
  return std::optional(std::move(loss));
}

absl::Status TrainingLoop::VisitSlice(const loader::TrainingBatch& slice,
                                      const loader::BatchSource& source) {
  if (!group_is_open_) BeginStep();
  BatchSums sums;
  ASSIGN_OR_RETURN(std::optional<BatchLoss> loss, LossOfSlice(slice, sums));
  if (setup_.bad != nullptr) sums.deleted() = static_cast<double>(setup_.bad->num_deleted());
  // Unwanted gradients can be dropped, but not taken out of those of other batches. And a backward
  // pass that adds up over ranks must be made by all of them.
  if (setup_.training.accumulate == 1 && !learner_.normalises_over_batch()) {
    RETURN_IF_ERROR(SumWithGradients(loss, sums));
    return TakeSums(slice, sums).status();
  }
  RETURN_IF_ERROR(setup_.ranks->Sum(sums.numbers));
  ASSIGN_OR_RETURN(const bool is_wanted, TakeSums(slice, sums));
  const bool sends = EndsStep(slice, source) && group_batches_ > 0;
  if (sends) learner_.gradient_sums().Begin();
  if (is_wanted && loss.has_value()) Learner::AddGradientsOf(*loss, LossFactor());
  return sends ? learner_.gradient_sums().Finish() : absl::OkStatus();
}

absl::Status TrainingLoop::SumWithGradients(std::optional<BatchLoss>& loss, BatchSums& sums) {
  const auto own =
      torch::from_blob(sums.numbers.data(), {std::ssize(sums.numbers)}, torch::kDouble);
  // A copy, as the sum continues when the backward pass throws.
  const torch::Tensor added = own.clone();
  RETURN_IF_ERROR(setup_.ranks->BeginSum(added));
  learner_.gradient_sums().Begin();
  if (loss.has_value()) Learner::AddGradientsOf(*loss, LossFactor());
  RETURN_IF_ERROR(learner_.gradient_sums().Finish());
  own.copy_(added);
  return absl::OkStatus();
}

absl::StatusOr<bool> TrainingLoop::TakeSums(const loader::TrainingBatch& slice, BatchSums& sums) {
  deleted_in_all_ = static_cast<int64_t>(sums.deleted());
  const auto rows = static_cast<int64_t>(sums.rows());
  const auto skipped = static_cast<int64_t>(sums.skipped());
  const auto filtered = static_cast<int64_t>(sums.filtered());
  const bool is_refused = sums.not_finite() > 0 || (rows == 0 && sums.culprits() > 0);
  if (is_refused) {
    if (slice.rows.num_rows() > 0 || learner_.normalises_over_batch()) learner_.RestoreBuffers();
    RETURN_IF_ERROR(RefuseLoss());
  } else if (rows > 0) {
    group_divisor_ += sums.divisor();
    Measure(sums.divisor() > 0 ? sums.loss() / sums.divisor() : 0, rows, skipped + filtered);
  }
  state_.counters.Count(rows, skipped, filtered);
  return !is_refused;
}

}  // namespace tidemill::trainer_server
