// The classifier two-sample test: can a classifier distinguish current rows from rows of the
// reference? (Lopez-Paz and Oquab, "Revisiting classifier two-sample tests", ICLR 2017.)
#pragma once

#include <cstdint>

#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

struct ClassifierOptions {
  // The share of each window's rows from which the classifier learns. It is scored on the rest.
  double train_share = 0.5;
  int64_t seed = 0;
  // The most rows of each window. From more rows, this number is drawn.
  int64_t most_rows = 10'000;
};

struct ClassifierTest {
  int64_t hits = 0;     // Held-out rows whose window was named correctly.
  int64_t trials = 0;   // Held-out rows.
  double chance = 0.5;  // The share of hits of a classifier that always names the larger window.
  double accuracy = 0;
  // 0 for hits by chance only, 1 for no mistake: max(0, 1 - (1 - accuracy) / (1 - chance)).
  double distance = 0;
  // P(this number of hits or more) by chance, from the binomial distribution. It is weak for
  // windows of unequal size: when nothing distinguishes them, the classifier always names the
  // larger one.
  double p_value = 1;
  // The chance that a current row gets a higher score than a row of the reference. It is about 1/2
  // without drift, and 1 when the windows do not overlap. Ties count half.
  double roc_auc = 0.5;
  // P(an area this large by chance); see mann_whitney.h. It is valid for windows of any sizes.
  double rank_p_value = 1;
};

// Runs the test with a logistic regression on standardised columns, with a ridge of 1 on its
// slopes. It is fitted by Newton's method, so it has no learning rate and no epochs. It is a pure
// function of rows and seed. It finds drift of means, in any combination of columns. For drift of
// shapes alone, use MMD. Needs four rows in each window; with fewer, p is 1. O(rows columns^2 +
// columns^3) time, O(rows columns) memory.
ClassifierTest ClassifierTwoSampleTest(const Rows& reference, const Rows& current,
                                       const ClassifierOptions& options);

// Returns the test's result for a number of hits.
ClassifierTest JudgeHits(int64_t hits, int64_t trials, double chance);

}  // namespace tidemill::supervisor::statistics
