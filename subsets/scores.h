// What a model's outputs for a sample say about how much training on it may teach, in double.
//
// `logits` has a column for each class; with a single column it is the logit of class 1 against
// class 0. A label that names no column, and logits that are not finite, give NaN. All functions
// are pure and write one number a row.
#pragma once

#include <cstdint>
#include <span>

#include "subsets/rows.h"

namespace tidemill::subsets {

// Cross entropy.
void Losses(const Rows& logits, std::span<const int64_t> labels, std::span<double> losses);

// ||p - y||: the norm of the loss's gradient with respect to the logits; also known as EL2N.
void GradientNorms(const Rows& logits, std::span<const int64_t> labels, std::span<double> norms);

// The norm of the loss's gradient with respect to the last layer, its bias included, whose inputs
// are `embeddings`: ||p - y|| sqrt(1 + ||h||^2).
void LastLayerGradientNorms(const Rows& logits, std::span<const int64_t> labels,
                            const Rows& embeddings, std::span<double> norms);

// The greatest probability of a class. The smallest is the least confident.
void GreatestProbabilities(const Rows& logits, std::span<double> probabilities);

// The greatest probability minus the second greatest. The smallest is the least certain.
void Margins(const Rows& logits, std::span<double> margins);

// -sum p log p. The greatest is the least certain.
void Entropies(const Rows& logits, std::span<double> entropies);

}  // namespace tidemill::subsets
