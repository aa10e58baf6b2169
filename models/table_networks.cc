#include "models/table_networks.h"

#include <numeric>
#include <utility>

#include "models/dense_networks.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

// Factors begin small, so that a machine begins as a linear model.
constexpr double kFactorScale = 0.01;

int64_t Sum(const std::vector<int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
}

// Where the rows of each category begin in one table that holds all of them.
torch::Tensor Offsets(const std::vector<int64_t>& categories) {
  std::vector<int64_t> offsets(categories.size(), 0);
  std::partial_sum(categories.begin(), categories.end() - 1, offsets.begin() + 1);
  return torch::tensor(offsets, torch::kInt64);
}

nn::Embedding Table(const std::vector<int64_t>& categories, int64_t width, bool sparse) {
  return nn::Embedding(nn::EmbeddingOptions(Sum(categories), width).sparse(sparse));
}

// Rows of single numbers are [n]; layers want [n, 1].
torch::Tensor AsRows(const torch::Tensor& column) {
  return column.dim() == 1 ? column.unsqueeze(1) : column;
}

class DlrmNetwork final : public NetworkModule {
 public:
  DlrmNetwork(const Dlrm& spec, int64_t num_dense) {
    offsets_ = register_buffer("offsets", Offsets(spec.categories));
    embedding_ = register_module("embedding", Table(spec.categories, spec.width, spec.sparse));
    std::vector<int64_t> bottom = spec.bottom;
    bottom.push_back(spec.width);
    bottom_ = register_module("bottom", MakeLayers(num_dense, bottom, 0, 0));
    const auto num_vectors = static_cast<int64_t>(spec.categories.size()) + 1;
    std::vector<int64_t> pairs;
    for (int64_t i = 1; i < num_vectors; ++i) {
      for (int64_t j = 0; j < i; ++j) pairs.push_back(i * num_vectors + j);
    }
    pairs_ = register_buffer("pairs", torch::tensor(pairs, torch::kInt64));
    const auto num_pairs = static_cast<int64_t>(pairs.size());
    top_ = register_module("top", MakeLayers(spec.width + num_pairs, spec.top, 0, spec.outputs));
  }

  torch::Tensor Forward(const Inputs& inputs) override { return ForwardLast(top_, Embed(inputs)); }

  torch::Tensor Embed(const Inputs& inputs) override {
    const torch::Tensor dense = bottom_->forward(AsRows(inputs.at(std::string(kInput))));
    const torch::Tensor ids = AsRows(inputs.at(std::string(kInputCategories)));
    const torch::Tensor embedded = embedding_->forward(ids + offsets_).to(dense.scalar_type());
    const torch::Tensor vectors = torch::cat({dense.unsqueeze(1), embedded}, 1);
    const torch::Tensor products = torch::bmm(vectors, vectors.transpose(1, 2)).flatten(1);
    return ForwardToLast(top_, torch::cat({dense, products.index_select(1, pairs_)}, 1));
  }

 private:
  torch::Tensor offsets_;
  torch::Tensor pairs_;
  nn::Embedding embedding_{nullptr};
  nn::Sequential bottom_;
  nn::Sequential top_;
};

// The sum over all pairs of <v_i, v_j> x_i x_j is ((sum v_i x_i)^2 - sum (v_i x_i)^2) / 2.
class FactorizationMachineNetwork final : public NetworkModule {
 public:
  // `num_dense`: numbers beside the categories; 0 when there are none.
  FactorizationMachineNetwork(const FactorizationMachine& spec, std::string ids, int64_t num_dense)
      : ids_(std::move(ids)), has_dense_(num_dense > 0), shape_({-1, spec.outputs, spec.factors}) {
    const int64_t width = spec.outputs * spec.factors;
    offsets_ = register_buffer("offsets", Offsets(spec.categories));
    linear_ =
        register_module("embedding_linear", Table(spec.categories, spec.outputs, spec.sparse));
    factors_ = register_module("embedding_factors", Table(spec.categories, width, spec.sparse));
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

int64_t WidthOf(const InputSpec& input) { return input.shape.empty() ? 1 : input.shape.front(); }

}  // namespace

ModulePtr MakeDlrm(const Dlrm& spec, const InputSpecs& inputs) {
  return std::make_shared<DlrmNetwork>(spec, WidthOf(inputs.at(std::string(kInput))));
}

ModulePtr MakeFactorizationMachine(const FactorizationMachine& spec, const InputSpecs& inputs) {
  const std::string ids = CategoryColumn(inputs);
  const auto dense = inputs.find(std::string(kInput));
  const bool has_dense = ids != kInput && dense != inputs.end();
  return std::make_shared<FactorizationMachineNetwork>(spec, ids,
                                                       has_dense ? WidthOf(dense->second) : 0);
}

}  // namespace tidemill::models
