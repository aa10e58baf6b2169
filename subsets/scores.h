// Computes from a model's outputs for a sample how much training on it may teach, in double.
//
// `logits` has a column for each class. A single column is the logit of class 1 against class 0. A
// label without a column, and logits that are not finite, give NaN. All functions are pure and
// write one number per row.
#pragma once

#include <cstdint>
#include <span>

#include "subsets/rows.h"

namespace tidemill::subsets {

// Cross entropy.
void Losses(const Rows& logits, std::span<const int64_t> labels, std::span<double> losses);

// ||p - y||: the norm of the loss's gradient with respect to the logits; also known as EL2N.
void GradientNorms(const Rows& logits, std::span<const int64_t> labels, std::span<double> norms);

// The norm of the loss's gradient with respect to the last layer, including its bias: ||p - y||
// sqrt(1 + ||h||^2). `embeddings` are the inputs of that layer.
void LastLayerGradientNorms(const Rows& logits, std::span<const int64_t> labels,
                            const Rows& embeddings, std::span<double> norms);

// The greatest probability of a class. The row with the smallest is the least confident.
void GreatestProbabilities(const Rows& logits, std::span<double> probabilities);

// The greatest probability minus the second greatest. The row with the smallest is the least
// certain.
void Margins(const Rows& logits, std::span<double> margins);

// -sum p log p. The row with the greatest is the least certain.
void Entropies(const Rows& logits, std::span<double> entropies);

}  // namespace tidemill::subsets
