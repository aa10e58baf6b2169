#include "supervisor/triggers/criteria/silent_criteria.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>
#include <variant>

#include "fmt/format.h"

#include "supervisor/statistics/false_alarms.h"
#include "supervisor/statistics/multiple_testing.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

using statistics::BadSide;

config::Remark Never(std::string path, std::string message, std::string hint) {
  return {.path = std::move(path), .message = std::move(message), .hint = std::move(hint)};
}

// 1 / (n + m choose n): the chance of the split that was observed.
double ChanceOfSplit(int64_t n, int64_t m) {
  const auto log_factorial = [](int64_t k) { return std::lgamma(static_cast<double>(k) + 1); };
  return std::exp(log_factorial(n) + log_factorial(m) - log_factorial(n + m));
}

}  // namespace

ScoreRange RangeOf(const statistics::DriftStatistic& statistic) {
  return std::visit(
      []<typename Statistic>(const Statistic& spec) -> ScoreRange {
        if constexpr (std::is_same_v<Statistic, statistics::MmdStatistic>) {
          // A kernel is between 0 and 1.
          return {.least = std::nullopt, .greatest = 2};
        } else if constexpr (std::is_same_v<Statistic, statistics::KsStatistic> ||
                             std::is_same_v<Statistic, statistics::ClassifierStatistic>) {
          return {.least = 0, .greatest = 1};
        } else if constexpr (std::is_same_v<Statistic, statistics::BinnedStatistic>) {
          switch (spec.divergence) {
            case statistics::Divergence::kHellinger:
              return {.least = 0, .greatest = 1};
            case statistics::Divergence::kJensenShannon:
              return {.least = 0, .greatest = std::sqrt(std::numbers::ln2)};
            case statistics::Divergence::kPsi:
              break;
          }
          return {.least = 0, .greatest = std::nullopt};
        } else {
          return {.least = 0, .greatest = std::nullopt};
        }
      },
      statistic);
}

std::vector<config::Remark> FindSilence(const ThresholdCriterion& criterion, const ScoreKind& kind,
                                        const ScoreRange& range) {
  const bool is_high = kind.bad == BadSide::kHigh;
  if (is_high && range.greatest && criterion.at > *range.greatest) {
    return {
        Never("criterion.at",
              fmt::format("is never reached: {} is {} at most", kind.name, Figure(*range.greatest)),
              fmt::format("write less than {}", Figure(*range.greatest)))};
  }
  if (!is_high && range.least && criterion.at < *range.least) {
    return {
        Never("criterion.at",
              fmt::format("is never reached: {} is {} at least", kind.name, Figure(*range.least)),
              fmt::format("write more than {}", Figure(*range.least)))};
  }
  return {};
}

// A quantile is among the scores: a new one that is worse fires, if it is possible.
std::vector<config::Remark> FindSilence(const QuantileCriterion&, const ScoreKind&,
                                        const ScoreRange&) {
  return {};
}

std::vector<config::Remark> FindSilence(const RollingAverageCriterion& criterion,
                                        const ScoreKind& kind, const ScoreRange& range) {
  const double deviation = criterion.deviation;
  if (criterion.relative) {
    if (kind.bad == BadSide::kHigh || !range.least || deviation < 1) return {};
    return {Never("criterion.deviation",
                  fmt::format("is never reached: {} of a mean below it is {}, and {} is never less",
                              Figure(deviation), deviation > 1 ? "less than 0" : "0", kind.name),
                  "write a share of the mean such as 0.05")};
  }
  if (!range.least || !range.greatest || deviation < *range.greatest - *range.least) return {};
  return {Never("criterion.deviation",
                fmt::format("is never reached: {} is between {} and {}", kind.name,
                            Figure(*range.least), Figure(*range.greatest)),
                "write a difference of two scores such as 0.05")};
}

std::vector<config::Remark> FindSilence(const PValueCriterion& criterion, double least) {
  const double first =
      criterion.spend ? statistics::SpentAlpha(criterion.alpha, 1) : criterion.alpha;
  if (least >= first) {
    return {Never("criterion.alpha",
                  fmt::format("is never reached: no p-value of these windows and this statistic "
                              "is below {:.3g}, and {:.3g} is asked for",
                              least, first),
                  "write more permutations, larger windows or a greater alpha")};
  }
  if (!criterion.spend || least <= 0) return {};
  int64_t last = 1;
  while (statistics::SpentAlpha(criterion.alpha, last + 1) > least) ++last;
  return {{.path = "criterion.spend",
           .message = fmt::format("from test {} after a training on, nothing can fire: no p-value "
                                  "is below {:.3g}, which is more than is left to spend",
                                  last + 1, least),
           .hint = "write more permutations, or a greater alpha",
           .is_error = false}};
}

std::vector<config::Remark> FindSilence(const AutoCriterion& criterion,
                                        double evaluations_per_month) {
  const double per_alarm = evaluations_per_month / criterion.alarms_per_month;
  if (per_alarm <= static_cast<double>(statistics::kMaxScores)) return {};
  return {Never("criterion.alarms_per_month",
                fmt::format("is never reached: one alarm in {:.3g} evaluations is too rare to find "
                            "a threshold for; one in {} is possible",
                            per_alarm, Figure(static_cast<double>(statistics::kMaxScores))),
                "evaluate less often, or accept more alarms")};
}

double LeastPValue(const statistics::DriftStatistic& statistic, int64_t reference, int64_t current,
                   int64_t num_columns) {
  const double by_draws = statistics::LeastPValue(statistic).value_or(0);
  if (std::holds_alternative<statistics::KsStatistic>(statistic)) {
    // Two-sided and exact; of several columns, the least p-value counts several times.
    return std::min(1.0, 2 * ChanceOfSplit(reference, current) * static_cast<double>(num_columns));
  }
  return by_draws > 0 ? std::max(by_draws, ChanceOfSplit(reference, current)) : by_draws;
}

}  // namespace tidemill::supervisor
