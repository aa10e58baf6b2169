#include "trainer_server/training/mixture.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tidemill::trainer_server {
namespace {

// Numbers of rows as a tensor [n, 1, 1 ...], which spreads over `like`.
torch::Tensor Spread(const torch::Tensor& numbers, const torch::Tensor& like) {
  std::vector<int64_t> shape(static_cast<size_t>(like.dim()), 1);
  shape[0] = numbers.size(0);
  return numbers.reshape(shape);
}

// Whether a pixel is in the rectangle of its row: [n, 1 ..., height, width].
torch::Tensor Inside(std::span<const Rectangle> rectangles, const torch::Tensor& images) {
  std::vector<int64_t> sides[4];
  for (const Rectangle& one : rectangles) {
    sides[0].push_back(one.top);
    sides[1].push_back(one.bottom);
    sides[2].push_back(one.left);
    sides[3].push_back(one.right);
  }
  const auto side = [&](int which) {
    return Spread(torch::tensor(sides[which]).to(images.device()), images);
  };
  const auto options = torch::TensorOptions().dtype(torch::kInt64).device(images.device());
  const torch::Tensor down = torch::arange(images.size(-2), options).unsqueeze(-1);
  const torch::Tensor across = torch::arange(images.size(-1), options);
  return (down >= side(0)) & (down < side(1)) & (across >= side(2)) & (across < side(3));
}

}  // namespace

Mixture Mix(const models::Augment& augment, std::span<const RowPair> pairs,
            const models::Inputs& inputs, const torch::Tensor& target) {
  const bool is_cut = augment.type == models::AugmentType::kCutmix;
  const torch::Tensor& first = inputs.begin()->second;
  std::vector<int64_t> partners;
  std::vector<float> shares;
  std::vector<Rectangle> rectangles;
  for (const RowPair& pair : pairs) {
    partners.push_back(pair.partner);
    if (!is_cut) {
      shares.push_back(static_cast<float>(pair.share));
      continue;
    }
    rectangles.push_back(RectangleOf(pair, first.size(-2), first.size(-1)));
    const auto area = static_cast<double>(first.size(-2) * first.size(-1));
    shares.push_back(static_cast<float>(1 - static_cast<double>(rectangles.back().Area()) / area));
  }
  const torch::Tensor partner = torch::tensor(partners).to(first.device());
  Mixture mixture{.inputs = {},
                  .partner_target = target.index_select(0, partner),
                  .share = torch::tensor(shares).to(first.device())};
  for (const auto& [name, rows] : inputs) {
    const torch::Tensor others = rows.index_select(0, partner);
    if (is_cut) {
      mixture.inputs[name] = torch::where(Inside(rectangles, rows), others, rows);
    } else {
      const torch::Tensor share = Spread(mixture.share, rows);
      mixture.inputs[name] = rows * share + others * (1 - share);
    }
  }
  return mixture;
}

}  // namespace tidemill::trainer_server
