#include "models/networks/tokens.h"

namespace tidemill::models {

torch::nn::Embedding MakeTokens(int64_t vocabulary, int64_t width, bool sparse) {
  return torch::nn::Embedding(
      torch::nn::EmbeddingOptions(vocabulary, width).padding_idx(kPaddingToken).sparse(sparse));
}

torch::Tensor MeanOfTokens(const torch::Tensor& x, const torch::Tensor& present) {
  return (x * present).sum(1) / present.sum(1).clamp_min(1);
}

}  // namespace tidemill::models
