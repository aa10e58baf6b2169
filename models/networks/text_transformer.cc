#include "models/spec/text_transformer.h"

#include <cmath>

#include "models/networks/tokens.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

// Instead of minus infinity, which makes NaN of a row that is all padding.
constexpr double kMasked = -1e30;

// Self-attention and two linear layers, each with a way around it.
class TransformerLayer final : public nn::Module {
 public:
  explicit TransformerLayer(const TextTransformer& spec)
      : heads_(spec.heads), head_width_(spec.width / spec.heads) {
    norm1_ = register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({spec.width})));
    projection_ = register_module("attention", nn::Linear(spec.width, 3 * spec.width));
    merge_ = register_module("attention_output", nn::Linear(spec.width, spec.width));
    norm2_ = register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({spec.width})));
    up_ = register_module("hidden", nn::Linear(spec.width, 4 * spec.width));
    down_ = register_module("hidden_output", nn::Linear(4 * spec.width, spec.width));
    dropout_ = register_module("dropout", nn::Dropout(spec.dropout));
  }

  // `absent`: [n, 1, 1, length], true at padding.
  torch::Tensor Forward(torch::Tensor x, const torch::Tensor& absent) {
    x = x + Drop(Attend(norm1_->forward(x), absent));
    return x + Drop(down_->forward(torch::gelu(up_->forward(norm2_->forward(x)))));
  }

 private:
  torch::Tensor Drop(const torch::Tensor& x) {
    return dropout_->options.p() > 0 ? dropout_->forward(x) : x;
  }

  torch::Tensor Attend(const torch::Tensor& x, const torch::Tensor& absent) {
    const std::vector<torch::Tensor> parts = projection_->forward(x).chunk(3, 2);
    const auto heads = [this, length = x.size(1)](const torch::Tensor& part) {
      return part.reshape({-1, length, heads_, head_width_}).transpose(1, 2);
    };
    const torch::Tensor keys = heads(parts[1]).transpose(2, 3);
    torch::Tensor scores = torch::matmul(heads(parts[0]), keys);
    scores = scores / std::sqrt(static_cast<double>(head_width_));
    scores = Drop(torch::softmax(scores.masked_fill(absent, kMasked), -1));
    return merge_->forward(torch::matmul(scores, heads(parts[2])).transpose(1, 2).flatten(2));
  }

  const int64_t heads_;
  const int64_t head_width_;
  nn::LayerNorm norm1_{nullptr};
  nn::Linear projection_{nullptr};
  nn::Linear merge_{nullptr};
  nn::LayerNorm norm2_{nullptr};
  nn::Linear up_{nullptr};
  nn::Linear down_{nullptr};
  nn::Dropout dropout_{nullptr};
};

class TextTransformerNetwork final : public NetworkModule {
 public:
  TextTransformerNetwork(const TextTransformer& spec, int64_t length) {
    tokens_ = register_module("embedding", MakeTokens(spec.vocabulary, spec.width, false));
    positions_ =
        register_parameter("positions", torch::randn({1, length, spec.width}) * kPositionScale);
    for (int64_t i = 1; i <= spec.layers; ++i) {
      layers_.push_back(
          register_module(fmt::format("layer{}", i), std::make_shared<TransformerLayer>(spec)));
    }
    norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({spec.width})));
    output_ = register_module("output", nn::Linear(spec.width, spec.outputs));
  }

  torch::Tensor Forward(const Inputs& inputs) override { return output_->forward(Embed(inputs)); }

  torch::Tensor Embed(const Inputs& inputs) override {
    const torch::Tensor& tokens = inputs.at(std::string(kInput));
    // Rows may end before their padding does.
    const bool is_whole = tokens.size(1) == positions_.size(1);
    torch::Tensor x = tokens_->forward(tokens) +
                      (is_whole ? positions_ : positions_.narrow(1, 0, tokens.size(1)));
    const torch::Tensor absent = tokens.eq(kPaddingToken).unsqueeze(1).unsqueeze(1);
    for (const auto& layer : layers_) x = layer->Forward(x, absent);
    x = norm_->forward(x);
    return MeanOfTokens(x, tokens.ne(kPaddingToken).unsqueeze(2).to(x.scalar_type()));
  }

 private:
  static constexpr double kPositionScale = 0.02;

  nn::Embedding tokens_{nullptr};
  torch::Tensor positions_;
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
  nn::LayerNorm norm_{nullptr};
  nn::Linear output_{nullptr};
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const TextTransformer& spec, const NetworkParts& parts) {
  return std::make_shared<TextTransformerNetwork>(
      spec, parts.inputs.at(std::string(kInput)).shape.front());
}

}  // namespace tidemill::models
