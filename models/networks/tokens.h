// Token ids in the form in which networks compute with them. All functions throw c10::Error: call
// them in Guard().
#pragma once

#include <cstdint>

#include "models/network.h"

namespace tidemill::models {

inline constexpr int64_t kPaddingToken = 0;

// Makes an embedding of tokens. The row of the padding is zeros and stays so.
torch::nn::Embedding MakeTokens(int64_t vocabulary, int64_t width, bool sparse);

// Returns the mean over the tokens of x [n, length, width]. `present` is [n, length, 1], ones and
// zeros.
torch::Tensor MeanOfTokens(const torch::Tensor& x, const torch::Tensor& present);

}  // namespace tidemill::models
