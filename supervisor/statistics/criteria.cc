#include "supervisor/statistics/criteria.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tidemill::supervisor::statistics {
namespace {

double Sign(BadSide bad) { return bad == BadSide::kHigh ? 1 : -1; }

}  // namespace

void ScoreHistory::Add(double score) {
  scores.push_back(score);
  const auto surplus = static_cast<int64_t>(scores.size()) - most;
  if (surplus > 0) scores.erase(scores.begin(), scores.begin() + surplus);
}

absl::Status ScoreHistory::Check() const {
  if (most < 1 || static_cast<int64_t>(scores.size()) > most) {
    return DataLoss("a history of at most {} scores holds {}", most, scores.size());
  }
  return absl::OkStatus();
}

double QuantileOf(std::span<const double> scores, double q) {
  std::vector<double> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

Verdict JudgeByThreshold(double score, double threshold, BadSide bad) {
  const double margin = Sign(bad) * (score - threshold);
  return {.fired = margin >= 0, .threshold = threshold, .margin = margin};
}

Verdict JudgeByQuantile(double score, std::span<const double> scores, double tail, BadSide bad) {
  if (scores.empty()) return {.fired = true};
  const double threshold = QuantileOf(scores, bad == BadSide::kHigh ? 1 - tail : tail);
  const double margin = Sign(bad) * (score - threshold);
  return {.fired = margin > 0, .threshold = threshold, .margin = margin};
}

Verdict JudgeByRollingAverage(double score, std::span<const double> scores, double deviation,
                              bool relative, BadSide bad) {
  if (scores.empty()) return {.fired = true};
  const double mean =
      std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  const double allowed = relative ? deviation * mean : deviation;
  return JudgeByThreshold(score, mean + Sign(bad) * allowed, bad);
}

Verdict JudgeByP(double p_value, double alpha) {
  return {.fired = p_value < alpha, .threshold = alpha, .margin = alpha - p_value};
}

}  // namespace tidemill::supervisor::statistics
