#include "cli/results/sample_mean.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"

#include "base/check.h"
#include "cli/results/run_measures.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {

const std::optional<evaluator::PooledValue>& SampleMean::Pooled() const {
  if (pooled_) return *pooled_;
  std::vector<evaluator::WindowValue> windows;
  for (const Member& member : members_) {
    windows.push_back(
        {.value = member.value, .num_samples = member.num_samples, .sums = member.sums});
  }
  pooled_ = evaluator::Pool(measure_, windows, of_pipeline_.get());
  missing_.clear();
  if (*pooled_ || windows.empty()) return *pooled_;
  const absl::Status fault =
      of_pipeline_ == nullptr
          ? FailedPrecondition("{} is a plug-in that the run's pipeline does not hold", measure_)
          : of_pipeline_->TakeFault();
  missing_ = std::string(fault.message());
  return *pooled_;
}

std::string SampleMean::Missing() const {
  Pooled();
  return missing_;
}

bool SampleMean::LowerIsBetter() const {
  return of_pipeline_ == nullptr ? cli::LowerIsBetter(measure_) : of_pipeline_->LowerIsBetter();
}

int64_t SampleMean::num_samples() const {
  const auto pooled = Pooled();
  return pooled ? pooled->num_samples : 0;
}

WindowKey SampleMean::Extent() const {
  TIDEMILL_CHECK(!members_.empty());
  WindowKey extent = members_.front().window;
  for (const Member& member : members_) {
    extent.first = std::min(extent.first, member.window.first);
    extent.second = std::max(extent.second, member.window.second);
  }
  return extent;
}

std::optional<double> SampleMean::Mean() const {
  const auto pooled = Pooled();
  return pooled ? std::optional(pooled->value) : std::nullopt;
}

std::string_view SampleMean::How() const {
  const auto pooled = Pooled();
  return pooled ? evaluator::Describe(pooled->how) : "";
}

bool SampleMean::HasOverlap() const {
  std::vector<WindowKey> windows;
  for (const Member& member : members_) windows.push_back(member.window);
  std::sort(windows.begin(), windows.end());
  for (size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].first < windows[i - 1].second) return true;
  }
  return false;
}

std::optional<std::pair<double, double>> SampleMean::Interval() const {
  const auto pooled = Pooled();
  if (!pooled || HasOverlap()) return std::nullopt;
  std::vector<evaluator::WindowInterval> windows;
  for (const Member& member : members_) {
    if (!member.value || !member.low || !member.high) return std::nullopt;
    windows.push_back({.value = *member.value,
                       .low = *member.low,
                       .high = *member.high,
                       .num_samples = member.num_samples});
  }
  return evaluator::PooledInterval(*pooled, windows);
}

std::string SampleMean::ToString() const {
  const auto interval = Interval();
  if (!interval) return Measure(Mean());
  return fmt::format("{} [{}, {}]", Measure(Mean()), Measure(interval->first),
                     Measure(interval->second));
}

}  // namespace tidemill::cli
