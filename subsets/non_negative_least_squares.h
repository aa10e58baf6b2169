// Least squares with weights that are not negative.
#pragma once

#include "Eigen/Core"

namespace tidemill::subsets {

// Returns the w >= 0 with the smallest w^T gram w - 2 w^T products (Lawson and Hanson, Solving
// Least Squares Problems, 1974, chapter 23; Bro and de Jong, A fast non-negativity-constrained
// least squares algorithm, 1997). With gram = a^T a + ridge I and products = a^T b, it is the one
// with the smallest ||a w - b||^2 + ridge ||w||^2. It is unique when ridge > 0 or the columns of a
// are independent. At worst O(k^3) for each of k columns; one solution when it is positive.
Eigen::VectorXd SolveNonNegativeByProducts(const Eigen::MatrixXd& gram,
                                           const Eigen::VectorXd& products);

}  // namespace tidemill::subsets
