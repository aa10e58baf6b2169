#include "trainer_server/downsampling/period_source.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "base/failpoints.h"

// A period of 2 epochs, a training of 5:
//
//   epoch      |   0   |   1   |   2   |   3   |   4   |
//   file       0.choice        2.choice        4.choice
//              ^               ^               ^
//              the network of this moment scores all samples, chooses, and the file is written
//
// A training that resumes within a period, say in epoch 3, reads 2.choice: the network has moved on
// and would choose others. With two checkpoints kept, the files of the period of the older one stay
// (Forget()).

namespace tidemill::trainer_server {

PeriodSource::PeriodSource(std::unique_ptr<const JudgingMethod> method, DownsamplingSetup setup,
                           TrainingLoop& loop, Tally tally)
    : PeriodSource(std::move(method), nullptr, std::move(setup), loop, std::move(tally)) {}

PeriodSource::PeriodSource(std::unique_ptr<const LossMethod> method, DownsamplingSetup setup,
                           TrainingLoop& loop, Tally tally)
    : PeriodSource(nullptr, std::move(method), std::move(setup), loop, std::move(tally)) {}

PeriodSource::PeriodSource(std::unique_ptr<const JudgingMethod> judging,
                           std::unique_ptr<const LossMethod> by_losses, DownsamplingSetup setup,
                           TrainingLoop& loop, Tally tally)
    : SourceBase(std::move(setup), loop, std::move(tally)),
      judging_(std::move(judging)),
      by_losses_(std::move(by_losses)),
      files_(this->setup().folder),
      candidates_(Candidates()),
      num_candidates_(candidates_ ? candidates_->size() : this->setup().set->size()),
      fraction_(judging_ ? judging_->judging().fraction : 1),
      period_(PeriodLength(judging_ ? judging_->judging().period : 1)),
      num_samples_(NumKept(fraction_, num_candidates_)) {}

int64_t PeriodSource::PeriodLength(int64_t period) const {
  return period == 0 ? training().epochs : period;
}

int64_t PeriodSource::PeriodOf(int64_t epoch) const { return epoch / period_ * period_; }

absl::Status PeriodSource::Open() {
  const TrainingCounters& counters = loop().counters();
  next_epoch_ = counters.epoch;
  const bool is_begun = counters.epoch_batches > 0 || counters.epoch != PeriodOf(counters.epoch);
  if (!is_begun || counters.epoch >= training().epochs) return absl::OkStatus();
  // A new choice would be another one: the network has moved on since.
  first_epoch_ = PeriodOf(counters.epoch);
  ASSIGN_OR_RETURN(choice_, files_.Read(first_epoch_));
  return BeginPeriod(counters.epoch, counters.epoch_batches);
}

int64_t PeriodSource::num_batches() const {
  const int64_t size = training().batch_size;
  return std::max<int64_t>(1, (num_samples_ + size - 1) / size);
}

absl::Status PeriodSource::Forget(int64_t epoch) { return files_.Forget(PeriodOf(epoch)); }

// Opens the batches of the current choice from an epoch of its period on.
absl::Status PeriodSource::BeginPeriod(int64_t epoch, int64_t first_batch) {
  num_samples_ = choice_.subset.size();
  next_epoch_ = std::min(first_epoch_ + period_, training().epochs);
  if (num_samples_ == 0) {
    next_epoch_ = epoch;
    return absl::OkStatus();
  }
  loader::BatchPlan plan = PlanOf();
  plan.subset = std::make_shared<const loader::Subset>(choice_.subset);
  plan.first_epoch = epoch;
  plan.epochs = next_epoch_ - epoch;
  plan.first_batch = first_batch;
  return OpenStream(plan);
}

absl::StatusOr<std::optional<loader::TrainingBatch>> PeriodSource::Next() {
  while (true) {
    std::optional<loader::TrainingBatch> batch;
    if (stream() != nullptr) {
      ASSIGN_OR_RETURN(batch, stream()->Next());
      if (!batch) CloseStream();
    }
    if (!batch) {
      if (next_epoch_ >= training().epochs || num_candidates_ == 0) return batch;
      if (next_epoch_ == PeriodOf(next_epoch_)) {
        first_epoch_ = next_epoch_;
        ASSIGN_OR_RETURN(choice_, MakeChoice(first_epoch_));
        RETURN_IF_ERROR(BeginPeriod(first_epoch_, 0));
        if (stream() != nullptr) continue;
      }
      batch = loader::TrainingBatch{.epoch = next_epoch_++};  // Nothing was chosen.
    }
    if (batch->index > 0) return batch;
    const bool is_first = batch->epoch == first_epoch_;
    if (is_first) {
      CountPass(choice_.num_skipped, {choice_.num_skipped, choice_.num_filtered},
                choice_.num_not_finite, choice_.seconds);
    }
    Count(batch->epoch, num_samples_, choice_.subset.weights, is_first ? choice_.num_scored : 0);
    return batch;
  }
}

loader::Subset PeriodSource::Everything() const {
  if (candidates_ != nullptr) return *candidates_;
  loader::Subset all;
  all.ordinals.resize(static_cast<size_t>(num_candidates_));
  std::iota(all.ordinals.begin(), all.ordinals.end(), int64_t{0});
  return all;
}

absl::StatusOr<Choice> PeriodSource::ChooseByLosses(int64_t epoch) const {
  const std::optional<subsets::Choice> kept =
      by_losses_->Choose(loop().companion().losses, epoch, training().epochs, KeyOf(epoch));
  if (!kept) return Choice{.subset = Everything()};
  Choice choice{.subset = {.ordinals = kept->rows}};
  if (std::ranges::any_of(kept->weights, [](double weight) { return weight != 1; })) {
    choice.subset.weights.assign(kept->weights.begin(), kept->weights.end());
  }
  return choice;
}

absl::StatusOr<Choice> PeriodSource::ScoreAndChoose(int64_t epoch) {
  const int64_t kept = NumKept(fraction_, num_candidates_);
  if (kept == num_candidates_) return Choice{.subset = Everything()};
  loader::BatchPlan plan{.batch_size = setup().score_batch,
                         .shuffle = PlanOf().shuffle,
                         .order = models::InStreamOrder(),
                         .subset = candidates_,
                         .training = false};
  ASSIGN_OR_RETURN(const Question question, Complete(judging_->judging().question));
  Seen seen;
  {
    ASSIGN_OR_RETURN(const auto stream, setup().open(plan));
    ASSIGN_OR_RETURN(seen, LookAtAll(loop(), question, *stream, setup().progress));
    CountScoring(*stream, seen.wait_seconds);
  }
  ASSIGN_OR_RETURN(Choice choice, Choose(*judging_, seen, kept, KeyOf(epoch)));
  choice.num_scored = seen.size();
  choice.num_skipped = seen.num_skipped;
  choice.num_filtered = seen.num_filtered;
  return choice;
}

absl::StatusOr<Choice> PeriodSource::MakeChoice(int64_t epoch) {
  // Made by an earlier process, which the network was the same in.
  if (absl::StatusOr<Choice> before = files_.Read(epoch); before.ok()) return before;
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(Choice choice, by_losses_ ? ChooseByLosses(epoch) : ScoreAndChoose(epoch));
  choice.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RETURN_IF_FAILPOINT("trainer_server.before_choice");
  RETURN_IF_ERROR(files_.Write(epoch, choice));
  RETURN_IF_FAILPOINT("trainer_server.after_choice");
  return choice;
}

}  // namespace tidemill::trainer_server
