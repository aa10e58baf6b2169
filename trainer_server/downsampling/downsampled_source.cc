#include "trainer_server/downsampling/downsampled_source.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "trainer_server/downsampling/batch_choice_source.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/period_source.h"
#include "trainer_server/downsampling/source_base.h"

namespace tidemill::trainer_server {
namespace {

// Batches of what needs no look at a sample: one stream through all epochs.
class BlindSource final : public SourceBase {
 public:
  BlindSource(std::unique_ptr<const BlindMethod> method, DownsamplingSetup setup,
              TrainingLoop& loop, Tally tally)
      : SourceBase(std::move(setup), loop, std::move(tally)), method_(std::move(method)) {}

  absl::Status Open() {
    BlindChoice choice = method_->Choose(setup().set->size(), KeyOf(0));
    num_samples_ = choice.num_samples;
    loader::BatchPlan plan = PlanOf();
    plan.first_batch = loop().counters().batches;
    plan.draw = choice.draw;
    if (choice.subset) {
      plan.subset = std::make_shared<const loader::Subset>(*std::move(choice.subset));
    }
    return OpenStream(plan);
  }

  int64_t num_samples() const override { return num_samples_; }
  int64_t num_batches() const override { return stream()->num_batches(); }

  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    ASSIGN_OR_RETURN(std::optional<loader::TrainingBatch> batch, stream()->Next());
    if (batch && batch->index == 0) Count(batch->epoch, num_samples_, {}, 0);
    return batch;
  }

 private:
  const std::unique_ptr<const BlindMethod> method_;
  int64_t num_samples_ = 0;
};

// Makes the source that a method of each kind takes, and opens it.
class SourceMaker {
 public:
  SourceMaker(DownsamplingSetup setup, TrainingLoop& loop, Tally tally)
      : setup_(std::move(setup)), loop_(loop), tally_(std::move(tally)) {}

  absl::StatusOr<std::unique_ptr<DownsampledSource>> operator()(
      std::unique_ptr<const BlindMethod> method) {
    return Opened<BlindSource>(std::move(method));
  }
  absl::StatusOr<std::unique_ptr<DownsampledSource>> operator()(
      std::unique_ptr<const JudgingMethod> method) {
    if (method->judging().by_batch) return Opened<BatchChoiceSource>(std::move(method));
    return Opened<PeriodSource>(std::move(method));
  }
  absl::StatusOr<std::unique_ptr<DownsampledSource>> operator()(
      std::unique_ptr<const LossMethod> method) {
    return Opened<PeriodSource>(std::move(method));
  }

 private:
  template <typename Source, typename OneMethod>
  absl::StatusOr<std::unique_ptr<DownsampledSource>> Opened(OneMethod method) {
    auto source =
        std::make_unique<Source>(std::move(method), std::move(setup_), loop_, std::move(tally_));
    RETURN_IF_ERROR(source->Open());
    return source;
  }

  DownsamplingSetup setup_;
  TrainingLoop& loop_;
  Tally tally_;
};

}  // namespace

int64_t LargeBatch(int64_t batch_size, double fraction) {
  return std::max(batch_size,
                  static_cast<int64_t>(std::llround(static_cast<double>(batch_size) / fraction)));
}

absl::StatusOr<std::unique_ptr<DownsampledSource>> MakeDownsampledSource(DownsamplingSetup setup,
                                                                         TrainingLoop& loop) {
  ASSIGN_OR_RETURN(Tally tally, Tally::Load(loop.companion().numbers));
  Method method = MethodOf(setup.method);
  return std::visit(SourceMaker(std::move(setup), loop, std::move(tally)), std::move(method));
}

int64_t NumLosses(const models::DownsamplingSpec& method, int64_t num_samples) {
  const bool looks_at_losses =
      std::holds_alternative<std::unique_ptr<const LossMethod>>(MethodOf(method));
  return looks_at_losses ? num_samples : 0;
}

}  // namespace tidemill::trainer_server
