#include "models/spec/tcn.h"

#include "models/networks/series.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

// Two convolutions that see no later row, and a way around them.
class TemporalBlock final : public nn::Module {
 public:
  TemporalBlock(const Tcn& spec, int64_t in, int64_t dilation)
      : reach_((spec.kernel - 1) * dilation) {
    const auto convolution = [&](int64_t from) {
      return nn::Conv1d(nn::Conv1dOptions(from, spec.hidden, spec.kernel).dilation(dilation));
    };
    conv1_ = register_module("conv1", convolution(in));
    conv2_ = register_module("conv2", convolution(spec.hidden));
    dropout_ = register_module("dropout", nn::Dropout(spec.dropout));
    if (in == spec.hidden) return;
    shortcut_ = register_module("shortcut", nn::Conv1d(nn::Conv1dOptions(in, spec.hidden, 1)));
  }

  torch::Tensor Forward(const torch::Tensor& x) {
    const torch::Tensor y = Convolve(conv2_, Convolve(conv1_, x));
    return torch::relu(y + (shortcut_ ? shortcut_->forward(x) : x));
  }

 private:
  torch::Tensor Convolve(nn::Conv1d& convolution, const torch::Tensor& x) {
    const torch::Tensor padded = torch::constant_pad_nd(x, {reach_, 0});
    const torch::Tensor y = torch::relu(convolution->forward(padded));
    return dropout_->options.p() > 0 ? dropout_->forward(y) : y;
  }

  const int64_t reach_;
  nn::Conv1d conv1_{nullptr};
  nn::Conv1d conv2_{nullptr};
  nn::Conv1d shortcut_{nullptr};
  nn::Dropout dropout_{nullptr};
};

class TcnNetwork final : public NetworkModule {
 public:
  TcnNetwork(const Tcn& spec, int64_t features) {
    int64_t in = features;
    for (int64_t i = 0; i < spec.layers; ++i) {
      blocks_.push_back(
          register_module(fmt::format("block{}", i + 1),
                          std::make_shared<TemporalBlock>(spec, in, int64_t{1} << i)));
      in = spec.hidden;
    }
    output_ = register_module("output", nn::Linear(spec.hidden, spec.outputs));
    if (spec.residual) residual_ = register_module("residual", ZeroLayer(features, spec.outputs));
  }

  torch::Tensor Forward(const Inputs& inputs) override {
    const torch::Tensor output = output_->forward(Embed(inputs));
    return residual_ ? output + residual_->forward(LatestOf(inputs)) : output;
  }

  torch::Tensor Embed(const Inputs& inputs) override {
    torch::Tensor x = SeriesOf(inputs).transpose(1, 2);
    for (const auto& block : blocks_) x = block->Forward(x);
    return x.select(2, -1);
  }

 private:
  std::vector<std::shared_ptr<TemporalBlock>> blocks_;
  nn::Linear output_{nullptr};
  nn::Linear residual_{nullptr};
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const Tcn& spec, const NetworkParts& parts) {
  return std::make_shared<TcnNetwork>(spec, FeaturesOf(parts.inputs));
}

}  // namespace tidemill::models
