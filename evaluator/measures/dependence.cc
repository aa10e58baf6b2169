#include "evaluator/measures/dependence.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "boost/math/distributions/chi_squared.hpp"
#include "boost/math/distributions/normal.hpp"
#include "boost/math/distributions/students_t.hpp"

namespace tidemill::evaluator {
namespace {

namespace math = boost::math;
namespace policies = boost::math::policies;

constexpr size_t kFewestMoments = 8;
constexpr size_t kMostMoments = 4096;
// Standard errors by which neighbours must be alike: chance makes them so in 5 % of all cases.
constexpr double kDoubt = 1.645;
// The lags of the quick look for dependence.
constexpr size_t kFirstLags = 4;
// Squared differences from the mean that are smaller than this part of the squares are rounding.
constexpr double kLeastSpread = 1e-24;
// The number of slow waves that are looked at grows with the moments: one in 50.
constexpr size_t kFewestWaves = 8;
constexpr size_t kMostWaves = 64;
constexpr size_t kMomentsOfAWave = 50;
// The chance that so little power of waves is chance.
constexpr double kSeldom = 0.01;
// Lags of the sum, for each moment, that take one degree of freedom; see the header.
constexpr size_t kLagsOfADegree = 3;
constexpr double kFewestDegrees = 4;
constexpr double kUpperShare = 0.975;

// Errors become NaN or infinity, never exceptions.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>,
                               policies::promote_double<false>>;

// The covariances of a series by lag, in units of the variance that it would have if the samples
// behind it were independent.
class Covariances {
 public:
  // `variance` is positive.
  Covariances(std::vector<double> series, double variance)
      : series_(std::move(series)), variance_(variance) {}

  double At(size_t lag) {
    while (known_.size() <= lag) known_.push_back(Computed(known_.size()));
    return known_[lag];
  }
  size_t size() const { return series_.size(); }

  // The mean power of the slowest waves, in the same units.
  double OfWaves(size_t num_waves) const {
    double power = 0;
    for (size_t wave = 1; wave <= num_waves; ++wave) {
      const double step =
          std::numbers::pi * static_cast<double>(wave) / static_cast<double>(series_.size());
      double sum = 0;
      for (size_t i = 0; i < series_.size(); ++i) {
        sum += series_[i] * std::cos(step * (static_cast<double>(i) + 0.5));
      }
      power += 2 * sum * sum;
    }
    return power / (static_cast<double>(num_waves) * variance_);
  }

 private:
  double Computed(size_t lag) const {
    return std::inner_product(series_.begin() + static_cast<std::ptrdiff_t>(lag), series_.end(),
                              series_.begin(), 0.0) /
           variance_;
  }

  const std::vector<double> series_;
  const double variance_;
  std::vector<double> known_;
};

// Adds up neighbours `run` by `run`.
std::vector<double> InRuns(const std::vector<double>& series, size_t run) {
  std::vector<double> sums((series.size() + run - 1) / run);
  for (size_t i = 0; i < series.size(); ++i) sums[i / run] += series[i];
  return sums;
}

// The sums over moments, and over runs of moments where there are many.
std::vector<double> Moments(const std::vector<double>& centred, std::span<const int64_t> times) {
  std::vector<double> moments;
  for (size_t i = 0; i < centred.size(); ++i) {
    const bool is_new = i == 0 || times.empty() || times[i] != times[i - 1];
    if (is_new) moments.push_back(0);
    moments.back() += centred[i];
  }
  if (moments.size() < kFewestMoments) moments = centred;
  return InRuns(moments, (moments.size() + kMostMoments - 1) / kMostMoments);
}

// Whether the first covariances are larger than chance makes them. `is_grouped` says whether a
// moment may hold several samples: then the variance of moments says something, too.
bool LooksDependent(Covariances& covariances, bool is_grouped) {
  const auto n = static_cast<double>(covariances.size());
  if (covariances.At(1) * std::sqrt(n) > kDoubt * covariances.At(0)) return true;
  double sum = covariances.At(0) - 1;
  for (size_t lag = 1; lag <= kFirstLags; ++lag) sum += 2 * covariances.At(lag);
  const double variance = 4 * static_cast<double>(kFirstLags) + (is_grouped ? 2 : 0);
  return sum > kDoubt * std::sqrt(variance / n);
}

struct SequenceSum {
  double ratio = 1;
  size_t num_lags = 1;
};

// Geyer's sum, if the variance of the mean was `ratio` / n.
SequenceSum InitialMonotoneSum(Covariances& covariances, double ratio) {
  const auto n = static_cast<double>(covariances.size());
  const auto corrected = [&](size_t lag) {
    return covariances.At(lag) * n / (n - static_cast<double>(lag)) + ratio / n;
  };
  SequenceSum sum{.ratio = -corrected(0)};
  double last = std::numeric_limits<double>::infinity();
  for (size_t lag = 0; lag + 1 < covariances.size() / 3; lag += 2) {
    const double pair = corrected(lag) + corrected(lag + 1);
    if (pair <= 0) break;
    last = std::min(last, pair);
    sum.ratio += 2 * last;
    sum.num_lags = lag + 1;
  }
  sum.ratio = std::clamp(sum.ratio, 1.0, std::max(1.0, n / 3));
  return sum;
}

// The ratio by the slowest waves, if it is much less than `ratio`.
std::optional<Dependence> RatioOfWaves(const Covariances& covariances, double ratio) {
  const size_t n = covariances.size();
  if (n < 4 * kFewestWaves) return std::nullopt;
  const size_t num_waves = std::clamp(n / kMomentsOfAWave, kFewestWaves, kMostWaves);
  const auto degrees = static_cast<double>(num_waves);
  const double of_waves = covariances.OfWaves(num_waves);
  const math::chi_squared_distribution<double, Quiet> chance(degrees);
  if (ratio <= of_waves * degrees / math::quantile(chance, kSeldom)) return std::nullopt;
  return Dependence{.variance_ratio = std::max(1.0, of_waves), .degrees_of_freedom = degrees};
}

}  // namespace

double Dependence::Widening(double share) const {
  if (!WasFound()) return 1;
  const double ratio = 1 + (variance_ratio - 1) / share;
  const math::students_t_distribution<double, Quiet> student(degrees_of_freedom);
  const math::normal_distribution<double, Quiet> normal;
  return std::sqrt(ratio) * math::quantile(student, kUpperShare) /
         math::quantile(normal, kUpperShare);
}

double WideningOfDraws(int replicates) {
  constexpr double kMost = 1.25;
  const double n = replicates;
  const math::normal_distribution<double, Quiet> normal;
  const double below = ((1 - kUpperShare) * (n - 1) + 1) / (n + 1);
  const double bound = math::quantile(normal, 1 - below);
  return bound > 0 ? std::clamp(math::quantile(normal, kUpperShare) / bound, 1.0, kMost) : kMost;
}

Dependence DependenceOf(std::span<const double> influence, std::span<const int64_t> times) {
  if (influence.size() < kFewestMoments) return {};
  std::vector<double> centred(influence.begin(), influence.end());
  const double mean =
      std::accumulate(centred.begin(), centred.end(), 0.0) / static_cast<double>(centred.size());
  double squares = 0;
  for (double& one : centred) {
    one -= mean;
    squares += one * one;
  }
  // A network that diverged has influences that are not numbers.
  const double rounding = kLeastSpread * mean * mean * static_cast<double>(centred.size());
  if (!std::isfinite(squares) || squares <= rounding) return {};
  Covariances covariances(Moments(centred, times), squares);
  if (!LooksDependent(covariances, covariances.size() < centred.size())) return {};
  constexpr int kRounds = 8;
  constexpr double kSame = 1e-3;
  SequenceSum sum;
  for (int round = 0; round < kRounds; ++round) {
    const double before = sum.ratio;
    sum = InitialMonotoneSum(covariances, before);
    if (std::abs(sum.ratio - before) < kSame * before) break;
  }
  if (const auto of_waves = RatioOfWaves(covariances, sum.ratio)) return *of_waves;
  const double degrees =
      static_cast<double>(covariances.size()) / static_cast<double>(kLagsOfADegree * sum.num_lags);
  return {.variance_ratio = sum.ratio, .degrees_of_freedom = std::max(kFewestDegrees, degrees)};
}

}  // namespace tidemill::evaluator
