// Token ids as networks compute with them. All throw c10::Error: call them in Guard().
#pragma once

#include <cstdint>

#include "models/network.h"

namespace tidemill::models {

inline constexpr int64_t kPaddingToken = 0;

// The row of the padding is zeros and stays so.
torch::nn::Embedding MakeTokens(int64_t vocabulary, int64_t width, bool sparse);

// The mean over tokens of [n, length, width], `present` being [n, length, 1] of ones and zeros.
torch::Tensor MeanOfTokens(const torch::Tensor& x, const torch::Tensor& present);

}  // namespace tidemill::models
