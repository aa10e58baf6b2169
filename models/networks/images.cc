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

torch::nn::Conv2d Convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

torch::Tensor EachPixel(const torch::Tensor& images, int64_t stride) {
  if (stride == 1) return images;
  return images.slice(2, 0, images.size(2), stride).slice(3, 0, images.size(3), stride);
}

void InitialiseConvolutions(torch::nn::Module& module, bool fan_out) {
  for (const auto& child : module.modules(/*include_self=*/false)) {
    const auto* const convolution = child->as<torch::nn::Conv2d>();
    if (convolution == nullptr) continue;
    if (fan_out) {
      torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
    } else {
      torch::nn::init::kaiming_normal_(convolution->weight);
    }
  }
}

}  // namespace tidemill::models
