#include "supervisor/statistics/drift_statistic.h"

#include <algorithm>

#include "supervisor/statistics/binned.h"
#include "supervisor/statistics/classifier_two_sample.h"
#include "supervisor/statistics/cramer_von_mises.h"
#include "supervisor/statistics/distances.h"
#include "supervisor/statistics/kolmogorov_smirnov.h"
#include "supervisor/statistics/mmd.h"

namespace tidemill::supervisor::statistics {
namespace {

// The share that an empty bin has in a population stability index.
constexpr double kEmptyBin = 1e-4;

// A kernel of so many rows takes 256 MiB.
constexpr int64_t kMostKernelRows = 8192;

// of(column of the reference, that of the current window), for each.
template <typename Of>
std::vector<double> ByColumn(const Rows& reference, const Rows& current, Of of) {
  std::vector<double> results;
  for (int64_t column = 0; column < reference.num_columns; ++column) {
    results.push_back(of(ColumnOf(reference, column), ColumnOf(current, column)));
  }
  return results;
}

DriftScore OfColumns(std::vector<double> columns) {
  DriftScore score = {.score = *std::max_element(columns.begin(), columns.end())};
  score.columns = std::move(columns);
  return score;
}

DriftScore Score(const KsStatistic& spec, const Rows& reference, const Rows& current, int64_t) {
  std::vector<double> p_values;
  DriftScore score = OfColumns(ByColumn(reference, current, [&](const auto& x, const auto& y) {
    const KolmogorovSmirnov test = KolmogorovSmirnovTest(x, y);
    p_values.push_back(test.p_value);
    return test.distance;
  }));
  score.p_value = CombinedP(p_values, spec.correction);
  return score;
}

DriftScore Score(const CramerVonMisesStatistic& spec, const Rows& reference, const Rows& current,
                 int64_t) {
  std::vector<double> p_values;
  DriftScore score = OfColumns(ByColumn(reference, current, [&](const auto& x, const auto& y) {
    const CramerVonMises test = CramerVonMisesTest(x, y);
    p_values.push_back(test.p_value);
    return test.statistic;
  }));
  score.p_value = CombinedP(p_values, spec.correction);
  return score;
}

DriftScore Score(const WassersteinStatistic&, const Rows& reference, const Rows& current, int64_t) {
  return OfColumns(ByColumn(reference, current, [](const auto& x, const auto& y) {
    return NormedWassersteinDistance(x, y);
  }));
}

DriftScore Score(const EnergyStatistic&, const Rows& reference, const Rows& current, int64_t) {
  return OfColumns(ByColumn(reference, current,
                            [](const auto& x, const auto& y) { return EnergyDistance(x, y); }));
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

DriftScore Score(const BinnedStatistic& spec, const Rows& reference, const Rows& current, int64_t) {
  return OfColumns(
      ByColumn(reference, current, [&](const std::vector<double>& x, const std::vector<double>& y) {
        const ClassCounts classes = CountClasses(x, y);
        if (static_cast<int64_t>(classes.reference.size()) <= 2 * spec.bins) {
          return Diverge(spec.divergence, classes.reference, classes.current);
        }
        const std::vector<double> edges = QuantileEdges(x, spec.bins);
        return Diverge(spec.divergence, CountIn(edges, x), CountIn(edges, y));
      }));
}

DriftScore Score(const ClassifierStatistic& spec, const Rows& reference, const Rows& current,
                 int64_t seed) {
  const ClassifierTest test = ClassifierTwoSampleTest(
      reference, current, {.train_share = spec.train_share, .seed = seed, .most_rows = spec.rows});
  return {.score = test.roc_auc, .p_value = test.rank_p_value};
}

DriftScore Score(const MmdStatistic& spec, const Rows& reference, const Rows& current,
                 int64_t seed) {
  const MmdOptions options = {.widths = spec.widths,
                              .permutations = spec.permutations,
                              .seed = seed,
                              .most_rows = spec.rows};
  if (spec.estimator == MmdEstimator::kLinear) {
    const LinearMmd mmd = LinearMmdTest(reference, current, options);
    return {.score = mmd.squared, .p_value = mmd.p_value};
  }
  const Mmd mmd = MmdTest(reference, current, options);
  DriftScore score = {.score = mmd.squared};
  if (spec.permutations > 0) score.p_value = mmd.permutation.p_value;
  return score;
}

// Splits for statistics whose p-value comes from nowhere else.
template <typename Statistic>
int64_t PermutationsOf(const Statistic& spec) {
  if constexpr (requires { spec.permutations; }) return spec.permutations;
  return 0;
}
int64_t PermutationsOf(const MmdStatistic&) { return 0; }

// Whether a p-value comes out without permutations.
template <typename Statistic>
bool HasOwnPValue(const Statistic& spec) {
  if constexpr (requires { spec.estimator; }) return spec.estimator == MmdEstimator::kLinear;
  return !requires { spec.permutations; };
}

}  // namespace

std::optional<double> LeastPValue(const DriftStatistic& statistic) {
  return std::visit(
      [](const auto& spec) -> std::optional<double> {
        if (HasOwnPValue(spec)) return 0;
        if constexpr (requires { spec.permutations; }) {
          if (spec.permutations > 0) return 1 / (static_cast<double>(spec.permutations) + 1);
        }
        return std::nullopt;
      },
      statistic);
}

TwoSampleStatistic ScoreOf(const DriftStatistic& statistic, int64_t seed) {
  DriftStatistic bare = statistic;
  if (auto* mmd = std::get_if<MmdStatistic>(&bare)) mmd->permutations = 0;
  return [bare, seed](const Rows& reference, const Rows& current) {
    return std::visit([&](const auto& spec) { return Score(spec, reference, current, seed).score; },
                      bare);
  };
}

absl::StatusOr<std::vector<double>> ScoresWithoutDrift(const DriftStatistic& statistic,
                                                       const Rows& history,
                                                       const NullScores& wanted, int64_t seed) {
  const auto* mmd = std::get_if<MmdStatistic>(&statistic);
  if (mmd == nullptr || mmd->estimator != MmdEstimator::kQuadratic ||
      history.num_rows() > kMostKernelRows) {
    return ScoresWithoutDrift(history, ScoreOf(statistic, seed), wanted);
  }
  NullScores compared = wanted;
  compared.reference_rows = std::min(wanted.reference_rows, mmd->rows);
  compared.current_rows = std::min(wanted.current_rows, mmd->rows);
  const KernelOfRows kernel(history, mmd->widths, seed);
  std::vector<double> scores;
  RETURN_IF_ERROR(
      DrawWindows(history.num_rows(), compared, [&](const auto& reference, const auto& current) {
        scores.push_back(kernel.Squared(reference, current));
      }));
  return scores;
}

absl::StatusOr<DriftScore> CompareWindows(const DriftStatistic& statistic, const Rows& reference,
                                          const Rows& current, int64_t seed) {
  RETURN_IF_ERROR(CheckSamples(reference, current));
  if (std::min(reference.num_rows(), current.num_rows()) < 2) {
    return InvalidArgument("the windows have {} and {} rows; both need at least two",
                           reference.num_rows(), current.num_rows());
  }
  const auto compare = [&](const auto& spec) {
    DriftScore score = Score(spec, reference, current, seed);
    const PermutationOptions options = {.permutations = PermutationsOf(spec), .seed = seed};
    if (options.permutations > 0) {
      // The greatest score of any column against the greatest of each split, so nothing is left to
      // correct (Westfall and Young, "Resampling-based multiple testing", 1993).
      score.p_value =
          PermutationTest(reference, current, ScoreOf(statistic, seed), options).p_value;
    }
    return score;
  };
  return std::visit(compare, statistic);
}

}  // namespace tidemill::supervisor::statistics
