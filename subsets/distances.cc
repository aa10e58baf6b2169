#include "subsets/distances.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace tidemill::subsets {
namespace {

// Four numbers of one register.
using Lanes = float __attribute__((vector_size(16)));
constexpr int64_t kLanes = 4;
// The numbers that are added up in float, in 8 sums, before they are added to the total in double.
constexpr int64_t kRun = 256;
constexpr int64_t kTile = 64;
constexpr int64_t kPoints = 4;

struct Difference {
  static void Add(const Lanes& a, const Lanes& b, Lanes& sum) {
    const Lanes difference = a - b;
    sum += difference * difference;
  }
};
struct Multiplication {
  static void Add(const Lanes& a, const Lanes& b, Lanes& sum) { sum += a * b; }
};

void Load(const float* from, int64_t left, Lanes& to) {
  if (left >= kLanes) {
    std::memcpy(&to, from, sizeof(to));
    return;
  }
  to = Lanes{};  // Zeros add nothing.
  if (left > 0) std::memcpy(&to, from, static_cast<size_t>(left) * sizeof(float));
}

// totals[p] = the sum over the columns of Term(points[p], row). Several points at once share the
// loads; the additions have the same order as for one row alone.
template <typename Term, int kCount>
void Reduce(const std::array<const float*, kPoints>& points, const float* row, int64_t width,
            std::array<float, kPoints>& totals) {
  std::array<double, kCount> sums = {};
  for (int64_t begin = 0; begin < width; begin += kRun) {
    const int64_t end = std::min(begin + kRun, width);
    Lanes even[kCount] = {};
    Lanes odd[kCount] = {};
    for (int64_t i = begin; i < end; i += 2 * kLanes) {
      Lanes a, b, c;
      Load(row + i, end - i, a);
      Load(row + i + kLanes, end - i - kLanes, b);
      for (int p = 0; p < kCount; ++p) {
        Load(points[p] + i, end - i, c);
        Term::Add(a, c, even[p]);
        Load(points[p] + i + kLanes, end - i - kLanes, c);
        Term::Add(b, c, odd[p]);
      }
    }
    for (int p = 0; p < kCount; ++p) {
      const Lanes sum = even[p] + odd[p];
      sums[p] += (double{sum[0]} + double{sum[1]}) + (double{sum[2]} + double{sum[3]});
    }
  }
  for (int p = 0; p < kCount; ++p) totals[p] = static_cast<float>(sums[p]);
}

// sink(p, number) for each of the points [from, to) of `points` against one row.
template <typename Term, typename Sink>
void ReduceAll(const Rows& points, int64_t from, int64_t to, const float* row, Sink&& sink) {
  std::array<const float*, kPoints> block = {};
  std::array<float, kPoints> totals;
  int64_t p = from;
  for (; p + kPoints <= to; p += kPoints) {
    for (int64_t i = 0; i < kPoints; ++i) block[i] = points.values.data() + (p + i) * points.width;
    Reduce<Term, kPoints>(block, row, points.width, totals);
    for (int64_t i = 0; i < kPoints; ++i) sink(p + i, totals[i]);
  }
  for (; p < to; ++p) {
    block[0] = points.values.data() + p * points.width;
    Reduce<Term, 1>(block, row, points.width, totals);
    sink(p, totals[0]);
  }
}

template <typename Term>
float ReduceTwo(std::span<const float> a, std::span<const float> b) {
  std::array<float, kPoints> totals;
  Reduce<Term, 1>({a.data()}, b.data(), std::ssize(a), totals);
  return totals[0];
}

// Every pair once, by tiles that stay in the cache.
template <typename Term, typename Map>
PairMatrix AllPairs(const Rows& rows, WorkerPool* pool, Map&& map) {
  const int64_t n = rows.num_rows;
  PairMatrix matrix(n);
  ForPieces(pool, n, kTile, [&](int64_t from, int64_t to) {
    for (int64_t tile = from; tile < n; tile += kTile) {
      for (int64_t i = tile; i < std::min(tile + kTile, n); ++i) {
        const float* row = rows.values.data() + i * rows.width;
        ReduceAll<Term>(rows, from, std::min(to, i + 1), row, [&](int64_t p, float number) {
          const float value = map(number);
          matrix.MutableRow(p)[static_cast<size_t>(i)] = value;
          matrix.MutableRow(i)[static_cast<size_t>(p)] = value;
        });
      }
    }
  });
  return matrix;
}

}  // namespace

float SquaredDistance(std::span<const float> a, std::span<const float> b) {
  TIDEMILL_DCHECK(a.size() == b.size());
  return ReduceTwo<Difference>(a, b);
}

float Product(std::span<const float> a, std::span<const float> b) {
  TIDEMILL_DCHECK(a.size() == b.size());
  return ReduceTwo<Multiplication>(a, b);
}

void SquaredDistances(std::span<const float> point, const Rows& rows, int64_t from,
                      std::span<float> distances) {
  TIDEMILL_CHECK(std::ssize(point) == rows.width && from >= 0 &&
                 from + std::ssize(distances) <= rows.num_rows);
  ReduceAll<Difference>(
      rows, from, from + std::ssize(distances), point.data(),
      [&](int64_t row, float distance) { distances[static_cast<size_t>(row - from)] = distance; });
}

Nearest FindNearest(const Rows& points, const Rows& to, WorkerPool* pool) {
  TIDEMILL_CHECK(points.width == to.width);
  const auto n = static_cast<size_t>(points.num_rows);
  Nearest nearest{std::vector<int64_t>(n, 0),
                  std::vector<float>(n, std::numeric_limits<float>::infinity())};
  ForPieces(pool, points.num_rows, kTile, [&](int64_t from, int64_t end) {
    for (int64_t row = 0; row < to.num_rows; ++row) {
      ReduceAll<Difference>(points, from, end, to.values.data() + row * to.width,
                            [&](int64_t p, float distance) {
                              const auto at = static_cast<size_t>(p);
                              if (distance >= nearest.squared_distances[at]) return;
                              nearest.squared_distances[at] = distance;
                              nearest.rows[at] = row;
                            });
    }
  });
  return nearest;
}

PairMatrix Distances(const Rows& rows, WorkerPool* pool) {
  return AllPairs<Difference>(rows, pool, [](float squared) { return std::sqrt(squared); });
}

PairMatrix ShiftedDistances(const Rows& rows, WorkerPool* pool) {
  PairMatrix matrix = Distances(rows, pool);
  float greatest = 0;
  for (int64_t i = 0; i < matrix.size(); ++i) {
    const auto row = matrix.Row(i);
    greatest = std::max(greatest, *std::max_element(row.begin(), row.end()));
  }
  const float shift = greatest + 1e-3F;
  ForPieces(pool, matrix.size(), kTile, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      for (float& value : matrix.MutableRow(i)) value = shift - value;
    }
  });
  return matrix;
}

PairMatrix CosineSimilarities(const Rows& rows, WorkerPool* pool) {
  const std::vector<float> normalised = Normalised(rows);
  PairMatrix matrix = AllPairs<Multiplication>(
      {normalised, rows.num_rows, rows.width}, pool,
      [](float cosine) { return (1 + std::clamp(cosine, -1.0F, 1.0F)) / 2; });
  for (int64_t i = 0; i < rows.num_rows; ++i) matrix.MutableRow(i)[static_cast<size_t>(i)] = 1;
  return matrix;
}

std::vector<float> Normalised(const Rows& rows) {
  std::vector<float> normalised(rows.values.begin(), rows.values.end());
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const auto values =
        std::span(normalised)
            .subspan(static_cast<size_t>(row * rows.width), static_cast<size_t>(rows.width));
    double squares = 0;
    for (const float value : values) squares += double{value} * double{value};
    if (squares == 0) continue;
    const double scale = 1 / std::sqrt(squares);
    for (float& value : values) value = static_cast<float>(value * scale);
  }
  return normalised;
}

std::vector<float> Gathered(const Rows& rows, std::span<const int64_t> which) {
  std::vector<float> gathered;
  gathered.reserve(which.size() * static_cast<size_t>(rows.width));
  for (const int64_t row : which) {
    const auto values = rows.Row(row);
    gathered.insert(gathered.end(), values.begin(), values.end());
  }
  return gathered;
}

}  // namespace tidemill::subsets
