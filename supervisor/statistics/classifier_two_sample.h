// The classifier two-sample test: can a classifier tell current rows from those of the reference?
// (Lopez-Paz and Oquab, "Revisiting classifier two-sample tests", ICLR 2017.)
#pragma once

#include <cstdint>

#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

struct ClassifierOptions {
  // The share of the rows of each window that the classifier learns from; it is scored on the rest.
  double train_share = 0.5;
  int64_t seed = 0;
  // Rows of each window; of more so many are drawn.
  int64_t most_rows = 10'000;
};

struct ClassifierTest {
  int64_t hits = 0;     // Rows held out whose window was told.
  int64_t trials = 0;   // Rows held out.
  double chance = 0.5;  // Hits of a classifier that always names the greater window, as a share.
  double accuracy = 0;
  // 0 at chance, 1 at no mistake: max(0, 1 - (1 - accuracy) / (1 - chance)).
  double distance = 0;
  // P(as many hits or more) by chance, from the binomial distribution. Of windows of unequal size
  // it sees little: where nothing tells them apart, the classifier names the greater one each time.
  double p_value = 1;
  // The chance that a current row is given a higher score than one of the reference; about 1/2
  // without drift, 1 when the windows do not overlap. Ties count half.
  double roc_auc = 0.5;
  // P(so great an area by chance), see mann_whitney.h: at any sizes of the windows.
  double rank_p_value = 1;
};

// A logistic regression on standardised columns, with a ridge of 1 on its slopes, fitted by
// Newton's method: no learning rate, no epochs, a pure function of rows and seed. It sees drift of
// means, in any combination of columns; for drift of shapes alone take MMD. Needs four rows in each
// window; below, p is 1. O(rows columns^2 + columns^3) time, O(rows columns) memory.
ClassifierTest ClassifierTwoSampleTest(const Rows& reference, const Rows& current,
                                       const ClassifierOptions& options);

// The test's verdict on a number of hits.
ClassifierTest JudgeHits(int64_t hits, int64_t trials, double chance);

}  // namespace tidemill::supervisor::statistics
