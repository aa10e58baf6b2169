#include "models/spec/embedding_bag.h"

#include "models/networks/layers.h"
#include "models/networks/tokens.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

// Tokens of a bag begin small, so that those that training hardly meets say little.
nn::Embedding MakeBag(const EmbeddingBag& spec) {
  nn::Embedding tokens = MakeTokens(spec.vocabulary, spec.width, spec.sparse);
  const torch::NoGradGuard no_gradients;
  const double bound = 1.0 / static_cast<double>(spec.width);
  tokens->weight.uniform_(-bound, bound);
  tokens->weight[kPaddingToken].zero_();
  return tokens;
}

class EmbeddingBagNetwork final : public NetworkModule {
 public:
  explicit EmbeddingBagNetwork(const EmbeddingBag& spec)
      : is_mean_(spec.pooling == Pooling::kMean),
        embedding_(register_module("embedding", MakeBag(spec))),
        layers_(register_module("layers",
                                MakeLayers(spec.width, spec.hidden, spec.dropout, spec.outputs))) {}

  torch::Tensor Forward(const Inputs& inputs) override {
    return ForwardLast(layers_, Embed(inputs));
  }

  torch::Tensor Embed(const Inputs& inputs) override {
    const torch::Tensor& tokens = inputs.at(std::string(kInput));
    const auto offsets = inputs.find(std::string(kInput) + std::string(kOffsetsSuffix));
    if (offsets != inputs.end()) {
      return ForwardToLast(layers_, EmbedRagged(tokens, offsets->second));
    }
    // The row of the padding is zeros and stays so.
    const torch::Tensor x = embedding_->forward(tokens);
    if (!is_mean_) return ForwardToLast(layers_, x.sum(1));
    const torch::Tensor present = tokens.ne(kPaddingToken).unsqueeze(2).to(x.scalar_type());
    return ForwardToLast(layers_, MeanOfTokens(x, present));
  }

 private:
  // Takes the tokens of all rows, one after another.
  torch::Tensor EmbedRagged(const torch::Tensor& tokens, const torch::Tensor& offsets) {
    constexpr int64_t kSum = 0;
    constexpr int64_t kMean = 1;
    return std::get<0>(torch::embedding_bag(embedding_->weight, tokens, offsets,
                                            /*scale_grad_by_freq=*/false, is_mean_ ? kMean : kSum,
                                            embedding_->options.sparse(), /*per_sample_weights=*/{},
                                            /*include_last_offset=*/true, kPaddingToken));
  }

  const bool is_mean_;
  nn::Embedding embedding_;
  nn::Sequential layers_;
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const EmbeddingBag& spec, const NetworkParts& /*parts*/) {
  return std::make_shared<EmbeddingBagNetwork>(spec);
}

}  // namespace tidemill::models
