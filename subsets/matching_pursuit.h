// Chooses a few rows whose weighted sum is close to a given vector.
//         target
//           ^  .
//           |   '.  the remainder: what the chosen rows do not explain
//           |     '.
//   --------+------> chosen row x weight
//
//   choose the row that points most along the remainder -> solve the weights of all chosen rows ->
//   compute the remainder -> ...
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct PursuitOptions {
  int64_t k = 1;
  // The penalty on the squares of the weights.
  double ridge = 0;
  // The pursuit ends when the length of the remainder is this share of the target's length.
  double tolerance = 1e-10;
};

// sum(weights x rows) is near the target. Weights are above zero. They have the scale of the
// target, unlike the weights of a Choice.
struct Pursuit {
  std::vector<int64_t> rows;  // In the order of the choice; at most k.
  std::vector<double> weights;
  double residual = 0;  // ||target - sum(weights x rows)||.
};

// Orthogonal matching pursuit (Killamsetty et al., GRAD-MATCH, ICML 2021; Batch-OMP, Rubinstein et
// al., 2008). It repeatedly chooses the row with the greatest product with the remainder of the
// target, and then solves least squares over all chosen rows. At the end, it finds the best weights
// that are not negative. Rows must be finite. A row that depends linearly on the chosen ones is
// skipped. Fewer than k rows are chosen when no row points towards the remainder, or when the best
// weight of a row is zero. Among equal products, it takes the lower row. O(n d k + k^3) time, O(n +
// d k) memory. `pool` may be nullptr; the result does not depend on it.
Pursuit MatchTarget(const Rows& rows, std::span<const double> target, const PursuitOptions& options,
                    WorkerPool* pool = nullptr);

// Returns the mean of rows, in double: the usual target.
std::vector<double> MeanRow(const Rows& rows);

}  // namespace tidemill::subsets
