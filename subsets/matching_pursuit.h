// Few rows whose weighted sum is close to a given vector.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct PursuitOptions {
  int64_t k = 1;
  // Penalty on the squares of the weights.
  double ridge = 0;
  // Ends when what is left of the target is so short, as a share of its length.
  double tolerance = 1e-10;
};

// sum(weights x rows) is near the target; weights are above zero. Their scale is that of the
// target: it is not that of Choice.
struct Pursuit {
  std::vector<int64_t> rows;  // In the order in which they were chosen; at most k.
  std::vector<double> weights;
  double residual = 0;  // ||target - sum(weights x rows)||.
};

// Orthogonal matching pursuit: again and again the row with the greatest product with what is left
// of the target, then least squares over all chosen; at last the weights that are best among those
// not below zero (Killamsetty et al., GRAD-MATCH, ICML 2021; Batch-OMP, Rubinstein et al., 2008).
// Rows are finite; one that depends linearly on those chosen is passed over, and fewer than k are
// chosen when no row points towards what is left, or when the best weight of a row is zero. Of
// equal products the lower row is taken. O(n d k + k^3) time, O(n + d k) memory. `pool` may be
// nullptr; the result does not depend on it.
Pursuit MatchTarget(const Rows& rows, std::span<const double> target, const PursuitOptions& options,
                    WorkerPool* pool = nullptr);

// The mean of rows, in double: the usual target.
std::vector<double> MeanRow(const Rows& rows);

}  // namespace tidemill::subsets
