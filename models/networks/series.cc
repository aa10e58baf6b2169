#include "models/networks/series.h"

namespace tidemill::models {

int64_t FeaturesOf(const InputSpecs& inputs) {
  const std::vector<int64_t>& shape = inputs.at(std::string(kInput)).shape;
  return shape.size() == 1 ? 1 : shape[1];
}

torch::Tensor SeriesOf(const Inputs& inputs) {
  const torch::Tensor& input = inputs.at(std::string(kInput));
  return input.dim() == 2 ? input.unsqueeze(2) : input;
}

torch::Tensor LatestOf(const Inputs& inputs) { return SeriesOf(inputs).select(1, -1); }

torch::nn::Linear ZeroLayer(int64_t in, int64_t out) {
  torch::nn::Linear layer(in, out);
  const torch::NoGradGuard no_gradients;
  layer->weight.zero_();
  layer->bias.zero_();
  return layer;
}

}  // namespace tidemill::models
