// The statistics that compare two windows, as a pipeline names them: `{type: ks, correction: fdr}`.
//
//   ASSIGN_OR_RETURN(const DriftScore score, CompareWindows(spec, reference, current, seed));
//
// A distance says how far two windows are apart. Thresholds of it depend on the data and the
// windows, so use a criterion that learns from scores (criteria.h, false_alarms.h). A p-value says
// how certain a difference is. Tests repeated at a level alpha fire in a share alpha of all
// evaluations even without drift. With many rows, they fire at any difference, however small.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "supervisor/statistics/false_alarms.h"
#include "supervisor/statistics/multiple_testing.h"
#include "supervisor/statistics/permutation.h"
#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

enum class MmdEstimator : uint8_t { kQuadratic, kLinear };

struct MmdStatistic {
  static constexpr std::string_view kType = "mmd";
  static constexpr std::string_view kDoc =
      "Maximum mean discrepancy with a Gaussian kernel (Gretton and others, 2012): the distance of "
      "the windows as a whole, in all columns together. It sees any change of means or shapes. The "
      "score is the squared distance, without bias. Without drift it is about 0.";
  MmdEstimator estimator = MmdEstimator::kQuadratic;
  std::vector<double> widths = {};
  int64_t rows = 2000;
  int64_t permutations = 0;

  void Fields(auto&& field) {
    field("estimator", estimator,
          "quadratic: uses all pairs of rows. linear: uses only as many pairs as there are rows, "
          "for windows of 10^5 rows and more. It has its own p-value.");
    field("widths", widths,
          "Widths of the kernel; the result is averaged over them. By default one width, the "
          "median distance of rows divided by the root of 2.",
          {.max_items = 16});
    field("rows", rows,
          "Number of rows of each window that `quadratic` compares. They are drawn at random if "
          "there are more. The cost grows with the square of this number.",
          {.min = 2, .max = 20'000});
    field("permutations", permutations,
          "Number of random splits for the p-value of `quadratic`. 0: no p-value.",
          {.min = 0, .max = 100'000});
  }
  friend bool operator==(const MmdStatistic&, const MmdStatistic&) = default;
};

struct KsStatistic {
  static constexpr std::string_view kType = "ks";
  static constexpr std::string_view kDoc =
      "Kolmogorov-Smirnov, by column: the greatest difference between the distribution functions. "
      "The score is the score of the column that drifted most.";
  Correction correction = Correction::kBonferroni;

  void Fields(auto&& field) {
    field("correction", correction, "How to combine the p-values of several columns.");
  }
  friend bool operator==(const KsStatistic&, const KsStatistic&) = default;
};

struct CramerVonMisesStatistic {
  static constexpr std::string_view kType = "cvm";
  static constexpr std::string_view kDoc =
      "Cramer-von Mises, by column: the mean square of the difference between the distribution "
      "functions. It sees small shifts sooner than `ks`. The score is the score of the column that "
      "drifted most.";
  Correction correction = Correction::kBonferroni;

  void Fields(auto&& field) {
    field("correction", correction, "How to combine the p-values of several columns.");
  }
  friend bool operator==(const CramerVonMisesStatistic&, const CramerVonMisesStatistic&) = default;
};

struct WassersteinStatistic {
  static constexpr std::string_view kType = "wasserstein";
  static constexpr std::string_view kDoc =
      "Wasserstein distance, by column: how far values have moved, on average, in standard "
      "deviations of the reference. The score is the score of the column that drifted most.";
  int64_t permutations = 0;

  void Fields(auto&& field) {
    field("permutations", permutations, "Number of random splits for a p-value. 0: no p-value.",
          {.min = 0, .max = 100'000});
  }
  friend bool operator==(const WassersteinStatistic&, const WassersteinStatistic&) = default;
};

struct EnergyStatistic {
  static constexpr std::string_view kType = "energy";
  static constexpr std::string_view kDoc =
      "Energy distance, by column (Szekely and Rizzo, 2013). The score is the score of the column "
      "that drifted most, in the root of its unit.";
  int64_t permutations = 0;

  void Fields(auto&& field) {
    field("permutations", permutations, "Number of random splits for a p-value. 0: no p-value.",
          {.min = 0, .max = 100'000});
  }
  friend bool operator==(const EnergyStatistic&, const EnergyStatistic&) = default;
};

enum class Divergence : uint8_t { kJensenShannon, kHellinger, kPsi };

struct BinnedStatistic {
  static constexpr std::string_view kType = "binned";
  static constexpr std::string_view kDoc =
      "A divergence of histograms, by column. All bins hold equally many rows of the reference. A "
      "column with few different values, such as labels, is treated as classes. The score is the "
      "score of the column that drifted most.";
  Divergence divergence = Divergence::kJensenShannon;
  int64_t bins = 10;
  int64_t permutations = 0;

  void Fields(auto&& field) {
    field("divergence", divergence,
          "jensen_shannon: a distance from 0 to 0.83. hellinger: a distance from 0 to 1. psi: the "
          "population stability index; by convention, 0.1 is a change and 0.2 a great change.");
    field("bins", bins,
          "Number of bins of a column. A column with at most twice as many different values has a "
          "class for each value.",
          {.min = 2, .max = 1000});
    field("permutations", permutations, "Number of random splits for a p-value. 0: no p-value.",
          {.min = 0, .max = 100'000});
  }
  friend bool operator==(const BinnedStatistic&, const BinnedStatistic&) = default;
};

struct ClassifierStatistic {
  static constexpr std::string_view kType = "classifier";
  static constexpr std::string_view kDoc =
      "Whether a logistic regression can tell current rows from those of the reference (Lopez-Paz "
      "and Oquab, 2017). The score is its area under the ROC curve on rows held out: about 0.5 "
      "without drift, 1 when it is never wrong.";
  double train_share = 0.5;
  int64_t rows = 10'000;

  void Fields(auto&& field) {
    field("train_share", train_share, "Share of the rows to learn from.", {.min = 0.1, .max = 0.9});
    field("rows", rows,
          "Number of rows of each window. They are drawn at random if there are more.",
          {.min = 4, .max = 1'000'000});
  }
  friend bool operator==(const ClassifierStatistic&, const ClassifierStatistic&) = default;
};

// To add a statistic, write one line here and its overload in drift_statistic.cc.
using DriftStatistic =
    std::variant<MmdStatistic, KsStatistic, CramerVonMisesStatistic, WassersteinStatistic,
                 EnergyStatistic, BinnedStatistic, ClassifierStatistic>;

struct DriftScore {
  // Grows with the difference of the windows.
  double score = 0;
  // Small when a difference this large is unlikely by chance. With several columns, it is one
  // p-value for all.
  std::optional<double> p_value = std::nullopt;
  // The score of each column, for statistics that have one; otherwise empty. NaN for a column with
  // too few values to compare.
  std::vector<double> columns = {};
  // The p-value of each column, corrected for the number of columns that were compared; NaN for
  // others. Empty for statistics that have no p-values of columns.
  std::vector<double> column_p_values = {};

  friend bool operator==(const DriftScore&, const DriftScore&) = default;
};

// Whether a statistic compares column by column. The others compare rows as a whole.
bool IsByColumn(const DriftStatistic& statistic);

// The number of samples of a window that must have the compared values: 30 and a tenth of the
// window, or all of a window of fewer than 30. With fewer, the score would depend more on missing
// values than on drift. At least 2.
int64_t LeastToCompare(int64_t num_samples);

struct CompareOptions {
  // The number of samples of the windows, including samples without a row. 0 means the number of
  // rows.
  int64_t reference_samples = 0;
  int64_t current_samples = 0;
  std::stop_token stop = {};
};

// A NaN is a missing number. A statistic by column compares, in each column, the rows that have a
// value in it. Columns with fewer values than LeastToCompare() are left out. Other statistics
// compare only complete rows. INVALID_ARGUMENT for windows that CheckShapes() refuses, and for
// those with too few rows or without a column to compare. CANCELLED soon after a stop. Otherwise a
// pure function of its arguments.
absl::StatusOr<DriftScore> CompareWindows(const DriftStatistic& statistic, const Rows& reference,
                                          const Rows& current, int64_t seed,
                                          const CompareOptions& options = {});

// Returns the least possible p-value: 0 when there is no bound, 1 / (permutations + 1) for
// permutations. std::nullopt for a statistic without a p-value.
std::optional<double> LeastPValue(const DriftStatistic& statistic);

// Returns what ScoresWithoutDrift() gives for ScoreOf(), except for one difference. Quadratic MMD
// computes the width of its kernel once, from the whole history, and goes through that kernel for
// all windows together, which is hundreds of times as fast. The scores differ by no more than those
// of other windows drawn from the history. A statistic that is not by column uses only complete
// rows of the history.
absl::StatusOr<std::vector<double>> ScoresWithoutDrift(const DriftStatistic& statistic,
                                                       const Rows& history,
                                                       const NullScores& wanted, int64_t seed);

// Returns the score alone, without a p-value, for ScoresWithoutDrift(). The windows must have
// passed CheckShapes(), and have at least two rows, which must be complete unless the statistic is
// by column. 0 when no column can be compared.
TwoSampleStatistic ScoreOf(const DriftStatistic& statistic, int64_t seed);

}  // namespace tidemill::supervisor::statistics

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::statistics::MmdEstimator> {
  using Estimator = tidemill::supervisor::statistics::MmdEstimator;
  static constexpr std::pair<Estimator, std::string_view> kNames[] = {
      {Estimator::kQuadratic, "quadratic"}, {Estimator::kLinear, "linear"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::supervisor::statistics::Correction> {
  using Correction = tidemill::supervisor::statistics::Correction;
  static constexpr std::pair<Correction, std::string_view> kNames[] = {
      {Correction::kBonferroni, "bonferroni"}, {Correction::kFdr, "fdr"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::supervisor::statistics::Divergence> {
  using Divergence = tidemill::supervisor::statistics::Divergence;
  static constexpr std::pair<Divergence, std::string_view> kNames[] = {
      {Divergence::kJensenShannon, "jensen_shannon"},
      {Divergence::kHellinger, "hellinger"},
      {Divergence::kPsi, "psi"}};
};
