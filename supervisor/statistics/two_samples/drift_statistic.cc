#include "supervisor/statistics/two_samples/drift_statistic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

#include "supervisor/statistics/two_samples/binned.h"
#include "supervisor/statistics/two_samples/classifier_two_sample.h"
#include "supervisor/statistics/two_samples/cramer_von_mises.h"
#include "supervisor/statistics/two_samples/distances.h"
#include "supervisor/statistics/two_samples/kolmogorov_smirnov.h"
#include "supervisor/statistics/two_samples/mmd.h"

namespace tidemill::supervisor::statistics {
namespace {

// The share that an empty bin has in a population stability index.
constexpr double kEmptyBin = 1e-4;

// The number of rows whose kernel is read once for all windows drawn from them.
constexpr int64_t kMaxKernelRows = 8192;

// A column with fewer values than this in a window is not compared.
constexpr int64_t kLeastValues = 30;

constexpr double kNotCompared = std::numeric_limits<double>::quiet_NaN();

// Everything that a score depends on besides its statistic and the windows.
struct Circumstances {
  int64_t seed = 0;
  int64_t least_reference = 2;
  int64_t least_current = 2;
  std::stop_token stop = {};
};

Circumstances CircumstancesOf(const Rows& reference, const Rows& current, int64_t seed,
                              const CompareOptions& options) {
  return {
      .seed = seed,
      .least_reference = LeastToCompare(std::max(options.reference_samples, reference.num_rows())),
      .least_current = LeastToCompare(std::max(options.current_samples, current.num_rows())),
      .stop = options.stop};
}

// of(column of the reference, that of the current window), for each that can be compared.
template <typename Of>
DriftScore ByColumn(const Rows& reference, const Rows& current, const Circumstances& how,
                    const Of& of) {
  DriftScore score;
  for (int64_t column = 0; column < reference.num_columns; ++column) {
    const std::vector<double> x = ColumnOf(reference, column), y = ColumnOf(current, column);
    const bool is_compared = static_cast<int64_t>(x.size()) >= how.least_reference &&
                             static_cast<int64_t>(y.size()) >= how.least_current;
    score.columns.push_back(is_compared && !how.stop.stop_requested() ? of(x, y) : kNotCompared);
    if (is_compared) score.score = std::max(score.score, score.columns.back());
  }
  return score;
}

// The numbers of the columns that were compared.
std::vector<int64_t> ComparedColumns(const DriftScore& score) {
  std::vector<int64_t> columns;
  for (size_t i = 0; i < score.columns.size(); ++i) {
    if (!std::isnan(score.columns[i])) columns.push_back(static_cast<int64_t>(i));
  }
  return columns;
}

// `p_values` are the p-values of the columns that were compared.
void AddPValues(std::span<const double> p_values, Correction correction, DriftScore& score) {
  if (p_values.empty()) return;
  score.p_value = CombinedP(p_values, correction);
  score.column_p_values.assign(score.columns.size(), kNotCompared);
  const std::vector<double> corrected = CorrectedP(p_values, correction);
  const std::vector<int64_t> columns = ComparedColumns(score);
  for (size_t i = 0; i < std::min(columns.size(), corrected.size()); ++i) {
    score.column_p_values[static_cast<size_t>(columns[i])] = corrected[i];
  }
}

DriftScore Score(const KsStatistic& spec, const Rows& reference, const Rows& current,
                 const Circumstances& how) {
  std::vector<double> p_values;
  DriftScore score = ByColumn(reference, current, how, [&](const auto& x, const auto& y) {
    const KolmogorovSmirnov test = KolmogorovSmirnovTest(x, y);
    p_values.push_back(test.p_value);
    return test.distance;
  });
  AddPValues(p_values, spec.correction, score);
  return score;
}

DriftScore Score(const CramerVonMisesStatistic& spec, const Rows& reference, const Rows& current,
                 const Circumstances& how) {
  std::vector<double> p_values;
  DriftScore score = ByColumn(reference, current, how, [&](const auto& x, const auto& y) {
    const CramerVonMises test = CramerVonMisesTest(x, y);
    p_values.push_back(test.p_value);
    return test.statistic;
  });
  AddPValues(p_values, spec.correction, score);
  return score;
}

double Diverge(Divergence divergence, std::span<const int64_t> reference,
               std::span<const int64_t> current) {
  const double zero = divergence == Divergence::kPsi ? kEmptyBin : 0;
  const std::vector<double> p = Shares(reference, zero), q = Shares(current, zero);
  switch (divergence) {
    case Divergence::kJensenShannon:
      return JensenShannonDistance(p, q);
    case Divergence::kHellinger:
      return HellingerDistance(p, q);
    case Divergence::kPsi:
      break;
  }
  return PopulationStability(p, q);
}

// The score of one column, for statistics that have no p-value.
double ColumnScore(const WassersteinStatistic&, std::span<const double> reference,
                   std::span<const double> current) {
  return NormedWassersteinDistance(reference, current);
}

double ColumnScore(const EnergyStatistic&, std::span<const double> reference,
                   std::span<const double> current) {
  return EnergyDistance(reference, current);
}

double ColumnScore(const BinnedStatistic& spec, std::span<const double> reference,
                   std::span<const double> current) {
  const ClassCounts classes = CountClasses(reference, current);
  if (static_cast<int64_t>(classes.reference.size()) <= 2 * spec.bins) {
    return Diverge(spec.divergence, classes.reference, classes.current);
  }
  const std::vector<double> edges = QuantileEdges(reference, spec.bins);
  return Diverge(spec.divergence, CountIn(edges, reference), CountIn(edges, current));
}

template <typename Statistic>
concept HasColumnScore = requires(const Statistic& spec, std::span<const double> column) {
  ColumnScore(spec, column, column);
};

template <HasColumnScore Statistic>
DriftScore Score(const Statistic& spec, const Rows& reference, const Rows& current,
                 const Circumstances& how) {
  const ColumnStatistic of_column = [&](std::span<const double> x, std::span<const double> y) {
    return ColumnScore(spec, x, y);
  };
  DriftScore score = ByColumn(reference, current, how, of_column);
  const std::vector<int64_t> columns = ComparedColumns(score);
  if (spec.permutations == 0 || columns.empty()) return score;
  const PermutationOptions options = {
      .permutations = spec.permutations, .seed = how.seed, .stop = how.stop};
  score.p_value = PermutationTest(reference, current, columns, of_column, options).p_value;
  return score;
}

DriftScore Score(const ClassifierStatistic& spec, const Rows& reference, const Rows& current,
                 const Circumstances& how) {
  const ClassifierTest test = ClassifierTwoSampleTest(
      reference, current,
      {.train_share = spec.train_share, .seed = how.seed, .most_rows = spec.rows});
  return {.score = test.roc_auc, .p_value = test.rank_p_value};
}

DriftScore Score(const MmdStatistic& spec, const Rows& reference, const Rows& current,
                 const Circumstances& how) {
  const MmdOptions options = {.widths = spec.widths,
                              .permutations = spec.permutations,
                              .seed = how.seed,
                              .most_rows = spec.rows,
                              .stop = how.stop};
  if (spec.estimator == MmdEstimator::kLinear) {
    const LinearMmd mmd = LinearMmdTest(reference, current, options);
    return {.score = mmd.squared, .p_value = mmd.p_value};
  }
  const Mmd mmd = MmdTest(reference, current, options);
  DriftScore score = {.score = mmd.squared};
  if (spec.permutations > 0) score.p_value = mmd.permutation.p_value;
  return score;
}

// The number of permutations that give a statistic its p-value. nullptr when the statistic has an
// analytic p-value.
int64_t* PermutationsOf(MmdStatistic& spec) {
  return spec.estimator == MmdEstimator::kLinear ? nullptr : &spec.permutations;
}
int64_t* PermutationsOf(KsStatistic& /*spec*/) { return nullptr; }
int64_t* PermutationsOf(CramerVonMisesStatistic& /*spec*/) { return nullptr; }
int64_t* PermutationsOf(WassersteinStatistic& spec) { return &spec.permutations; }
int64_t* PermutationsOf(EnergyStatistic& spec) { return &spec.permutations; }
int64_t* PermutationsOf(BinnedStatistic& spec) { return &spec.permutations; }
int64_t* PermutationsOf(ClassifierStatistic& /*spec*/) { return nullptr; }

int64_t* PermutationsOf(DriftStatistic& statistic) {
  return std::visit([](auto& spec) { return PermutationsOf(spec); }, statistic);
}

// Compares windows that lack nothing, or by column.
absl::StatusOr<DriftScore> Compare(const DriftStatistic& statistic, const Rows& reference,
                                   const Rows& current, const Circumstances& how) {
  if (reference.num_rows() < how.least_reference || current.num_rows() < how.least_current) {
    return InvalidArgument("the windows have {} and {} rows; they need at least {} and {}",
                           reference.num_rows(), current.num_rows(), how.least_reference,
                           how.least_current);
  }
  DriftScore score =
      std::visit([&](const auto& spec) { return Score(spec, reference, current, how); }, statistic);
  if (how.stop.stop_requested()) return Cancelled("the comparison is no longer needed");
  if (IsByColumn(statistic) && ComparedColumns(score).empty()) {
    return InvalidArgument("no column has at least {} and {} values in the windows",
                           how.least_reference, how.least_current);
  }
  return score;
}

}  // namespace

std::optional<double> LeastPValue(const DriftStatistic& statistic) {
  DriftStatistic copy = statistic;
  const int64_t* const permutations = PermutationsOf(copy);
  if (permutations == nullptr) return 0;
  if (*permutations == 0) return std::nullopt;
  return 1 / (static_cast<double>(*permutations) + 1);
}

bool IsByColumn(const DriftStatistic& statistic) {
  return !std::holds_alternative<MmdStatistic>(statistic) &&
         !std::holds_alternative<ClassifierStatistic>(statistic);
}

int64_t LeastToCompare(int64_t num_samples) {
  return std::max({int64_t{2}, std::min(kLeastValues, num_samples), (num_samples + 9) / 10});
}

TwoSampleStatistic ScoreOf(const DriftStatistic& statistic, int64_t seed) {
  DriftStatistic bare = statistic;
  if (int64_t* const permutations = PermutationsOf(bare)) *permutations = 0;
  return [bare, seed](const Rows& reference, const Rows& current) {
    const Circumstances how = CircumstancesOf(reference, current, seed, {});
    return std::visit([&](const auto& spec) { return Score(spec, reference, current, how).score; },
                      bare);
  };
}

absl::StatusOr<std::vector<double>> ScoresWithoutDrift(const DriftStatistic& statistic,
                                                       const Rows& history,
                                                       const NullScores& wanted, int64_t seed) {
  if (IsByColumn(statistic)) {
    return ScoresWithoutDrift(history, ScoreOf(statistic, seed), wanted);
  }
  const std::vector<double> values = CompleteRows(history);
  const Rows complete = {values, history.num_columns};
  const auto* mmd = std::get_if<MmdStatistic>(&statistic);
  if (mmd == nullptr || mmd->estimator != MmdEstimator::kQuadratic ||
      complete.num_rows() > kMaxKernelRows) {
    return ScoresWithoutDrift(complete, ScoreOf(statistic, seed), wanted);
  }
  NullScores compared = wanted;
  compared.reference_rows = std::min(wanted.reference_rows, mmd->rows);
  compared.current_rows = std::min(wanted.current_rows, mmd->rows);
  compared.step_rows = wanted.step_rows * compared.current_rows / wanted.current_rows;
  return SquaredOfDraws(complete, compared, mmd->widths, seed);
}

absl::StatusOr<DriftScore> CompareWindows(const DriftStatistic& statistic, const Rows& reference,
                                          const Rows& current, int64_t seed,
                                          const CompareOptions& options) {
  RETURN_IF_ERROR(CheckShapes(reference, current));
  const Circumstances how = CircumstancesOf(reference, current, seed, options);
  if (IsByColumn(statistic)) return Compare(statistic, reference, current, how);
  const std::vector<double> x = CompleteRows(reference), y = CompleteRows(current);
  return Compare(statistic, {x, reference.num_columns}, {y, current.num_columns}, how);
}

}  // namespace tidemill::supervisor::statistics
