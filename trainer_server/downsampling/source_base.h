// Shared code of all sources of downsampled batches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "loader/path/path_work.h"
#include "trainer_server/downsampling/choose.h"
#include "trainer_server/downsampling/downsampled_source.h"

namespace tidemill::trainer_server {

// Holds the plan and keeps the tally, which is also in the loop's checkpoints.
class SourceBase : public DownsampledSource {
 public:
  SourceBase(DownsamplingSetup setup, TrainingLoop& loop, Tally tally)
      : setup_(std::move(setup)), loop_(loop), tally_(std::move(tally)) {}

  int64_t samples_total() const override {
    const TrainingCounters& counters = loop_.counters();
    return counters.samples_before_epoch +
           num_samples() * std::max<int64_t>(0, training().epochs - counters.epoch);
  }
  Tally tally() const override { return tally_; }
  double scoring_wait_seconds() const override { return scoring_wait_seconds_; }
  loader::PathWork work() const override {
    loader::PathWork total = work_before_;
    if (stream_ != nullptr) Add(*stream_, total);
    return total;
  }
  absl::Status Forget(int64_t) override { return absl::OkStatus(); }

 protected:
  const DownsamplingSetup& setup() const { return setup_; }
  TrainingLoop& loop() const { return loop_; }
  const models::TrainingSpec& training() const { return loop_.setup().training; }

  // The batches that are trained on, in one stream after another; nullptr before the first and
  // between two.
  loader::BatchSource* stream() const { return stream_.get(); }
  absl::Status OpenStream(const loader::BatchPlan& plan) {
    CloseStream();
    ASSIGN_OR_RETURN(stream_, setup_.open(plan));
    return absl::OkStatus();
  }
  void CloseStream() {
    if (stream_ != nullptr) Add(*stream_, work_before_);
    stream_.reset();
  }
  // Counts the work of a scoring pass, and the time that it waited.
  void CountScoring(const loader::BatchSource& pass, double wait_seconds) {
    Add(pass, work_before_);
    scoring_wait_seconds_ += wait_seconds;
  }

  // Returns a plan of all epochs of the set, in the order of the training.
  loader::BatchPlan PlanOf() const {
    return {.batch_size = training().batch_size,
            .epochs = training().epochs,
            .shuffle = {.seed = training().seed,
                        .purpose = "shuffle",
                        .trigger = loop_.setup().trigger},
            .order = training().EffectiveOrder()};
  }
  // Returns a method's question, completed with the inputs that the training provides.
  absl::StatusOr<Question> Complete(Question question) {
    question.subtracted = setup_.irreducible_losses;
    if (question.scorer == nullptr || !question.scorer->looks_at().any_times()) return question;
    if (times_ == nullptr) {
      if (!setup_.find_times) return Internal("the training has no times of samples");
      ASSIGN_OR_RETURN(SampleTimes times, setup_.find_times());
      times_ = std::make_shared<const SampleTimes>(std::move(times));
    }
    question.times = times_;
    return question;
  }
  // Returns the key of the random numbers for an epoch.
  RandomKey KeyOf(int64_t epoch) const {
    return {.seed = training().seed,
            .purpose = "downsampling",
            .trigger = loop_.setup().trigger,
            .epoch = epoch};
  }
  // See Tally::Add().
  void Count(int64_t epoch, int64_t num_chosen, const std::vector<float>& weights,
             int64_t num_scored) {
    tally_.Add(epoch, num_chosen, weights, num_scored);
    loop_.companion().numbers = tally_.Save();
  }
  // The unusable samples of a pass so far.
  struct Holes {
    int64_t num_skipped = 0;
    int64_t num_filtered = 0;
  };
  // Counts a pass, or the part of one in which `num_skipped` samples were skipped. Call it before
  // Count().
  void CountPass(int64_t num_skipped, const Holes& in_pass, int64_t num_not_finite,
                 double seconds) {
    tally_.num_skipped += num_skipped;
    tally_.most_skipped = std::max(tally_.most_skipped, in_pass.num_skipped);
    tally_.most_filtered = std::max(tally_.most_filtered, in_pass.num_filtered);
    tally_.num_not_finite += num_not_finite;
    tally_.scoring_seconds += seconds;
  }

  // Returns the samples that may be trained on; nullptr means all.
  std::shared_ptr<const loader::Subset> Candidates() const {
    if (setup_.irreducible_losses.empty()) return nullptr;
    loader::Subset subset;
    for (size_t ordinal = 0; ordinal < setup_.irreducible_losses.size(); ++ordinal) {
      if (!std::isnan(setup_.irreducible_losses[ordinal])) {
        subset.ordinals.push_back(static_cast<int64_t>(ordinal));
      }
    }
    return std::make_shared<const loader::Subset>(std::move(subset));
  }

 private:
  static void Add(const loader::BatchSource& source, loader::PathWork& total) {
    // All of one graph, so that they add up.
    loader::Merge(source.work(), total).IgnoreError();
  }

  const DownsamplingSetup setup_;
  TrainingLoop& loop_;
  Tally tally_;
  std::shared_ptr<const SampleTimes> times_;  // Shared with questions.
  loader::PathWork work_before_;              // By streams and passes that have ended.
  double scoring_wait_seconds_ = 0;
  std::unique_ptr<loader::BatchSource> stream_;
};

}  // namespace tidemill::trainer_server
