#include "models/series_networks.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

int64_t FeaturesOf(const InputSpecs& inputs) {
  const std::vector<int64_t>& shape = inputs.at(std::string(kInput)).shape;
  return shape.size() == 1 ? 1 : shape[1];
}

// [n, history, features]; a history of single numbers has one feature.
torch::Tensor SeriesOf(const Inputs& inputs) {
  const torch::Tensor& input = inputs.at(std::string(kInput));
  return input.dim() == 2 ? input.unsqueeze(2) : input;
}

// The features of the last row.
torch::Tensor LatestOf(const Inputs& inputs) { return SeriesOf(inputs).select(1, -1); }

nn::Linear Zeros(int64_t in, int64_t out) {
  nn::Linear layer(in, out);
  const torch::NoGradGuard no_gradients;
  layer->weight.zero_();
  layer->bias.zero_();
  return layer;
}

class GruNetwork final : public NetworkModule {
 public:
  GruNetwork(const Gru& spec, int64_t features) : layers_(spec.layers), hidden_(spec.hidden) {
    auto options = nn::GRUOptions(features, spec.hidden).num_layers(spec.layers).batch_first(true);
    if (spec.layers > 1) options.dropout(spec.dropout);
    units_ = register_module("gru", nn::GRU(options));
    output_ = register_module("output", nn::Linear(spec.hidden, spec.outputs));
    if (spec.residual) residual_ = register_module("residual", Zeros(features, spec.outputs));
  }

  torch::Tensor Forward(const Inputs& inputs) override {
    const torch::Tensor output = output_->forward(Embed(inputs));
    return residual_ ? output + residual_->forward(LatestOf(inputs)) : output;
  }

  torch::Tensor Embed(const Inputs& inputs) override {
    const torch::Tensor series = SeriesOf(inputs);
    // Zeros of the batch's size, without naming it.
    const torch::Tensor zeros = torch::zeros_like(LatestOf(inputs).narrow(1, 0, 1));
    const torch::Tensor begin = zeros.unsqueeze(0).expand({layers_, -1, hidden_}).contiguous();
    const torch::Tensor states = std::get<0>(units_->forward(series, begin));
    return states.select(1, -1);
  }

 private:
  const int64_t layers_;
  const int64_t hidden_;
  nn::GRU units_{nullptr};
  nn::Linear output_{nullptr};
  nn::Linear residual_{nullptr};
};

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
    if (spec.residual) residual_ = register_module("residual", Zeros(features, spec.outputs));
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

ModulePtr MakeGru(const Gru& spec, const InputSpecs& inputs) {
  return std::make_shared<GruNetwork>(spec, FeaturesOf(inputs));
}

ModulePtr MakeTcn(const Tcn& spec, const InputSpecs& inputs) {
  return std::make_shared<TcnNetwork>(spec, FeaturesOf(inputs));
}

}  // namespace tidemill::models
