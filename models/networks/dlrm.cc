#include "models/spec/dlrm.h"

#include "models/networks/layers.h"
#include "models/networks/tables.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

class DlrmNetwork final : public NetworkModule {
 public:
  DlrmNetwork(const Dlrm& spec, int64_t num_dense) {
    offsets_ = register_buffer("offsets", CategoryOffsets(spec.categories));
    embedding_ =
        register_module("embedding", CategoryTable(spec.categories, spec.width, spec.sparse));
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

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const Dlrm& spec, const NetworkParts& parts) {
  return std::make_shared<DlrmNetwork>(spec, RowWidth(parts.inputs.at(std::string(kInput))));
}

}  // namespace tidemill::models
