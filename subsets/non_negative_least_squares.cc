#include "subsets/non_negative_least_squares.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "Eigen/Cholesky"

namespace tidemill::subsets {
namespace {

class ActiveSet {
 public:
  ActiveSet(const Eigen::MatrixXd& gram, const Eigen::VectorXd& products)
      : gram_(gram),
        products_(products),
        weights_(Eigen::VectorXd::Zero(products.size())),
        is_free_(static_cast<size_t>(products.size()), false),
        tolerance_(10 * std::numeric_limits<double>::epsilon() *
                   static_cast<double>(products.size()) *
                   std::max(gram.cwiseAbs().maxCoeff(), products.cwiseAbs().maxCoeff())) {}

  Eigen::VectorXd Solve() {
    // Rounding could make weights leave and enter forever.
    for (Eigen::Index step = 0; step < 3 * products_.size() + 10; ++step) {
      const Eigen::Index entering = Entering();
      if (entering < 0) break;
      is_free_[static_cast<size_t>(entering)] = true;
      Eigen::VectorXd solution = OfFree();
      if (solution[entering] <= 0) {
        // It only seemed to help.
        is_free_[static_cast<size_t>(entering)] = false;
        barred_.push_back(entering);
        continue;
      }
      barred_.clear();
      while (!IsPositive(solution)) {
        StepTowards(solution);
        solution = OfFree();
      }
      weights_ = solution;
    }
    return weights_;
  }

 private:
  bool IsFree(Eigen::Index i) const { return is_free_[static_cast<size_t>(i)]; }

  // The weight at zero that reduces the error fastest, if one does.
  Eigen::Index Entering() const {
    const Eigen::VectorXd slope = products_ - gram_ * weights_;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < slope.size(); ++i) {
      const bool barred = std::find(barred_.begin(), barred_.end(), i) != barred_.end();
      if (IsFree(i) || barred || slope[i] <= tolerance_) continue;
      if (best < 0 || slope[i] > slope[best]) best = i;
    }
    return best;
  }

  // The best weights, whatever their signs, with those that are not free at zero.
  Eigen::VectorXd OfFree() const {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < weights_.size(); ++i) {
      if (IsFree(i)) free.push_back(i);
    }
    Eigen::VectorXd solution = Eigen::VectorXd::Zero(weights_.size());
    if (free.empty()) return solution;
    const Eigen::MatrixXd gram = gram_(free, free);
    const Eigen::VectorXd products = products_(free);
    const Eigen::VectorXd best = gram.ldlt().solve(products);
    solution(free) = best;
    return solution;
  }

  bool IsPositive(const Eigen::VectorXd& solution) const {
    for (Eigen::Index i = 0; i < solution.size(); ++i) {
      if (IsFree(i) && !(solution[i] > 0)) return false;
    }
    return true;
  }

  // As far towards the solution as no weight becomes negative; those at zero are free no longer.
  void StepTowards(const Eigen::VectorXd& solution) {
    double share = 1;
    Eigen::Index first = -1;
    for (Eigen::Index i = 0; i < solution.size(); ++i) {
      if (!IsFree(i) || solution[i] > 0) continue;
      const double reach = weights_[i] / (weights_[i] - solution[i]);
      if (first < 0 || reach < share) {
        share = reach;
        first = i;
      }
    }
    weights_ += share * (solution - weights_);
    weights_[first] = 0;
    for (Eigen::Index i = 0; i < weights_.size(); ++i) {
      if (!IsFree(i) || weights_[i] > 0) continue;
      is_free_[static_cast<size_t>(i)] = false;
      weights_[i] = 0;
    }
  }

  const Eigen::MatrixXd& gram_;
  const Eigen::VectorXd& products_;
  Eigen::VectorXd weights_;
  std::vector<bool> is_free_;
  std::vector<Eigen::Index> barred_;
  const double tolerance_;
};

}  // namespace

Eigen::VectorXd SolveNonNegativeByProducts(const Eigen::MatrixXd& gram,
                                           const Eigen::VectorXd& products) {
  if (products.size() == 0) return {};
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  if (factor.info() == Eigen::Success) {
    Eigen::VectorXd solution = factor.solve(products);
    if ((solution.array() > 0).all()) return solution;
  }
  return ActiveSet(gram, products).Solve();
}

}  // namespace tidemill::subsets
