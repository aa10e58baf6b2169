#include "subsets/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/numbers/random.h"

namespace tidemill::subsets {
namespace {

constexpr int64_t kNumbersAtATime = 1024;
// So that neither quotients nor sums of scores overflow.
constexpr double kGreatestScore = 1e290;
// For the systematic draw; the permutation takes -1 to -6.
constexpr int64_t kOffsetOrdinal = -7;

// Calls body(i, bits) for i = 0 .. count - 1, with the bits of ids[i], or of i.
template <typename Body>
void ForEachBits(const RandomKey& random, int64_t count, std::span<const int64_t> ids,
                 Body&& body) {
  std::array<int64_t, kNumbersAtATime> numbers;
  std::array<uint64_t, kNumbersAtATime> bits;
  for (int64_t from = 0; from < count; from += kNumbersAtATime) {
    const auto size = static_cast<size_t>(std::min(kNumbersAtATime, count - from));
    auto names = std::span<const int64_t>(numbers).first(size);
    if (ids.empty()) {
      std::iota(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(size), from);
    } else {
      names = ids.subspan(static_cast<size_t>(from), size);
    }
    RandomBits(random, names, bits);
    for (size_t i = 0; i < size; ++i) body(from + static_cast<int64_t>(i), bits[i]);
  }
}

double Capped(double score) { return std::min(score, kGreatestScore); }

struct Tally {
  int64_t num_judged = 0;
  int64_t num_positive = 0;
  double sum = 0;
};

Tally TallyOf(std::span<const double> scores) {
  Tally tally;
  for (const double score : scores) {
    if (!IsScore(score)) continue;
    ++tally.num_judged;
    if (score > 0) ++tally.num_positive;
    tally.sum += Capped(score);
  }
  return tally;
}

// min(1, left s / sum) adds up to k.
struct Scale {
  double left = 1;
  double sum = 1;
};

// For more than k positive scores. The first few of the k greatest may be capped at 1; what is
// left of k is shared by all others. Sums go from the smallest on, so that a great score does not
// swallow the others.
Scale ScaleOf(std::span<const double> scores, int64_t k) {
  std::vector<double> sorted;
  for (const double score : scores) {
    if (IsScore(score)) sorted.push_back(Capped(score));
  }
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(sorted.begin(), middle, sorted.end(), std::greater<>());
  std::sort(sorted.begin(), middle, std::greater<>());
  // sums[c]: of all but the c greatest.
  std::vector<double> sums(static_cast<size_t>(k) + 1);
  sums.back() = std::accumulate(middle, sorted.end(), 0.0);
  for (auto c = static_cast<size_t>(k); c-- > 0;) sums[c] = sums[c + 1] + sorted[c];
  size_t capped = 0;
  const auto left = [&] { return static_cast<double>(static_cast<size_t>(k) - capped); };
  while (left() > 1 && left() * sorted[capped] > sums[capped]) ++capped;
  return {left(), sums[capped]};
}

// w = drawn / (N p) of the rows drawn, which makes the weighted mean unbiased.
void AddWeights(std::span<const double> probabilities, int64_t num_judged, Choice& choice) {
  const double share = static_cast<double>(choice.rows.size()) / static_cast<double>(num_judged);
  choice.weights.reserve(choice.rows.size());
  for (const int64_t row : choice.rows) {
    choice.weights.push_back(share / probabilities[static_cast<size_t>(row)]);
  }
}

std::vector<int64_t> DrawEachByItself(std::span<const double> probabilities,
                                      const RandomKey& random, std::span<const int64_t> ids) {
  std::vector<int64_t> rows;
  ForEachBits(random, std::ssize(probabilities), ids, [&](int64_t row, uint64_t bits) {
    if (UnitAboveZero(bits) <= probabilities[static_cast<size_t>(row)]) rows.push_back(row);
  });
  return rows;
}

// Lays the probabilities end to end, in a random order, and takes the rows on which the points
// offset, offset + 1 ... fall.
std::vector<int64_t> DrawByPoints(std::span<const double> probabilities, int64_t k,
                                  const RandomKey& random) {
  std::vector<int64_t> rows;
  std::optional<int64_t> passed;
  const auto n = std::ssize(probabilities);
  const Permutation permutation(random, n);
  double reached = RandomUnit(random, kOffsetOrdinal);
  std::array<int64_t, kNumbersAtATime> order;
  for (int64_t from = 0; from < n; from += kNumbersAtATime) {
    const auto piece =
        std::span(order).first(static_cast<size_t>(std::min(kNumbersAtATime, n - from)));
    permutation.Range(from, piece);
    for (const int64_t row : piece) {
      const double probability = probabilities[static_cast<size_t>(row)];
      if (probability == 0) continue;
      reached += probability;
      if (reached >= 1 && std::ssize(rows) < k) {
        reached -= 1;
        rows.push_back(row);
      } else {
        passed = row;
      }
    }
  }
  // The sum of the probabilities may be a rounding error below k.
  if (std::ssize(rows) < k && passed) rows.push_back(*passed);
  std::sort(rows.begin(), rows.end());
  return rows;
}

Choice DrawByPriority(std::span<const double> scores, int64_t k, const RandomKey& random,
                      double added, std::span<const int64_t> ids) {
  PrioritySketch sketch(k, random);
  std::array<int64_t, kNumbersAtATime> numbers;
  for (int64_t from = 0; from < std::ssize(scores); from += kNumbersAtATime) {
    const auto piece = scores.subspan(static_cast<size_t>(from));
    const auto size = std::min(piece.size(), static_cast<size_t>(kNumbersAtATime));
    std::iota(numbers.begin(), numbers.end(), from);
    const auto names =
        ids.empty() ? std::span<const int64_t>(numbers) : ids.subspan(static_cast<size_t>(from));
    sketch.Add(names.first(size), piece.first(size), from, added);
  }
  return sketch.Finish().choice;
}

}  // namespace

bool IsScore(double score) { return std::isfinite(score) && score >= 0; }

double SmoothingOf(std::span<const double> scores, double smoothing) {
  const Tally tally = TallyOf(scores);
  return tally.num_judged == 0 ? 0 : smoothing * tally.sum / static_cast<double>(tally.num_judged);
}

std::vector<double> InclusionProbabilities(std::span<const double> scores, int64_t k) {
  const Tally tally = TallyOf(scores);
  std::vector<double> probabilities(scores.size(), 0.0);
  if (k <= 0) return probabilities;
  const bool enough = tally.num_positive > k;
  const Scale scale = enough ? ScaleOf(scores, k) : Scale{};
  const auto num_zero = static_cast<double>(tally.num_judged - tally.num_positive);
  const double of_zero =
      enough ? 0 : std::min(1.0, static_cast<double>(k - tally.num_positive) / num_zero);
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!IsScore(scores[i])) continue;
    if (scores[i] == 0) {
      probabilities[i] = of_zero;
    } else {
      probabilities[i] = enough ? std::min(1.0, scale.left * Capped(scores[i]) / scale.sum) : 1;
    }
  }
  return probabilities;
}

Choice DrawByScore(DrawMethod method, std::span<const double> scores, int64_t k,
                   const RandomKey& random, double smoothing, std::span<const int64_t> ids) {
  const double added = SmoothingOf(scores, smoothing);
  k = std::max<int64_t>(k, 0);
  if (method == DrawMethod::kPriority) return DrawByPriority(scores, k, random, added, ids);
  std::vector<double> smoothed(scores.begin(), scores.end());
  for (double& score : smoothed) {
    if (IsScore(score)) score = Capped(score) + added;
  }
  const std::vector<double> probabilities = InclusionProbabilities(smoothed, k);
  const int64_t num_judged = TallyOf(scores).num_judged;
  Choice choice;
  choice.rows = method == DrawMethod::kPoisson
                    ? DrawEachByItself(probabilities, random, ids)
                    : DrawByPoints(probabilities, std::min(k, num_judged), random);
  choice.num_left_out = std::ssize(scores) - num_judged;
  AddWeights(probabilities, num_judged, choice);
  return choice;
}

PrioritySketch::PrioritySketch(int64_t k, const RandomKey& random)
    : random_(random), smallest_(std::max<int64_t>(k, 0) + 1) {}

void PrioritySketch::Add(std::span<const int64_t> ids, std::span<const double> scores,
                         int64_t first_row, double added) {
  ForEachBits(random_, std::ssize(ids), ids, [&](int64_t i, uint64_t bits) {
    const double score = scores[static_cast<size_t>(i)];
    if (!IsScore(score)) {
      ++num_left_out_;
      return;
    }
    const double smoothed = Capped(score) + added;
    ++num_judged_;
    if (smoothed == 0) ++num_zero_;
    smallest_.Add({.rank = -smoothed / UnitAboveZero(bits),
                   .bits = bits,
                   .id = ids[static_cast<size_t>(i)],
                   .row = first_row + i,
                   .score = smoothed});
  });
}

PrioritySketch::Drawn PrioritySketch::Finish() {
  std::vector<RankedRow> drawn = smallest_.Take();
  double threshold = 0;
  if (std::ssize(drawn) == smallest_.k()) {
    threshold = -drawn.back().rank;
    drawn.pop_back();
  }
  std::sort(drawn.begin(), drawn.end(),
            [](const RankedRow& a, const RankedRow& b) { return a.row < b.row; });
  const auto num_zero_drawn =
      std::count_if(drawn.begin(), drawn.end(), [](const auto& row) { return row.score == 0; });
  const double share = static_cast<double>(drawn.size()) / static_cast<double>(num_judged_);
  Drawn result;
  result.choice.num_left_out = num_left_out_;
  for (const RankedRow& row : drawn) {
    const double weight = row.score > 0 ? share * (std::max(row.score, threshold) / row.score)
                                        : share * static_cast<double>(num_zero_) /
                                              static_cast<double>(num_zero_drawn);
    result.choice.rows.push_back(row.row);
    result.choice.weights.push_back(weight);
    result.ids.push_back(row.id);
  }
  return result;
}

std::vector<int64_t> DrawUniformly(int64_t n, int64_t k, const RandomKey& random,
                                   std::span<const int64_t> ids) {
  k = std::clamp<int64_t>(k, 0, n);
  std::vector<int64_t> rows(static_cast<size_t>(n));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  if (k == n) return rows;
  std::vector<std::pair<uint64_t, int64_t>> lots(static_cast<size_t>(n));
  ForEachBits(random, n, ids, [&](int64_t row, uint64_t bits) {
    lots[static_cast<size_t>(row)] = {bits, row};
  });
  std::nth_element(lots.begin(), lots.begin() + k, lots.end());
  rows.resize(static_cast<size_t>(k));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = lots[i].second;
  std::sort(rows.begin(), rows.end());
  return rows;
}

Choice TopK(std::span<const double> scores, int64_t k, Best best) {
  const double sign = best == Best::kGreatest ? -1 : 1;
  std::vector<std::pair<double, int64_t>> ranked;
  ranked.reserve(scores.size());
  for (size_t row = 0; row < scores.size(); ++row) {
    if (!std::isfinite(scores[row])) continue;
    ranked.emplace_back(sign * scores[row], static_cast<int64_t>(row));
  }
  Choice choice;
  choice.num_left_out = std::ssize(scores) - std::ssize(ranked);
  k = std::clamp<int64_t>(k, 0, std::ssize(ranked));
  std::nth_element(ranked.begin(), ranked.begin() + k, ranked.end());
  ranked.resize(static_cast<size_t>(k));
  std::sort(ranked.begin(), ranked.end());
  for (const auto& [rank, row] : ranked) choice.rows.push_back(row);
  return choice;
}

}  // namespace tidemill::subsets
