#include "cli/sample_mean.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"

#include "cli/text.h"

namespace tidemill::cli {

int64_t SampleMean::num_samples() const {
  int64_t samples = 0;
  for (const Member& member : members_) samples += member.num_samples;
  return samples;
}

std::optional<double> SampleMean::Mean() const {
  if (members_.empty()) return std::nullopt;
  double sum = 0;
  for (const Member& member : members_) {
    sum += member.value * static_cast<double>(member.num_samples);
  }
  return sum / static_cast<double>(num_samples());
}

std::optional<std::pair<double, double>> SampleMean::Interval() const {
  const std::optional<double> mean = Mean();
  if (!mean) return std::nullopt;
  std::vector<WindowKey> windows;
  double below = 0;
  double above = 0;
  for (const Member& member : members_) {
    if (!member.low || !member.high) return std::nullopt;
    windows.push_back(member.window);
    const double weight =
        static_cast<double>(member.num_samples) / static_cast<double>(num_samples());
    below += std::pow(weight * (member.value - *member.low), 2);
    above += std::pow(weight * (*member.high - member.value), 2);
  }
  std::sort(windows.begin(), windows.end());
  for (size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].first < windows[i - 1].second) return std::nullopt;
  }
  return std::pair(*mean - std::sqrt(below), *mean + std::sqrt(above));
}

std::string SampleMean::ToString() const {
  const auto interval = Interval();
  if (!interval) return Measure(Mean());
  return fmt::format("{} [{}, {}]", Measure(Mean()), Measure(interval->first),
                     Measure(interval->second));
}

}  // namespace tidemill::cli
