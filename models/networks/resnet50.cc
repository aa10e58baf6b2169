#include "models/spec/resnet50.h"

#include <array>

#include "models/networks/images.h"
#include "models/shared_norm.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

constexpr int64_t kExpansion = 4;

// Three convolutions and a way around them. The one in the middle has the stride.
class Bottleneck final : public nn::Module {
 public:
  Bottleneck(int64_t in, int64_t width, int64_t stride) : stride_(stride) {
    const int64_t out = width * kExpansion;
    conv1_ = register_module("conv1", Convolution(in, width, 1, 1));
    norm1_ = register_module("bn1", SharedBatchNorm2d(width));
    conv2_ = register_module("conv2", Convolution(width, width, 3, stride));
    norm2_ = register_module("bn2", SharedBatchNorm2d(width));
    conv3_ = register_module("conv3", Convolution(width, out, 1, 1));
    norm3_ = register_module("bn3", SharedBatchNorm2d(out));
    if (stride == 1 && in == out) return;
    shortcut_ = Convolution(in, out, 1, 1);
    shortcut_norm_ = SharedBatchNorm2d(out);
    const auto both = register_module("downsample", std::make_shared<nn::Module>());
    both->register_module("0", shortcut_.ptr());
    both->register_module("1", shortcut_norm_.ptr());
  }

  torch::Tensor Forward(const torch::Tensor& x) {
    torch::Tensor y = torch::relu(norm1_->forward(conv1_->forward(x)));
    y = torch::relu(norm2_->forward(conv2_->forward(y)));
    y = norm3_->forward(conv3_->forward(y));
    if (!shortcut_) return torch::relu(y + x);
    return torch::relu(y + shortcut_norm_->forward(shortcut_->forward(EachPixel(x, stride_))));
  }

 private:
  const int64_t stride_;
  nn::Conv2d conv1_{nullptr};
  SharedBatchNorm2d norm1_{nullptr};
  nn::Conv2d conv2_{nullptr};
  SharedBatchNorm2d norm2_{nullptr};
  nn::Conv2d conv3_{nullptr};
  SharedBatchNorm2d norm3_{nullptr};
  nn::Conv2d shortcut_{nullptr};
  SharedBatchNorm2d shortcut_norm_{nullptr};
};

class Resnet50Network final : public NetworkModule {
 public:
  Resnet50Network(const Resnet50& spec, const std::array<int64_t, 3>& image) {
    constexpr std::array<int64_t, 4> kBlocks = {3, 4, 6, 3};
    const bool small = IsSmallStem(spec.stem, image[1], image[2]);
    is_pooled_ = !small;
    conv_ = register_module("conv1", small ? Convolution(image[0], spec.width, 3, 1)
                                           : Convolution(image[0], spec.width, 7, 2));
    norm_ = register_module("bn1", SharedBatchNorm2d(spec.width));
    int64_t channels = spec.width;
    for (size_t stage = 0; stage < kBlocks.size(); ++stage) {
      const int64_t width = spec.width << stage;
      const auto layer =
          register_module(fmt::format("layer{}", stage + 1), std::make_shared<nn::Module>());
      for (int64_t block = 0; block < kBlocks[stage]; ++block) {
        const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
        blocks_.push_back(layer->register_module(
            fmt::format("{}", block), std::make_shared<Bottleneck>(channels, width, stride)));
        channels = width * kExpansion;
      }
    }
    output_ = register_module("fc", nn::Linear(channels, spec.outputs));
    InitialiseConvolutions(*this, /*fan_out=*/true);
    PutChannelsLast(*this);
  }

  torch::Tensor Forward(const Inputs& inputs) override { return output_->forward(Embed(inputs)); }

  torch::Tensor Embed(const Inputs& inputs) override {
    torch::Tensor x = torch::relu(norm_->forward(conv_->forward(ImagesOf(inputs))));
    if (is_pooled_) x = torch::max_pool2d(x, 3, 2, 1);
    for (const auto& block : blocks_) x = block->Forward(x);
    return x.mean({2, 3});
  }

 private:
  bool is_pooled_ = false;
  nn::Conv2d conv_{nullptr};
  SharedBatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  nn::Linear output_{nullptr};
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const Resnet50& spec, const NetworkParts& parts) {
  return std::make_shared<Resnet50Network>(spec, ImageShape(parts.inputs));
}

}  // namespace tidemill::models
