// Draws of samples by scores, with weights that keep a mean over all samples unbiased.
//
// A score that is negative, infinite or no number leaves its row out; N below counts all others,
// those with a score of zero, too. When at least k rows have a score above zero, only they are
// drawn, and the mean is unbiased for quantities that are zero where the score is. Otherwise all of
// them are chosen, and the rest is drawn uniformly from those with zero: so k >= N chooses
// everything with weight 1, and scores that are all zero make the draw uniform.
//
// Every function is pure. Whether a row is drawn depends on its id and on the scores, not on where
// it stands; but for the systematic draw, whose random order is one of places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "subsets/bottom_k.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

enum class DrawMethod {
  kPriority,    // The k greatest s / U (Duffield, Lund and Thorup, JACM 2007).
  kPoisson,     // Each row by itself with probability min(1, c s); k are expected.
  kSystematic,  // Exactly k with those same probabilities (Madow, 1949).
};

// Draws about k rows in proportion to their scores, and weighs them so that sum(w x) / rows.size()
// is unbiased. `smoothing` times the mean score is added to each score first: no k / (N p) is then
// above (1 + smoothing) / smoothing. `ids`
// name the rows in the random stream: as many as there are scores, or none for the rows' numbers.
// The rows come in ascending order. O(n + k log k) time.
Choice DrawByScore(DrawMethod method, std::span<const double> scores, int64_t k,
                   const RandomKey& random, double smoothing = 0,
                   std::span<const int64_t> ids = {});

// kPriority for a stream that is too long to hold. Thread-compatible.
class PrioritySketch {
 public:
  PrioritySketch(int64_t k, const RandomKey& random);

  // Rows first_row, first_row + 1 ... named `ids`; `added` is added to each score (the smoothing).
  void Add(std::span<const int64_t> ids, std::span<const double> scores, int64_t first_row,
           double added = 0);
  // Both have the same k and the same random stream.
  void Merge(const PrioritySketch& other);

  struct Drawn {
    Choice choice;             // In ascending order of the rows.
    std::vector<int64_t> ids;  // Of the chosen.
  };
  Drawn Finish();

  int64_t num_seen() const { return num_judged_ + num_left_out_; }
  int64_t num_left_out() const { return num_left_out_; }

 private:
  const RandomKey random_;
  BottomK smallest_;  // Of k + 1, by -s / U.
  int64_t num_judged_ = 0;
  int64_t num_zero_ = 0;
  int64_t num_left_out_ = 0;
};

// Whether a score can be drawn by: a finite number that is not negative.
bool IsScore(double score);

// With which probability each row is in a draw of k: min(1, c s), c such that they add up to k; see
// above for scores of zero. 0 for rows that are left out.
std::vector<double> InclusionProbabilities(std::span<const double> scores, int64_t k);

// `smoothing` times the mean of the scores, leaving out what is none.
double SmoothingOf(std::span<const double> scores, double smoothing);

// k of n rows, each as likely: those with the smallest bits. Ascending.
std::vector<int64_t> DrawUniformly(int64_t n, int64_t k, const RandomKey& random,
                                   std::span<const int64_t> ids = {});

// k rows one after the other, always in proportion to the scores of those left, as
// torch.multinomial(replacement=False) does; in the order in which they were drawn. No weights:
// such a draw has no simple unbiased ones.
Choice DrawOneByOne(std::span<const double> scores, int64_t k, const RandomKey& random,
                    std::span<const int64_t> ids = {});

// The k rows with the greatest scores, or the smallest, the best first; of equal ones the lower
// row. Scores may be negative; what is not finite is left out. O(n + k log k).
enum class Best { kGreatest, kSmallest };
Choice TopK(std::span<const double> scores, int64_t k, Best best = Best::kGreatest);

// (sum w)^2 / sum w^2: of how many equally weighted samples an average is as noisy. 0 for none.
double EffectiveSampleSize(std::span<const double> weights);

}  // namespace tidemill::subsets
