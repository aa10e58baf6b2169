#include "models/spec/densenet121.h"

#include <array>

#include "models/networks/images.h"
#include "models/shared_norm.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

// Adds channels to those that it sees.
class DenseLayer final : public nn::Module {
 public:
  DenseLayer(int64_t in, int64_t growth) {
    constexpr int64_t kBottleneck = 4;
    norm1_ = register_module("norm1", SharedBatchNorm2d(in));
    conv1_ = register_module("conv1", Convolution(in, kBottleneck * growth, 1, 1));
    norm2_ = register_module("norm2", SharedBatchNorm2d(kBottleneck * growth));
    conv2_ = register_module("conv2", Convolution(kBottleneck * growth, growth, 3, 1));
  }

  torch::Tensor Forward(const torch::Tensor& x) {
    const torch::Tensor y = conv1_->forward(torch::relu(norm1_->forward(x)));
    return torch::cat({x, conv2_->forward(torch::relu(norm2_->forward(y)))}, 1);
  }

 private:
  SharedBatchNorm2d norm1_{nullptr};
  nn::Conv2d conv1_{nullptr};
  SharedBatchNorm2d norm2_{nullptr};
  nn::Conv2d conv2_{nullptr};
};

// Halves the channels and the sides.
class Transition final : public nn::Module {
 public:
  explicit Transition(int64_t in) {
    norm_ = register_module("norm", SharedBatchNorm2d(in));
    conv_ = register_module("conv", Convolution(in, in / 2, 1, 1));
  }

  torch::Tensor Forward(const torch::Tensor& x) {
    return torch::avg_pool2d(conv_->forward(torch::relu(norm_->forward(x))), 2, 2);
  }

 private:
  SharedBatchNorm2d norm_{nullptr};
  nn::Conv2d conv_{nullptr};
};

class DensenetNetwork final : public NetworkModule {
 public:
  DensenetNetwork(const Densenet121& spec, const std::array<int64_t, 3>& image) {
    const bool small = IsSmallStem(spec.stem, image[1], image[2]);
    is_pooled_ = !small;
    int64_t channels = 2 * spec.growth;
    features_ = register_module("features", std::make_shared<nn::Module>());
    conv_ = features_->register_module("conv0", small ? Convolution(image[0], channels, 3, 1)
                                                      : Convolution(image[0], channels, 7, 2));
    norm_ = features_->register_module("norm0", SharedBatchNorm2d(channels));
    for (size_t i = 0; i < kLayers.size(); ++i) channels = AddBlock(i, channels, spec.growth);
    last_norm_ = features_->register_module("norm5", SharedBatchNorm2d(channels));
    output_ = register_module("classifier", nn::Linear(channels, spec.outputs));
    InitialiseConvolutions(*this, /*fan_out=*/false);
    nn::init::zeros_(output_->bias);
    PutChannelsLast(*this);
  }

  torch::Tensor Forward(const Inputs& inputs) override { return output_->forward(Embed(inputs)); }

  torch::Tensor Embed(const Inputs& inputs) override {
    torch::Tensor x = torch::relu(norm_->forward(conv_->forward(ImagesOf(inputs))));
    if (is_pooled_) x = torch::max_pool2d(x, 3, 2, 1);
    for (size_t i = 0; i < kLayers.size(); ++i) {
      for (const auto& layer : blocks_[i]) x = layer->Forward(x);
      if (i < transitions_.size()) x = transitions_[i]->Forward(x);
    }
    return torch::relu(last_norm_->forward(x)).mean({2, 3});
  }

 private:
  static constexpr std::array<int64_t, 4> kLayers = {6, 12, 24, 16};

  // Returns the channels after the block and its transition.
  int64_t AddBlock(size_t index, int64_t channels, int64_t growth) {
    const auto block = features_->register_module(fmt::format("denseblock{}", index + 1),
                                                  std::make_shared<nn::Module>());
    blocks_.emplace_back();
    for (int64_t layer = 1; layer <= kLayers[index]; ++layer) {
      blocks_.back().push_back(block->register_module(
          fmt::format("denselayer{}", layer), std::make_shared<DenseLayer>(channels, growth)));
      channels += growth;
    }
    if (index + 1 == kLayers.size()) return channels;
    transitions_.push_back(features_->register_module(fmt::format("transition{}", index + 1),
                                                      std::make_shared<Transition>(channels)));
    return channels / 2;
  }

  bool is_pooled_ = false;
  std::shared_ptr<nn::Module> features_;
  nn::Conv2d conv_{nullptr};
  SharedBatchNorm2d norm_{nullptr};
  std::vector<std::vector<std::shared_ptr<DenseLayer>>> blocks_;
  std::vector<std::shared_ptr<Transition>> transitions_;
  SharedBatchNorm2d last_norm_{nullptr};
  nn::Linear output_{nullptr};
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const Densenet121& spec, const NetworkParts& parts) {
  return std::make_shared<DensenetNetwork>(spec, ImageShape(parts.inputs));
}

}  // namespace tidemill::models
