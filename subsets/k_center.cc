#include "subsets/k_center.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "subsets/distances.h"
#include "subsets/matching_pursuit.h"

namespace tidemill::subsets {
namespace {

constexpr int64_t kDistancesAtATime = 1024;

// The farthest row of a piece, of equally far ones the lowest.
struct Farthest {
  float distance = -1;
  int64_t row = -1;
};

class Traversal {
 public:
  Traversal(const Rows& rows, WorkerPool* pool)
      : rows_(rows),
        pool_(pool),
        nearest_(static_cast<size_t>(rows.num_rows), std::numeric_limits<float>::infinity()),
        server_(nearest_.size(), 0),
        is_chosen_(nearest_.size(), 0),
        farthest_(
            static_cast<size_t>((rows.num_rows + kDistancesAtATime - 1) / kDistancesAtATime)) {}

  // Makes `row` the next center; returns the row farthest from all of them.
  Farthest Choose(int64_t row) {
    is_chosen_[static_cast<size_t>(row)] = 1;
    ForPieces(pool_, rows_.num_rows, kDistancesAtATime,
              [&](int64_t from, int64_t to) { Update(row, from, to); });
    server_[static_cast<size_t>(row)] = num_chosen_++;
    Farthest farthest;
    for (const Farthest& of_piece : farthest_) {
      if (of_piece.distance > farthest.distance) farthest = of_piece;
    }
    return farthest;
  }

  std::vector<int64_t> Sizes() const {
    std::vector<int64_t> sizes(static_cast<size_t>(num_chosen_), 0);
    for (const int64_t center : server_) ++sizes[static_cast<size_t>(center)];
    return sizes;
  }

 private:
  void Update(int64_t center, int64_t from, int64_t to) {
    std::array<float, kDistancesAtATime> distances;
    SquaredDistances(rows_.Row(center), rows_, from,
                     std::span(distances).first(static_cast<size_t>(to - from)));
    Farthest farthest;
    for (int64_t row = from; row < to; ++row) {
      const auto at = static_cast<size_t>(row);
      const float distance = distances[static_cast<size_t>(row - from)];
      if (distance < nearest_[at]) {
        nearest_[at] = distance;
        if (is_chosen_[at] == 0) server_[at] = num_chosen_;
      }
      if (is_chosen_[at] == 0 && nearest_[at] > farthest.distance) farthest = {nearest_[at], row};
    }
    farthest_[static_cast<size_t>(from / kDistancesAtATime)] = farthest;
  }

  const Rows rows_;
  WorkerPool* const pool_;
  std::vector<float> nearest_;   // Squared distance from the nearest center.
  std::vector<int64_t> server_;  // That center.
  std::vector<uint8_t> is_chosen_;
  std::vector<Farthest> farthest_;
  int64_t num_chosen_ = 0;
};

}  // namespace

int64_t NearestToMean(const Rows& rows) {
  TIDEMILL_CHECK(rows.num_rows > 0);
  const std::vector<double> mean = MeanRow(rows);
  double best = std::numeric_limits<double>::infinity();
  int64_t nearest = 0;
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const auto values = rows.Row(row);
    double squares = 0;
    for (size_t i = 0; i < mean.size(); ++i) {
      const double difference = values[i] - mean[i];
      squares += difference * difference;
    }
    if (squares < best) {
      best = squares;
      nearest = row;
    }
  }
  return nearest;
}

Centers FindCenters(const Rows& rows, int64_t k, std::optional<int64_t> start, WorkerPool* pool) {
  TIDEMILL_CHECK(!start || (*start >= 0 && *start < rows.num_rows));
  Centers centers;
  const int64_t count = std::clamp<int64_t>(k, 0, rows.num_rows);
  if (count == 0) return centers;
  Traversal traversal(rows, pool);
  int64_t next = start ? *start : NearestToMean(rows);
  for (int64_t i = 0; i < count; ++i) {
    centers.choice.rows.push_back(next);
    const Farthest farthest = traversal.Choose(next);
    centers.radii.push_back(std::sqrt(std::max(0.0, double{farthest.distance})));
    next = farthest.row;
  }
  centers.sizes = traversal.Sizes();
  return centers;
}

}  // namespace tidemill::subsets
