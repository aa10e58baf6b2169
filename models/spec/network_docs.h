// The descriptions of the keys that several networks share.
#pragma once

#include <string_view>

namespace tidemill::models {

inline constexpr std::string_view kOutputsDoc =
    "Numbers that the network gives: the classes, or 1 for a real label or bce_with_logits.";
inline constexpr std::string_view kDropoutDoc =
    "Share of hidden units silenced at random in each training step.";
inline constexpr std::string_view kResidualDoc =
    "Add a linear function of the latest row to the output. It begins at zero and is learned with "
    "the rest, so the network need only say how the future differs from the present; it works "
    "for standardised inputs and raw targets alike.";
inline constexpr std::string_view kCategoriesDoc =
    "How many ids each category has, in the order of the columns; ids lie below it.";
inline constexpr std::string_view kSparseDoc =
    "Keep gradients of the embedding for the rows that a batch touches only: faster for large "
    "vocabularies. Needs sgd without momentum or adagrad, both without weight decay.";

}  // namespace tidemill::models
