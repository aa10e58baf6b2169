// Decides whether a score is a reason to act. A score is compared with a threshold that is given,
// or that follows from earlier scores.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"

namespace tidemill::supervisor::statistics {

// The side of the threshold on which scores are bad. Distances are bad when high, accuracies when
// low.
enum class BadSide : uint8_t { kHigh, kLow };

struct Verdict {
  bool fired = false;
  // The threshold that the score was compared with. Absent while there were no scores to derive it
  // from.
  std::optional<double> threshold = std::nullopt;
  // How far the score is on the bad side of the threshold; negative on the good side. It is the
  // change that would have changed the verdict. 0 without a threshold.
  double margin = 0;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// The latest scores, oldest first, at most `most`. A score is added after it has been judged.
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

// Fires at the threshold and beyond it.
Verdict JudgeByThreshold(double score, double threshold, BadSide bad);

// Fires beyond the quantile that leaves a share `tail`, in (0, 1), of the scores on the bad side:
// above the (1 - tail)-quantile, or below the tail-quantile. Fires without scores.
Verdict JudgeByQuantile(double score, std::span<const double> scores, double tail, BadSide bad);

// Fires when the score is worse than the mean of the scores by `deviation`. With `relative`,
// `deviation` is a share of the mean. Fires without scores.
Verdict JudgeByRollingAverage(double score, std::span<const double> scores, double deviation,
                              bool relative, BadSide bad);

// Fires when p < alpha.
Verdict JudgeByP(double p_value, double alpha);

// Returns the q-quantile, 0 <= q <= 1, of at least one score, interpolated linearly (type 7 of
// Hyndman and Fan, "Sample quantiles in statistical packages", 1996). O(n log n).
double QuantileOf(std::span<const double> scores, double q);

}  // namespace tidemill::supervisor::statistics
