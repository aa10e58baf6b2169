#include "models/networks/tables.h"

#include <numeric>

namespace tidemill::models {
namespace {

int64_t Sum(const std::vector<int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
}

}  // namespace

torch::Tensor CategoryOffsets(const std::vector<int64_t>& categories) {
  std::vector<int64_t> offsets(categories.size(), 0);
  std::partial_sum(categories.begin(), categories.end() - 1, offsets.begin() + 1);
  return torch::tensor(offsets, torch::kInt64);
}

torch::nn::Embedding CategoryTable(const std::vector<int64_t>& categories, int64_t width,
                                   bool sparse) {
  return torch::nn::Embedding(torch::nn::EmbeddingOptions(Sum(categories), width).sparse(sparse));
}

torch::Tensor AsRows(const torch::Tensor& column) {
  return column.dim() == 1 ? column.unsqueeze(1) : column;
}

int64_t RowWidth(const InputSpec& input) { return input.shape.empty() ? 1 : input.shape.front(); }

}  // namespace tidemill::models
