#include "trainer_server/downsampling/downsampled_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "subsets/sampling.h"
#include "trainer_server/downsampling/batch_choice_source.h"
#include "trainer_server/downsampling/period_source.h"
#include "trainer_server/downsampling/source_base.h"

namespace tidemill::trainer_server {
namespace {

// Batches of what needs no look at a sample: one stream through all epochs.
class BlindSource final : public SourceBase {
 public:
  BlindSource(DownsamplingSetup setup, TrainingLoop& loop, Tally tally)
      : SourceBase(std::move(setup), loop, std::move(tally)) {}

  absl::Status Open() {
    const int64_t size = setup().set->size();
    loader::BatchPlan plan = PlanOf();
    plan.first_batch = loop().counters().batches;
    if (const auto* const rs2 = std::get_if<models::Rs2>(&setup().method)) {
      num_samples_ = NumKept(rs2->fraction, size);
      if (num_samples_ > 0) {
        plan.draw = loader::RepeatedDraw{.samples = num_samples_, .replacement = rs2->replacement};
      }
    } else {
      const auto& uniform = std::get<models::UniformSubset>(setup().method);
      num_samples_ = NumKept(uniform.fraction, size);
      loader::Subset subset{.ordinals = subsets::DrawUniformly(size, num_samples_, KeyOf(0))};
      plan.subset = std::make_shared<const loader::Subset>(std::move(subset));
    }
    ASSIGN_OR_RETURN(stream_, setup().open(plan));
    return absl::OkStatus();
  }

  int64_t num_samples() const override { return num_samples_; }
  int64_t num_batches() const override { return stream_->num_batches(); }

  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    ASSIGN_OR_RETURN(std::optional<loader::TrainingBatch> batch, stream_->Next());
    if (batch && batch->index == 0) Count(batch->epoch, num_samples_, {}, 0);
    return batch;
  }

 private:
  int64_t num_samples_ = 0;
  std::unique_ptr<loader::BatchSource> stream_;
};

template <typename Source>
absl::StatusOr<std::unique_ptr<DownsampledSource>> Opened(std::unique_ptr<Source> source) {
  RETURN_IF_ERROR(source->Open());
  return source;
}

}  // namespace

int64_t LargeBatch(int64_t batch_size, double fraction) {
  return std::max(batch_size,
                  static_cast<int64_t>(std::llround(static_cast<double>(batch_size) / fraction)));
}

absl::StatusOr<std::unique_ptr<DownsampledSource>> MakeDownsampledSource(DownsamplingSetup setup,
                                                                         TrainingLoop& loop) {
  ASSIGN_OR_RETURN(Tally tally, Tally::Load(loop.companion().numbers));
  const bool is_blind = std::holds_alternative<models::Rs2>(setup.method) ||
                        std::holds_alternative<models::UniformSubset>(setup.method);
  if (is_blind) {
    return Opened(std::make_unique<BlindSource>(std::move(setup), loop, std::move(tally)));
  }
  const bool by_batch = std::visit(
      [](const auto& one) {
        if constexpr (requires { one.when; }) {
          return one.when == models::ScoreWhen::kBatchThenSample;
        } else {
          return false;
        }
      },
      setup.method);
  if (by_batch) {
    return Opened(std::make_unique<BatchChoiceSource>(std::move(setup), loop, std::move(tally)));
  }
  return Opened(std::make_unique<PeriodSource>(std::move(setup), loop, std::move(tally)));
}

}  // namespace tidemill::trainer_server
