#include "trainer_server/downsampling/batch_choice_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "batch/slice.h"

namespace tidemill::trainer_server {
namespace {

// The chosen rows in the order of the batch, their weights times what they weigh already.
absl::StatusOr<batch::Batch> RowsOf(const batch::Batch& large, const loader::Subset& chosen) {
  const std::span<const int64_t> ordinals = large.Find(batch::kOrdinalColumn)->Values<int64_t>();
  const batch::Column* const before = large.Find(batch::kWeightColumn);
  std::vector<int64_t> rows;
  std::vector<float> weights;
  for (int64_t row = 0; row < large.num_rows(); ++row) {
    const int64_t ordinal = ordinals[static_cast<size_t>(row)];
    const auto at = std::lower_bound(chosen.ordinals.begin(), chosen.ordinals.end(), ordinal);
    if (at == chosen.ordinals.end() || *at != ordinal) continue;
    rows.push_back(row);
    if (chosen.weights.empty()) continue;
    const float weight = chosen.weights[static_cast<size_t>(at - chosen.ordinals.begin())];
    weights.push_back(before == nullptr ? weight : weight * before->Values<float>()[row]);
  }
  batch::Batch taken = large.Take(rows);
  if (!weights.empty()) {
    RETURN_IF_ERROR(taken.Set(batch::MakeColumn<float>(batch::kWeightColumn, weights)));
  }
  return taken;
}

}  // namespace

BatchChoiceSource::BatchChoiceSource(std::unique_ptr<const JudgingMethod> method,
                                     DownsamplingSetup setup, TrainingLoop& loop, Tally tally)
    : SourceBase(std::move(setup), loop, std::move(tally)),
      method_(std::move(method)),
      fraction_(method_->judging().fraction),
      large_batch_(LargeBatch(training().batch_size, fraction_)),
      candidates_(Candidates()),
      num_candidates_(candidates_ ? candidates_->size() : this->setup().set->size()) {}

absl::Status BatchChoiceSource::Open() {
  loader::BatchPlan plan = PlanOf();
  plan.batch_size = large_batch_;
  plan.subset = candidates_;
  plan.first_batch = loop().counters().batches;
  return OpenStream(plan);
}

int64_t BatchChoiceSource::NumChosen(int64_t num_read) const {
  return num_read == large_batch_ ? training().batch_size : NumKept(fraction_, num_read);
}

int64_t BatchChoiceSource::num_samples() const {
  return num_candidates_ / large_batch_ * training().batch_size +
         NumChosen(num_candidates_ % large_batch_);
}

int64_t BatchChoiceSource::num_batches() const { return stream()->num_batches(); }

absl::StatusOr<std::optional<loader::TrainingBatch>> BatchChoiceSource::Next() {
  ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> large, stream()->Next());
  if (!large) return std::optional<loader::TrainingBatch>();
  if (large->index == 0) {
    num_read_ = 0;
    in_pass_ = {};
  }
  num_read_ += large->rows.num_rows() + large->num_skipped;
  in_pass_.num_skipped += large->num_skipped;
  in_pass_.num_filtered += large->num_filtered;
  // A few batches say little of all.
  if (large->index + 1 == num_batches()) {
    RETURN_IF_ERROR(
        CheckHoles(in_pass_.num_skipped, num_read_, training().max_bad_fraction, large->reason));
  }
  ASSIGN_OR_RETURN(loader::TrainingBatch chosen, ChooseOf(*large));
  return std::optional<loader::TrainingBatch>(std::move(chosen));
}

absl::StatusOr<loader::TrainingBatch> BatchChoiceSource::ChooseOf(
    const loader::TrainingBatch& large) {
  const auto start = std::chrono::steady_clock::now();
  loader::TrainingBatch chosen{.epoch = large.epoch, .index = large.index};
  const int64_t num_rows = large.rows.num_rows();
  const int64_t kept = NumChosen(num_rows + large.num_skipped);
  Choice choice;
  if (kept >= num_rows) {
    chosen.rows = large.rows;
  } else {
    if (!question_) {
      ASSIGN_OR_RETURN(question_, Complete(method_->judging().question));
    }
    Seen seen;
    for (int64_t from = 0; from < num_rows; from += setup().score_batch) {
      const int64_t to = std::min(from + setup().score_batch, num_rows);
      RETURN_IF_ERROR(Look(loop(), *question_, {.rows = batch::Slice(large.rows, from, to)}, seen));
    }
    choice.num_scored = seen.size();
    if (std::ranges::none_of(seen.scores, [](double score) { return std::isfinite(score); })) {
      // Whatever is taken has no finite loss: the loop knows what to do with such a batch.
      chosen.rows = batch::Slice(large.rows, 0, kept);
      choice.num_not_finite = seen.size();
    } else {
      ASSIGN_OR_RETURN(Choice made, Choose(*method_, seen, kept, KeyOf(large.epoch)));
      ASSIGN_OR_RETURN(chosen.rows, RowsOf(large.rows, made.subset));
      choice.subset = std::move(made.subset);
      choice.num_not_finite = made.num_not_finite;
    }
  }
  CountPass(large.num_skipped, in_pass_, choice.num_not_finite,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  Count(large.epoch, chosen.rows.num_rows(), choice.subset.weights, choice.num_scored);
  return chosen;
}

}  // namespace tidemill::trainer_server
