#include "results/sample_mean.h"

#include <algorithm>
#include <vector>

#include "fmt/format.h"

#include "base/check.h"
#include "base/status.h"
#include "results/known_measures.h"

namespace tidemill::results {

void SampleMean::Add(const Row& row) {
  if (!HasValueOrSums(row) || row.num_samples() == 0) return;
  pooled_ = std::nullopt;
  rows_.push_back(&row);
}

const std::optional<PooledValue>& SampleMean::Pooled() const {
  if (pooled_) return *pooled_;
  pooled_ = Pool(measure(), rows_, of_pipeline_.get());
  missing_.clear();
  if (*pooled_ || rows_.empty()) return *pooled_;
  const absl::Status fault =
      of_pipeline_ == nullptr
          ? FailedPrecondition("{} is a plug-in that the run's pipeline does not hold", measure())
          : of_pipeline_->TakeFault();
  missing_ = std::string(fault.message());
  return *pooled_;
}

std::string SampleMean::Missing() const {
  Pooled();
  return missing_;
}

bool SampleMean::LowerIsBetter() const {
  return of_pipeline_ == nullptr ? results::LowerIsBetter(measure())
                                 : of_pipeline_->LowerIsBetter();
}

int64_t SampleMean::num_samples() const { return Pooled() ? Pooled()->num_samples : 0; }

Window SampleMean::Extent() const {
  TIDEMILL_CHECK(!rows_.empty());
  Window extent = WindowOf(*rows_.front());
  for (const Row* row : rows_) {
    extent.first = std::min(extent.first, CutOf(row->from()));
    extent.second = std::max(extent.second, CutOf(row->to()));
  }
  return extent;
}

std::optional<double> SampleMean::Mean() const {
  return Pooled() ? std::optional(Pooled()->value) : std::nullopt;
}

std::string_view SampleMean::How() const { return Pooled() ? Describe(Pooled()->how) : ""; }

bool SampleMean::HasOverlap() const {
  std::vector<Window> windows;
  for (const Row* row : rows_) windows.push_back(WindowOf(*row));
  std::sort(windows.begin(), windows.end());
  for (size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].first < windows[i - 1].second) return true;
  }
  return false;
}

std::optional<std::pair<double, double>> SampleMean::Interval() const {
  if (!Pooled() || HasOverlap()) return std::nullopt;
  for (const Row* row : rows_) {
    if (!row->has_value() || !row->has_low() || !row->has_high()) return std::nullopt;
  }
  return PooledInterval(*Pooled(), rows_);
}

std::string SampleMean::ToString() const {
  if (!Mean()) return "-";
  const auto interval = Interval();
  if (!interval) return fmt::format("{:.4f}", *Mean());
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", *Mean(), interval->first, interval->second);
}

}  // namespace tidemill::results
