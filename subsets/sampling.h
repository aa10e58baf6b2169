// Draws samples by scores, with weights that keep a mean over all samples unbiased.
//
// A row with a score that is negative, infinite or not a number is left out. N below counts all
// other rows, including those with a score of zero. When at least k rows have a score above zero,
// only such rows are drawn. The mean is then unbiased for quantities that are zero where the score
// is zero. Otherwise all of them are chosen, and the rest is drawn uniformly from the rows with
// zero. So k >= N chooses everything with weight 1, and scores that are all zero make the draw
// uniform.
//
// Every function is pure. Whether a row is drawn depends on its id and on the scores, not on its
// place. The exception is the systematic draw, whose random order is an order of places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "subsets/draws/bottom_k.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

enum class DrawMethod {
  kPriority,    // The k greatest s / U (Duffield, Lund and Thorup, JACM 2007).
  kPoisson,     // Each row on its own with probability min(1, c s); k are expected.
  kSystematic,  // Exactly k, with the same probabilities (Madow, 1949).
};

// Draws about k rows in proportion to their scores, and weighs them so that sum(w x) / rows.size()
// is unbiased. First, `smoothing` times the mean score is added to each score. For kPoisson and
// kSystematic, no weight is then above (1 + smoothing) / smoothing. For kPriority, weights are k
// tau / (N s) with a threshold tau that is random, so that a set may have one above it. `ids` name
// the rows in the random stream. There is one per score; empty means the rows' numbers. The rows
// are returned in ascending order. O(n + k log k) time.
Choice DrawByScore(DrawMethod method, std::span<const double> scores, int64_t k,
                   const RandomKey& random, double smoothing = 0,
                   std::span<const int64_t> ids = {});

// kPriority for a stream that is too long to hold in memory. Thread-compatible.
class PrioritySketch {
 public:
  PrioritySketch(int64_t k, const RandomKey& random);

  // Adds the rows first_row, first_row + 1 ..., which are named `ids`. `added` is added to each
  // score (the smoothing).
  void Add(std::span<const int64_t> ids, std::span<const double> scores, int64_t first_row,
           double added = 0);

  struct Drawn {
    Choice choice;             // In ascending order of the rows.
    std::vector<int64_t> ids;  // The ids of the chosen rows.
  };
  Drawn Finish();

  int64_t num_left_out() const { return num_left_out_; }

 private:
  const RandomKey random_;
  BottomK smallest_;  // The k + 1 smallest by -s / U.
  int64_t num_judged_ = 0;
  int64_t num_zero_ = 0;
  int64_t num_left_out_ = 0;
};

// Whether a score can be used for a draw: a finite number that is not negative.
bool IsScore(double score);

// Returns the probability of each row in a draw of k: min(1, c s), with c so that they add up to k.
// See above for scores of zero. 0 for rows that are left out.
std::vector<double> InclusionProbabilities(std::span<const double> scores, int64_t k);

// Returns `smoothing` times the mean of the scores. Invalid scores are left out.
double SmoothingOf(std::span<const double> scores, double smoothing);

// Draws k of n rows, each with the same probability: the rows with the smallest bits. Ascending.
std::vector<int64_t> DrawUniformly(int64_t n, int64_t k, const RandomKey& random,
                                   std::span<const int64_t> ids = {});

// The k rows with the greatest or the smallest scores, the best first. Among equal ones, the lower
// row. Scores may be negative. Scores that are not finite are left out. O(n + k log k).
enum class Best { kGreatest, kSmallest };
Choice TopK(std::span<const double> scores, int64_t k, Best best = Best::kGreatest);

}  // namespace tidemill::subsets
