#include "models/spec/factorization_machine.h"

#include <utility>

#include "models/networks/tables.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

// Factors begin small, so that a machine begins as a linear model.
constexpr double kFactorScale = 0.01;

// The sum over all pairs of <v_i, v_j> x_i x_j is ((sum v_i x_i)^2 - sum (v_i x_i)^2) / 2.
class FactorizationMachineNetwork final : public NetworkModule {
 public:
  // `num_dense`: numbers beside the categories; 0 when there are none.
  FactorizationMachineNetwork(const FactorizationMachine& spec, std::string ids, int64_t num_dense)
      : ids_(std::move(ids)), has_dense_(num_dense > 0), shape_({-1, spec.outputs, spec.factors}) {
    const int64_t width = spec.outputs * spec.factors;
    offsets_ = register_buffer("offsets", CategoryOffsets(spec.categories));
    linear_ = register_module("embedding_linear",
                              CategoryTable(spec.categories, spec.outputs, spec.sparse));
    factors_ =
        register_module("embedding_factors", CategoryTable(spec.categories, width, spec.sparse));
    {
      const torch::NoGradGuard no_gradients;
      linear_->weight.zero_();
      factors_->weight.mul_(kFactorScale);
    }
    bias_ = register_parameter("bias", torch::zeros({spec.outputs}));
    if (!has_dense_) return;
    dense_linear_ = register_parameter("dense_linear", torch::zeros({num_dense, spec.outputs}));
    dense_factors_ =
        register_parameter("dense_factors", torch::randn({num_dense, width}) * kFactorScale);
  }

  torch::Tensor Forward(const Inputs& inputs) override {
    const auto [linear, pairs] = TermsOf(inputs);
    return linear + pairs.reshape(shape_).sum(2) / 2;
  }

  // The linear terms of each output and half the pairs of each of its factors, which add up to it.
  torch::Tensor Embed(const Inputs& inputs) override {
    const auto [linear, pairs] = TermsOf(inputs);
    return torch::cat({linear, pairs / 2}, 1);
  }

 private:
  // [n, outputs] and [n, outputs * factors].
  std::pair<torch::Tensor, torch::Tensor> TermsOf(const Inputs& inputs) {
    const torch::Tensor ids = AsRows(inputs.at(ids_)) + offsets_;
    torch::Tensor linear = linear_->forward(ids).sum(1) + bias_;
    torch::Tensor vectors = factors_->forward(ids);  // [n, k, outputs * factors].
    if (has_dense_) {
      const torch::Tensor dense = AsRows(inputs.at(std::string(kInput)));
      linear = linear + torch::matmul(dense, dense_linear_);
      vectors = torch::cat({vectors, dense.unsqueeze(2) * dense_factors_.unsqueeze(0)}, 1);
    }
    return {linear, vectors.sum(1).square() - vectors.square().sum(1)};
  }

  const std::string ids_;
  const bool has_dense_;
  const std::vector<int64_t> shape_;
  torch::Tensor offsets_;
  nn::Embedding linear_{nullptr};
  nn::Embedding factors_{nullptr};
  torch::Tensor bias_;
  torch::Tensor dense_linear_;
  torch::Tensor dense_factors_;
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const FactorizationMachine& spec, const NetworkParts& parts) {
  const std::string ids = CategoryColumn(parts.inputs);
  const InputSpec* const dense = FindInput(parts.inputs, kInput);
  const bool has_dense = ids != kInput && dense != nullptr;
  return std::make_shared<FactorizationMachineNetwork>(spec, ids, has_dense ? RowWidth(*dense) : 0);
}

}  // namespace tidemill::models
