// When is a score reason enough? Judgements of one score by a threshold that is given, or that the
// scores before it give.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"

namespace tidemill::supervisor::statistics {

// On which side of the threshold scores are bad: distances are when high, accuracies when low.
enum class BadSide : uint8_t { kHigh, kLow };

struct Verdict {
  bool fired = false;
  // What the score was held against; absent while there were no scores to take it from.
  std::optional<double> threshold = std::nullopt;
  // How far the score lies on the bad side of the threshold, negative on the good one: what it
  // would have had to differ by for another verdict. 0 without a threshold.
  double margin = 0;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// The latest scores, oldest first, no more than `most`. A score is added after it has been judged.
struct ScoreHistory {
  int64_t most = 10;
  std::vector<double> scores = {};

  void Add(double score);

  void Fields(auto&& field) {
    field("most", most);
    field("scores", scores);
  }
  absl::Status Check() const;
  friend bool operator==(const ScoreHistory&, const ScoreHistory&) = default;
};

// Fires at the threshold and beyond.
Verdict JudgeByThreshold(double score, double threshold, BadSide bad);

// Fires beyond the quantile of the scores that leaves a share `tail`, in (0, 1), of them on the bad
// side: above the (1 - tail)-quantile, or below the tail-quantile. Fires without scores.
Verdict JudgeByQuantile(double score, std::span<const double> scores, double tail, BadSide bad);

// Fires when the score is worse than the mean of the scores by `deviation`, or, with `relative`, by
// that share of the mean. Fires without scores.
Verdict JudgeByRollingAverage(double score, std::span<const double> scores, double deviation,
                              bool relative, BadSide bad);

// Fires when p < alpha.
Verdict JudgeByP(double p_value, double alpha);

// The q-quantile, 0 <= q <= 1, of at least one score, interpolated linearly (type 7 of Hyndman and
// Fan, "Sample quantiles in statistical packages", 1996). O(n log n).
double QuantileOf(std::span<const double> scores, double q);

}  // namespace tidemill::supervisor::statistics
