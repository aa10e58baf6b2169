// The maximum mean discrepancy of very many pairs of windows of the same rows: the basis of
// permutation tests and of thresholds for false alarms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "supervisor/statistics/two_samples/gaussian_kernel.h"
#include "supervisor/statistics/two_samples/pair_sums.h"

namespace tidemill::supervisor::statistics {

// Takes pairs of windows and returns Mmd::squared of each. When the kernel has a narrow factor L,
// distances are computed from sums of rows of L: O(rows columns of L) time. Otherwise one pass over
// the matrix serves thousands of windows, in blocks, as whole numbers (pair_sums.h): O(rows^2
// (columns + windows)) time with tens of products a cycle, and at most 64 MiB. Windows that are
// equally far apart have distances that differ by less than 1e-12. Thread-compatible.
class WindowDistances {
 public:
  struct Options {
    // How many pairs will be added.
    int64_t count = 0;
    // Whether the two windows of each pair have all rows together. This takes a third of the time.
    bool of_all_rows = false;
    std::stop_token stop = {};
  };

  // `kernel` must outlive this object.
  WindowDistances(const GaussianKernel& kernel, Options options);

  // Takes the numbers of the rows of two windows, which have no row in common and at least two
  // each.
  void Add(std::span<const int64_t> reference, std::span<const int64_t> current);
  // Returns the distances of all pairs, in the order in which they were added. After a stop, which
  // every call obeys soon, the result is meaningless.
  std::vector<double> Finish() &&;

 private:
  void AddByFactor(std::span<const int64_t> reference, std::span<const int64_t> current);
  void AddBySets(std::span<const int64_t> reference, std::span<const int64_t> current);
  int64_t SetsOfPair() const { return options_.of_all_rows ? 1 : 3; }
  // Goes through the matrix for the pairs that wait.
  void Flush();
  // Adds to the sums over the matrix without its diagonal: of pairs of rows within each set, and of
  // each row.
  void SumMatrix(std::span<int64_t> within, std::span<int64_t> of_rows) const;

  const GaussianKernel& kernel_;
  const Options options_;
  std::optional<GaussianKernel::Matrix> factor_;
  Eigen::VectorXd factor_norms_;  // The norms of its rows, squared.
  // A set for the reference of each pair that waits. Unless it has all rows, one for its current
  // window and one for both windows follow.
  RowSets sets_{0, 0};
  std::vector<std::pair<double, double>> waiting_;  // Numbers of rows.
  std::vector<double> distances_;
};

}  // namespace tidemill::supervisor::statistics
