#include "supervisor/statistics/detectors/adwin.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tidemill::supervisor::statistics {
namespace {

// Values in a bucket of the level.
double SizeOf(size_t level) { return std::ldexp(1.0, static_cast<int>(level)); }

}  // namespace

absl::Status AdwinState::Check() const {
  int64_t num_buckets = 0, held = 0;
  for (size_t level = 0; level < num_of_size.size() && level < 62; ++level) {
    num_buckets += num_of_size[level];
    held += num_of_size[level] << level;
  }
  if (static_cast<int64_t>(totals.size()) != num_buckets || variances.size() != totals.size() ||
      held != width || num_of_size.size() > 62) {
    return DataLoss("an ADWIN window of {} values has {} buckets for {} values", width,
                    totals.size(), held);
  }
  return absl::OkStatus();
}

DetectorSignal Adwin::Update(double value) {
  Insert(value);
  Compress();
  if (state_.num_values % config_.clock != 0 || state_.width <= config_.grace) {
    return DetectorSignal::kStable;
  }
  bool drifted = false;
  while (HasCut()) {
    DropOldest();
    drifted = true;
  }
  return drifted ? DetectorSignal::kDrift : DetectorSignal::kStable;
}

void Adwin::Insert(double value) {
  ++state_.num_values;
  ++state_.width;
  const auto width = static_cast<double>(state_.width);
  if (state_.width > 1) {
    const double deviation = value - state_.total / (width - 1);
    state_.variance += (width - 1) * deviation * deviation / width;
  }
  state_.total += value;
  state_.totals.push_back(value);
  state_.variances.push_back(0);
  if (state_.num_of_size.empty()) state_.num_of_size.push_back(0);
  ++state_.num_of_size[0];
}

void Adwin::Compress() {
  auto end = static_cast<int64_t>(state_.totals.size());
  for (size_t level = 0; level < state_.num_of_size.size(); ++level) {
    if (state_.num_of_size[level] <= config_.max_buckets) return;
    // The two oldest of a size are right after the newest of the next one, which they become.
    end -= state_.num_of_size[level];
    const auto oldest = static_cast<size_t>(end);
    const double size = SizeOf(level);
    const double apart = (state_.totals[oldest] - state_.totals[oldest + 1]) / size;
    const bool loses = config_.cuts == AdwinVariant::kSkipLastAndVariance;
    state_.variances[oldest + 1] +=
        (loses ? 0 : state_.variances[oldest]) + size / 2 * apart * apart;
    state_.totals[oldest + 1] += state_.totals[oldest];
    state_.totals.erase(state_.totals.begin() + end);
    state_.variances.erase(state_.variances.begin() + end);
    state_.num_of_size[level] -= 2;
    if (level + 1 == state_.num_of_size.size()) state_.num_of_size.push_back(0);
    ++state_.num_of_size[level + 1];
    ++end;
  }
}

void Adwin::DropOldest() {
  const double size = SizeOf(state_.num_of_size.size() - 1);
  state_.width -= static_cast<int64_t>(size);
  state_.total -= state_.totals.front();
  const auto width = static_cast<double>(state_.width);
  const double apart = state_.totals.front() / size - state_.total / width;
  state_.variance -= state_.variances.front() + size * width * apart * apart / (size + width);
  state_.totals.erase(state_.totals.begin());
  state_.variances.erase(state_.variances.begin());
  --state_.num_of_size.back();
  while (state_.num_of_size.size() > 1 && state_.num_of_size.back() == 0) {
    state_.num_of_size.pop_back();
  }
}

bool Adwin::HasCut() const {
  const bool skips = config_.cuts != AdwinVariant::kAllCuts;
  double older = 0, sum = 0;
  size_t bucket = 0;
  for (size_t level = state_.num_of_size.size(); level-- > 0;) {
    for (int64_t i = 0; i < state_.num_of_size[level]; ++i, ++bucket) {
      if (skips && i == state_.num_of_size[level] - 1) continue;
      older += SizeOf(level);
      sum += state_.totals[bucket];
      if (Differ(older, sum)) return true;
    }
  }
  return false;
}

bool Adwin::Differ(double older, double sum) const {
  const auto width = static_cast<double>(state_.width);
  const auto least = static_cast<double>(config_.min_window);
  const double newer = width - older;
  if (older < least || newer < least) return false;
  const double confidence = std::log(2 * std::log(width) / config_.delta);
  const double harmonic = 1 / (older - least + 1) + 1 / (newer - least + 1);
  // Subtractions may leave a variance a little below 0.
  const double variance = std::max(state_.variance, 0.0) / width;
  const double bound =
      std::sqrt(2 * harmonic * variance * confidence) + 2.0 / 3 * confidence * harmonic;
  return std::abs(sum / older - (state_.total - sum) / newer) > bound;
}

std::unique_ptr<StreamDetector> StartOf(const AdwinConfig& config) {
  return std::make_unique<SealedDetector<Adwin, AdwinConfig>>(config);
}

TIDEMILL_PART(Detector, DetectorOf, AdwinConfig)

}  // namespace tidemill::supervisor::statistics
