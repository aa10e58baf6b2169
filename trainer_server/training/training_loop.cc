#include "trainer_server/training/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/failpoints.h"
#include "models/loss.h"
#include "models/torch/guard.h"
#include "trainer_server/training/culprits.h"
#include "trainer_server/training/training_checkpoint.h"

// One batch. A step of the optimiser takes `accumulate` batches, or the rest of an epoch.
//
//   batch --> losses --> is their mean suspicious? --no--> gradients --+--> next batch of the group
//                ^                 |                                   |
//                |                yes                                  `--> CloseGroup():
//                |                 v                                        divide, clip, step
//                `--- RemoveCulprits(): drop the samples
//                     that cause it
//
// At the end of an epoch: the loss on held-out samples, and early stopping.

namespace tidemill::trainer_server {
namespace {

// This many batches in a row without a finite loss end a training: it will not recover.
constexpr int64_t kMaxNotFiniteInRow = 10;

std::vector<double> ToNumbers(const torch::Tensor& losses) {
  const torch::Tensor values = losses.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  const double* const first = values.data_ptr<double>();
  return {first, first + values.numel()};
}

}  // namespace

TrainingLoop::TrainingLoop(TrainingSetup setup)
    : setup_(std::move(setup)),
      optimizers_(setup_.training.Optimizers()),
      learner_(setup_),
      idle_(setup_.device) {
  state_.plateaus.resize(optimizers_.size());
  state_.companion.losses.assign(static_cast<size_t>(setup_.num_losses),
                                 std::numeric_limits<float>::quiet_NaN());
  if (setup_.ranks != nullptr) ShareNormalisation();
}

absl::StatusOr<std::string> TrainingLoop::Checkpoint() {
  if (!can_checkpoint()) return FailedPrecondition("gradients of a step are still being gathered");
  return WriteCheckpoint(setup_, state_, learner_);
}

absl::Status TrainingLoop::Restore(std::string_view checkpoint) {
  return ReadCheckpoint(checkpoint, setup_, state_, learner_);
}

absl::StatusOr<Answers> TrainingLoop::Ask(const loader::TrainingBatch& batch, bool embed) {
  TIDEMILL_CHECK(batch.rows.num_rows() > 0);
  return learner_.Ask(batch, embed);
}

bool TrainingLoop::IsOver() const {
  const auto& budget = setup_.training.max_samples;
  return state_.stopping.stopped || (budget && state_.counters.samples >= budget->value);
}

absl::Status TrainingLoop::Run(loader::BatchSource& source, const Observer& observer) {
  if (!learner_.has_network() && setup_.parent_weights) RETURN_IF_ERROR(learner_.BeginWithParent());
  if (!learner_.has_network() && setup_.ranks != nullptr) {
    // Even a rank without a row of the first batch has to add up gradients.
    RETURN_IF_ERROR(
        models::Guard("making the network", [&] { return learner_.BeginWithNewNetwork(); }));
  }
  while (!IsOver()) {
    const auto before = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source.Next());
    wait_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    if (!batch) break;
    const absl::Status visited =
        models::Guard("training step", [&] { return Visit(*batch, source); });
    // If torch itself interrupted a sum, its error hides the loss of a rank.
    if (setup_.ranks != nullptr) RETURN_IF_ERROR(setup_.ranks->status());
    // With ranks, trying smaller batches would be a step that the others do not make.
    if (absl::IsResourceExhausted(visited) && setup_.ranks == nullptr) {
      return ReportFittingBatchSize(*batch, visited);
    }
    RETURN_IF_ERROR(visited);
    RETURN_IF_FAILPOINT("trainer_server.mid_training");
    RETURN_IF_ERROR(observer(*this));
  }
  RETURN_IF_ERROR(CheckOwnHoles());
  return TakeLastWeights();
}

absl::Status TrainingLoop::TakeLastWeights() {
  const bool takes_best = !state_.best.empty() && setup_.training.early_stopping->restore_best;
  const std::vector<torch::Tensor>& last = takes_best ? state_.best : state_.average;
  if (last.empty()) return absl::OkStatus();
  return models::Guard("taking the best or averaged weights", [&]() -> absl::Status {
    const torch::NoGradGuard no_gradients;
    auto state = models::StateOf(learner_.network());
    for (size_t i = 0; i < state.size(); ++i) state[i].second.copy_(last[i]);
    return absl::OkStatus();
  });
}

absl::Status TrainingLoop::Visit(const loader::TrainingBatch& batch,
                                 const loader::BatchSource& source) {
  if (setup_.ranks != nullptr) {
    RETURN_IF_ERROR(VisitSlice(batch, source));
  } else {
    std::optional<loader::TrainingBatch> rest;
    if (batch.rows.num_rows() > 0) {
      ASSIGN_OR_RETURN(rest, AddGradients(batch));
    }
    const loader::TrainingBatch& seen = rest.has_value() ? *rest : batch;
    state_.counters.Count(seen.rows.num_rows(), seen.num_skipped, seen.num_filtered);
    if (!seen.reason.empty()) last_reason_ = seen.reason;
  }
  RETURN_IF_ERROR(CheckLimit());
  const bool epoch_ends = batch.index + 1 == source.num_batches();
  group_is_open_ = true;
  if (EndsStep(batch, source)) RETURN_IF_ERROR(CloseGroup(source));
  idle_.StepEnds();
  idle_seconds_ = idle_.seconds();
  if ((epoch_ends || IsOver()) && setup_.held_out && learner_.has_network()) {
    RETURN_IF_ERROR(MeasureHeldOut());
  }
  return epoch_ends ? EndEpoch() : absl::OkStatus();
}

bool TrainingLoop::EndsStep(const loader::TrainingBatch& batch,
                            const loader::BatchSource& source) const {
  return batch.index + 1 == source.num_batches() || IsOver() ||
         (batch.index + 1) % setup_.training.accumulate == 0;
}

absl::Status TrainingLoop::EndEpoch() {
  RETURN_IF_ERROR(CheckOwnHoles());
  LookAfterEpoch(optimizers_, state_.plateaus);
  state_.counters.EndEpoch();
  return absl::OkStatus();
}

absl::Status TrainingLoop::Remember(const loader::TrainingBatch& batch,
                                    const torch::Tensor& losses) {
  if (state_.companion.losses.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const batch::Column* const column,
                   batch.rows.Get(batch::kOrdinalColumn, batch::DataType::kInt64));
  const torch::Tensor values = losses.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const float* value = values.data_ptr<float>();
  for (const int64_t ordinal : column->Values<int64_t>()) {
    state_.companion.losses[static_cast<size_t>(ordinal)] = *value++;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<loader::TrainingBatch>> TrainingLoop::AddGradients(
    const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(DeviceBatch moved, learner_.PrepareToLearn(batch));
  idle_.StepBegins();
  if (!group_is_open_) learner_.optimizer().ZeroGradients();
  BatchLoss loss = learner_.LossOf(moved);
  // The device has work while the loss is looked at. Unwanted gradients can be dropped, but not
  // taken out of those of other batches.
  if (setup_.training.accumulate == 1) Learner::AddGradientsOf(loss, LossFactor());
  double value = loss.number.Wait();
  ASSIGN_OR_RETURN(std::optional<loader::TrainingBatch> rest,
                   WithoutCulprits(batch, moved, loss, value));
  if (rest.has_value() && rest->rows.num_rows() == 0) {
    RETURN_IF_ERROR(RefuseLoss());
    return rest;
  }
  RETURN_IF_ERROR(Learn(rest.has_value() ? *rest : batch, moved, std::move(loss), value));
  return rest;
}

absl::StatusOr<std::optional<loader::TrainingBatch>> TrainingLoop::WithoutCulprits(
    const loader::TrainingBatch& batch, DeviceBatch& moved, BatchLoss& loss, double& value) {
  if (!IsSuspicious(value)) return std::optional<loader::TrainingBatch>();
  if (loss.has_gradients) learner_.optimizer().ZeroGradients();
  ASSIGN_OR_RETURN(std::optional<loader::TrainingBatch> rest,
                   RemoveCulprits(batch, moved, learner_.OwnLosses(moved, loss)));
  if (rest.has_value()) {
    if (rest->rows.num_rows() == 0) return rest;
    ASSIGN_OR_RETURN(moved, learner_.PrepareToLearn(*rest));
  }
  // Anew in either case: what the first pass did to the buffers was undone.
  loss = learner_.LossOf(moved);
  value = loss.number.Wait();
  return rest;
}

absl::Status TrainingLoop::Learn(const loader::TrainingBatch& batch, const DeviceBatch& moved,
                                 BatchLoss loss, double value) {
  RETURN_IF_ERROR(Remember(batch, loss.losses));
  if (!std::isfinite(value)) {
    learner_.RestoreBuffers();
    return RefuseLoss();
  }
  Learner::AddGradientsOf(loss, LossFactor());
  if (setup_.training.accumulate > 1) {
    const double divisor = learner_.DivisorOf(moved);
    group_divisor_ += divisor;
    value = divisor > 0 ? value / divisor : 0;
  }
  Measure(value, batch.rows.num_rows(), batch.num_skipped + batch.num_filtered);
  return absl::OkStatus();
}

void TrainingLoop::Measure(double value, int64_t num_rows, int64_t num_holes) {
  ++group_batches_;
  state_.counters.num_not_finite_in_row = 0;
  state_.counters.loss_sum += value * static_cast<double>(num_rows);
  state_.counters.loss_samples += num_rows;
  NoteLoss(optimizers_, value, num_rows, state_.plateaus);
  state_.curve.Add(value, num_rows, state_.counters.samples + num_rows + num_holes);
}

absl::StatusOr<std::optional<loader::TrainingBatch>> TrainingLoop::RemoveCulprits(
    const loader::TrainingBatch& batch, const DeviceBatch& moved, const torch::Tensor& losses) {
  const bool has_learnt = state_.counters.loss_samples > 0 || state_.counters.epoch > 0;
  const std::optional<double> usual =
      has_learnt ? std::optional(state_.counters.loss()) : std::nullopt;
  // Weights that have diverged are not the fault of any sample.
  if (!learner_.IsFinite()) return std::optional<loader::TrainingBatch>();
  std::string_view what = "its loss";
  std::vector<double> values = ToNumbers(losses);
  std::vector<int64_t> culprits = FindCulprits(values, usual);
  if (culprits.empty() && learner_.has_buffers() && learner_.network().module->is_training()) {
    // With normalisation over the batch, one sample spoils all losses, so each sample is asked
    // alone. The loss of a bad sample may be small by chance; the network's output for it is not.
    what = "the network's output for the sample";
    values = ToNumbers(learner_.LargestOutputs(moved));
    culprits = FindCulprits(values, usual);
  }
  if (culprits.empty()) return std::optional<loader::TrainingBatch>();
  ASSIGN_OR_RETURN(const std::vector<loader::Unreadable> bad,
                   DescribeCulprits(batch.rows, culprits, what, values));
  if (setup_.bad != nullptr) setup_.bad->Add(bad);
  loader::TrainingBatch rest = batch;
  rest.rows = batch.rows.Take(RowsBut(culprits, batch.rows.num_rows()));
  rest.num_skipped += std::ssize(culprits);
  rest.reason = fmt::format("sample {}: {}", bad.front().key, bad.front().reason);
  return std::optional(std::move(rest));
}

absl::Status TrainingLoop::CloseGroup(const loader::BatchSource& source) {
  group_is_open_ = false;
  before_step_.reset();
  const int64_t num_batches = std::exchange(group_batches_, 0);
  const double divisor = std::exchange(group_divisor_, 0);
  if (num_batches == 0) return absl::OkStatus();
  if (setup_.training.precision == models::Precision::kFloat16) {
    ASSIGN_OR_RETURN(const bool finite, UnscaleGradients(divisor));
    if (!finite) return absl::OkStatus();
  } else if (divisor > 0) {
    learner_.optimizer().ScaleGradients(1 / divisor);
  }
  const auto& clipping = setup_.training.gradient_clipping;
  if (clipping && !learner_.optimizer().ClipGradients(*clipping)) return RefuseLoss();
  learner_.optimizer().Step(
      LearningRateFactors(optimizers_, state_.plateaus, state_.counters.num_steps,
                          NumSteps(setup_.training, state_.counters, source)));
  ++state_.counters.num_steps;
  LookAfterStep(optimizers_, state_.counters.num_steps, state_.plateaus);
  if (const auto& average = setup_.training.average) {
    AddToAverage(*average, learner_.network(), state_.counters.num_steps, state_.average);
  }
  return absl::OkStatus();
}

double TrainingLoop::LossFactor() const {
  return setup_.training.precision == models::Precision::kFloat16 ? state_.loss_scale.factor : 1;
}

absl::StatusOr<bool> TrainingLoop::UnscaleGradients(double divisor) {
  learner_.optimizer().ScaleGradients(1 / (state_.loss_scale.factor * (divisor > 0 ? divisor : 1)));
  const bool finite = learner_.optimizer().HasFiniteGradients();
  if (!state_.loss_scale.Note(finite)) RETURN_IF_ERROR(RefuseLoss());
  return finite;
}

// The moments of an optimiser are made by its first step, so that a trial before it must have room
// for them, too.
absl::Status TrainingLoop::TryStep(const loader::TrainingBatch& batch) {
  return models::Guard("trying a step", [&]() -> absl::Status {
    std::vector<torch::Tensor> moments;
    for (const auto& [name, weight] : models::TrainedOf(learner_.network())) {
      if (state_.counters.num_steps > 0) break;
      for (int moment = 0; moment < 2; ++moment) moments.push_back(torch::zeros_like(weight));
    }
    ASSIGN_OR_RETURN(const DeviceBatch moved, learner_.PrepareToLearn(batch));
    BatchLoss loss = learner_.LossOf(moved);
    Learner::AddGradientsOf(loss, LossFactor());
    loss.number.Wait();
    return absl::OkStatus();
  });
}

absl::Status TrainingLoop::ReportFittingBatchSize(const loader::TrainingBatch& batch,
                                                  const absl::Status& failed) {
  // The other ranks take no part in a trial.
  if (!learner_.has_network() || setup_.ranks != nullptr) return failed;
  const int64_t num_rows = batch.rows.num_rows();
  for (int64_t fitting = num_rows / 2; fitting > 0; fitting /= 2) {
    learner_.optimizer().ZeroGradients();
    std::vector<int64_t> rows(static_cast<size_t>(fitting));
    std::iota(rows.begin(), rows.end(), 0);
    loader::TrainingBatch part{.epoch = batch.epoch, .index = batch.index};
    part.rows = batch.rows.Take(rows);
    const absl::Status tried = TryStep(part);
    if (absl::IsResourceExhausted(tried)) continue;
    RETURN_IF_ERROR(tried);
    const int64_t parts = (setup_.training.batch_size + fitting - 1) / fitting;
    return ResourceExhausted(
        "a step of {} samples does not fit into memory; {} samples do: write batch_size: {}, and "
        "accumulate: {} for the same steps ({})",
        num_rows, fitting, fitting, parts * setup_.training.accumulate,
        std::string(failed.message()));
  }
  return ResourceExhausted("a step of one sample does not fit into memory: {}",
                           std::string(failed.message()));
}

absl::Status TrainingLoop::RefuseLoss() {
  ++state_.counters.num_not_finite;
  if (++state_.counters.num_not_finite_in_row < kMaxNotFiniteInRow) return absl::OkStatus();
  return FailedPrecondition(
      "the loss was not a finite number in {} batches in a row, up to batch {}, and no single "
      "sample is the cause; a lower learning rate, gradient_clipping or standardised inputs may "
      "help",
      kMaxNotFiniteInRow, state_.counters.batches);
}

absl::Status TrainingLoop::CheckLimit() const {
  return trainer_server::CheckLimit(state_.counters, setup_.training, last_reason_);
}

absl::Status TrainingLoop::CheckOwnHoles() const {
  const TrainingCounters& counters = state_.counters;
  return CheckHoles(counters.num_skipped - counters.skipped_before_epoch,
                    counters.samples - counters.samples_before_epoch,
                    setup_.training.max_bad_fraction, last_reason_);
}

absl::StatusOr<std::optional<double>> TrainingLoop::HeldOutLoss() {
  ASSIGN_OR_RETURN(const auto source, setup_.held_out());
  learner_.network().module->eval();
  double sum = 0;
  double divisor = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source->Next());
    if (!batch) break;
    if (batch->rows.num_rows() == 0) continue;
    ASSIGN_OR_RETURN(DeviceBatch moved, learner_.Prepare(*batch));
    const torch::Tensor losses = learner_.LossesOf(moved);
    double of_batch = models::WeightedSum(losses, moved.weight).item<double>();
    if (IsSuspicious(of_batch)) {
      ASSIGN_OR_RETURN(const auto rest, RemoveCulprits(*batch, moved, losses));
      if (rest.has_value() && rest->rows.num_rows() == 0) continue;
      if (rest.has_value()) {
        ASSIGN_OR_RETURN(moved, learner_.Prepare(*rest));
        of_batch = models::WeightedSum(learner_.LossesOf(moved), moved.weight).item<double>();
      }
    }
    sum += of_batch;
    divisor += learner_.DivisorOf(moved);
  }
  learner_.BeginTrainingMode();
  return divisor == 0 ? std::nullopt : std::optional(sum / divisor);
}

absl::Status TrainingLoop::MeasureHeldOut() {
  const torch::NoGradGuard no_gradients;
  const WithAveragedWeights averaged(learner_.network(), state_.average);
  ASSIGN_OR_RETURN(const std::optional<double> loss, HeldOutLoss());
  if (!loss) return absl::OkStatus();
  if (std::isfinite(*loss)) state_.curve.AddValidation(*loss);
  LookAtHeldOut(optimizers_, *loss, state_.plateaus);
  if (!Observe(*setup_.training.early_stopping, *loss, state_.stopping)) return absl::OkStatus();
  state_.best.clear();
  for (const auto& [name, tensor] : models::StateOf(learner_.network())) {
    state_.best.push_back(tensor.detach().clone());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TrainingLoop::Weights() const {
  if (!learner_.has_network()) {
    return FailedPrecondition("no sample could be read: {}",
                              last_reason_.empty() ? "the training set is empty" : last_reason_);
  }
  if (state_.counters.num_not_finite > 0 && state_.counters.num_steps == 0) {
    return FailedPrecondition("the loss was never a finite number; lower the learning rate");
  }
  RETURN_IF_ERROR(models::Guard("checking weights", [this]() -> absl::Status {
    if (learner_.IsFinite()) return absl::OkStatus();
    return FailedPrecondition("a weight is not a finite number; lower the learning rate");
  }));
  return models::EncodeWeights(learner_.network());
}

}  // namespace tidemill::trainer_server
