#include "supervisor/statistics/waiting_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tidemill::supervisor::statistics {
namespace {

constexpr double kTrainingAlpha = 1;

double Seconds(int64_t micros) { return static_cast<double>(micros) / 1e6; }

}  // namespace

void WaitingCost::Add(std::span<const int64_t> times) {
  for (const int64_t time : times) AddWeighted({time}, 1);
}

void WaitingCost::AddWeighted(Timestamp time, double weight) {
  waiting += weight;
  moment += weight * Seconds(time.micros - since);
}

void WaitingCost::AddSpread(Timestamp from, Timestamp to, double weight) {
  waiting += weight;
  moment += weight * (Seconds(from.micros - since) + Seconds(to.micros - since)) / 2;
}

double WaitingCost::At(Timestamp time) const {
  return waiting * Seconds(time.micros - since) - moment;
}

void TrainingCost::Add(int64_t num_samples, double num_seconds) {
  samples.push_back(static_cast<double>(num_samples));
  seconds.push_back(num_seconds);
  const auto surplus = static_cast<int64_t>(samples.size()) - most;
  if (surplus > 0) {
    samples.erase(samples.begin(), samples.begin() + surplus);
    seconds.erase(seconds.begin(), seconds.begin() + surplus);
  }
}

Line TrainingCost::Fit() const { return FitRidge(samples, seconds, kTrainingAlpha); }

Line TrainingCost::FitNonNegative() const {
  Line line = Fit();
  if (line.slope < 0) {
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    return {.intercept = sum / static_cast<double>(seconds.size()), .slope = 0};
  }
  if (line.intercept >= 0) return line;
  double together = 0, squares = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    together += samples[i] * seconds[i];
    squares += samples[i] * samples[i];
  }
  return {.intercept = 0, .slope = together / (squares + kTrainingAlpha)};
}

absl::StatusOr<double> TrainingCost::Predict(int64_t num_samples, double floor) const {
  if (empty()) return FailedPrecondition("no training has ended yet, so none can be estimated");
  return std::max(FitNonNegative().At(static_cast<double>(num_samples)), floor);
}

absl::Status TrainingCost::Check() const {
  if (most < 1 || samples.size() != seconds.size() || static_cast<int64_t>(samples.size()) > most) {
    return DataLoss("{} trainings, at most {}, have {} durations", samples.size(), most,
                    seconds.size());
  }
  return absl::OkStatus();
}

double BalancedPeriod(double rho, const Line& training_cost, double rate) {
  const double slope = rho * training_cost.slope;
  return slope + std::sqrt(slope * slope + 2 * rho * training_cost.intercept / rate);
}

}  // namespace tidemill::supervisor::statistics
