#include "models/networks/images.h"

namespace tidemill::models {

std::array<int64_t, 3> ImageShape(const InputSpecs& inputs) {
  const std::vector<int64_t>& shape = inputs.at(std::string(kInput)).shape;
  if (shape.size() == 2) return {1, shape[0], shape[1]};
  return {shape[0], shape[1], shape[2]};
}

torch::Tensor ImagesOf(const Inputs& inputs) {
  const torch::Tensor& input = inputs.at(std::string(kInput));
  return (input.dim() == 3 ? input.unsqueeze(1) : input)
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

void PutChannelsLast(torch::nn::Module& module) {
  for (torch::Tensor& weight : module.parameters()) {
    if (weight.dim() != 4) continue;
    weight.set_data(weight.detach().contiguous(torch::MemoryFormat::ChannelsLast));
  }
}

}  // namespace tidemill::models
