#include "models/spec/resnet18.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "models/networks/images.h"
#include "models/shared_norm.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

// Two convolutions and a way around them.
class ResidualBlock final : public nn::Module {
 public:
  ResidualBlock(int64_t in, int64_t out, int64_t stride) {
    conv1_ = register_module("conv1", Convolution(in, out, 3, stride));
    norm1_ = register_module("norm1", SharedBatchNorm2d(out));
    conv2_ = register_module("conv2", Convolution(out, out, 3, 1));
    norm2_ = register_module("norm2", SharedBatchNorm2d(out));
    if (stride == 1 && in == out) return;
    stride_ = stride;
    shortcut_ = register_module("shortcut", Convolution(in, out, 1, 1));
    shortcut_norm_ = register_module("shortcut_norm", SharedBatchNorm2d(out));
  }

  torch::Tensor Forward(const torch::Tensor& x) {
    torch::Tensor y = torch::relu(norm1_->forward(conv1_->forward(x)));
    y = norm2_->forward(conv2_->forward(y));
    if (!shortcut_) return torch::relu(y + x);
    return torch::relu(y + shortcut_norm_->forward(shortcut_->forward(EachPixel(x, stride_))));
  }

 private:
  int64_t stride_ = 1;  // The stride of the shortcut.
  nn::Conv2d conv1_{nullptr};
  SharedBatchNorm2d norm1_{nullptr};
  nn::Conv2d conv2_{nullptr};
  SharedBatchNorm2d norm2_{nullptr};
  nn::Conv2d shortcut_{nullptr};
  SharedBatchNorm2d shortcut_norm_{nullptr};
};

class ResnetNetwork final : public NetworkModule {
 public:
  ResnetNetwork(const Resnet18& spec, const std::array<int64_t, 3>& image) {
    const bool small = IsSmallStem(spec.stem, image[1], image[2]);
    is_pooled_ = !small;
    stem_ = register_module("stem", small ? Convolution(image[0], spec.width, 3, 1)
                                          : Convolution(image[0], spec.width, 7, 2));
    norm_ = register_module("stem_norm", SharedBatchNorm2d(spec.width));
    int64_t channels = spec.width;
    for (int64_t stage = 1; stage <= 4; ++stage) {
      const int64_t out = spec.width << (stage - 1);
      for (int64_t block = 1; block <= 2; ++block) {
        const int64_t stride = stage > 1 && block == 1 ? 2 : 1;
        blocks_.push_back(register_module(fmt::format("stage{}_block{}", stage, block),
                                          std::make_shared<ResidualBlock>(channels, out, stride)));
        channels = out;
      }
    }
    output_ = register_module("output", nn::Linear(channels, spec.outputs));
    InitialiseConvolutions(*this, /*fan_out=*/true);
    PutChannelsLast(*this);
  }

  torch::Tensor Forward(const Inputs& inputs) override { return output_->forward(Embed(inputs)); }

  torch::Tensor Embed(const Inputs& inputs) override {
    torch::Tensor x = torch::relu(norm_->forward(stem_->forward(ImagesOf(inputs))));
    if (is_pooled_) x = torch::max_pool2d(x, 3, 2, 1);
    for (const auto& block : blocks_) x = block->Forward(x);
    return x.mean({2, 3});
  }

  // torchvision's: "stage2_block1.shortcut_norm.weight" is "layer2.0.downsample.1.weight".
  std::string NameElsewhere(const std::string& name) const override {
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"stem_norm.", "bn1."},
        {"stem.", "conv1."},
        {"output.", "fc."},
        {".shortcut_norm.", ".downsample.1."},
        {".shortcut.", ".downsample.0."},
        {".norm1.", ".bn1."},
        {".norm2.", ".bn2."}};
    std::string renamed = name;
    constexpr size_t kBlockAt = std::string_view("stage1_block").size();
    if (name.starts_with("stage") && name.size() > kBlockAt) {
      renamed =
          fmt::format("layer{}.{}{}", name[5], name[kBlockAt] - '1', name.substr(kBlockAt + 1));
    }
    for (const auto& [own, other] : kNames) {
      const size_t at = renamed.find(own);
      if (at != std::string::npos) return renamed.replace(at, own.size(), other);
    }
    return renamed;
  }

 private:
  bool is_pooled_ = false;
  nn::Conv2d stem_{nullptr};
  SharedBatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  nn::Linear output_{nullptr};
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const Resnet18& spec, const NetworkParts& parts) {
  return std::make_shared<ResnetNetwork>(spec, ImageShape(parts.inputs));
}

}  // namespace tidemill::models
