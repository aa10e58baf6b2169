#include "models/spec/convnet.h"

#include <algorithm>
#include <array>

#include "models/networks/images.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

class ConvnetNetwork final : public NetworkModule {
 public:
  ConvnetNetwork(const Convnet& spec, const std::array<int64_t, 3>& image) {
    int64_t channels = image[0];
    int64_t pixels[] = {image[1], image[2]};
    for (size_t i = 0; i < spec.channels.size(); ++i) {
      const nn::Conv2d convolution(nn::Conv2dOptions(channels, spec.channels[i], 3).padding(1));
      convolutions_.push_back(register_module(fmt::format("conv{}", i + 1), convolution));
      channels = spec.channels[i];
      pixels[0] /= 2;
      pixels[1] /= 2;
    }
    hidden_ = register_module("hidden", nn::Linear(channels * pixels[0] * pixels[1], spec.hidden));
    dropout_ = register_module("hidden_dropout", nn::Dropout(spec.dropout));
    output_ = register_module("output", nn::Linear(spec.hidden, spec.outputs));
    PutChannelsLast(*this);
  }

  torch::Tensor Forward(const Inputs& inputs) override { return output_->forward(Embed(inputs)); }

  torch::Tensor Embed(const Inputs& inputs) override {
    torch::Tensor x = ImagesOf(inputs);
    for (nn::Conv2d& convolution : convolutions_) {
      x = torch::max_pool2d(torch::relu(convolution->forward(x)), 2);
    }
    x = torch::relu(hidden_->forward(x.flatten(1)));
    return dropout_->options.p() > 0 ? dropout_->forward(x) : x;
  }

 private:
  std::vector<nn::Conv2d> convolutions_;
  nn::Linear hidden_{nullptr};
  nn::Dropout dropout_{nullptr};
  nn::Linear output_{nullptr};
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const Convnet& spec, const NetworkParts& parts) {
  const std::array<int64_t, 3> image = ImageShape(parts.inputs);
  if (std::min(image[1], image[2]) >> spec.channels.size() < 1) {
    return InvalidArgument("images of [{}] are too small for {} convolutions",
                           fmt::join(parts.inputs.at(std::string(kInput)).shape, ", "),
                           spec.channels.size());
  }
  return std::make_shared<ConvnetNetwork>(spec, image);
}

}  // namespace tidemill::models
