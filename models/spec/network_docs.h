// The descriptions of the keys that several networks share.
#pragma once

#include <string_view>

namespace tidemill::models {

inline constexpr std::string_view kOutputsDoc =
    "Number of outputs of the network: the number of classes, or 1 for a real label or for "
    "bce_with_logits.";
inline constexpr std::string_view kDropoutDoc =
    "Share of hidden units that are silenced at random in each training step.";
inline constexpr std::string_view kResidualDoc =
    "Add a linear function of the latest row to the output. It begins at zero and is learned with "
    "the rest, so the network only has to say how the future differs from the present. It works "
    "for standardised inputs and for raw targets.";
inline constexpr std::string_view kCategoriesDoc =
    "How many ids each category has, in the order of the columns. All ids are below this number.";
inline constexpr std::string_view kSparseDoc =
    "Keep gradients of the embedding only for the rows that a batch uses. This is faster for large "
    "vocabularies. It needs sgd without momentum, or adagrad, both without weight decay.";

}  // namespace tidemill::models
