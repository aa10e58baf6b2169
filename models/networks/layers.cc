#include "models/networks/layers.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

int64_t WidthOf(const InputSpecs& inputs) {
  int64_t width = 1;
  for (const int64_t dimension : inputs.at(std::string(kInput)).shape) width *= dimension;
  return width;
}

class LayersNetwork final : public NetworkModule {
 public:
  explicit LayersNetwork(nn::Sequential layers) : layers_(std::move(layers)) {
    for (const auto& layer : layers_->named_children()) {
      register_module(layer.key(), layer.value());
    }
  }

  torch::Tensor Forward(const Inputs& inputs) override {
    return ForwardLast(layers_, Embed(inputs));
  }

  torch::Tensor Embed(const Inputs& inputs) override {
    const torch::Tensor& input = inputs.at(std::string(kInput));
    return ForwardToLast(layers_, input.dim() == 1 ? input.unsqueeze(1) : input.flatten(1));
  }

 private:
  nn::Sequential layers_;
};

}  // namespace

nn::Sequential MakeLayers(int64_t width, const std::vector<int64_t>& hidden, double dropout,
                          int64_t outputs) {
  nn::Sequential layers;
  // push_back() takes a name only as a std::string that is not a reference.
  const auto push = [&](const std::string& name, const auto& layer) {
    layers->push_back(std::string(name), layer);
  };
  for (size_t i = 0; i < hidden.size(); ++i) {
    const std::string name = fmt::format("hidden{}", i + 1);
    push(name, nn::Linear(width, hidden[i]));
    push(name + "_relu", nn::ReLU());
    if (dropout > 0) push(name + "_dropout", nn::Dropout(dropout));
    width = hidden[i];
  }
  if (outputs > 0) push("output", nn::Linear(width, outputs));
  return layers;
}

torch::Tensor ForwardToLast(nn::Sequential& layers, torch::Tensor x) {
  for (auto layer = layers->begin(); layer + 1 != layers->end(); ++layer) x = layer->forward(x);
  return x;
}

torch::Tensor ForwardLast(nn::Sequential& layers, const torch::Tensor& embedded) {
  return (layers->end() - 1)->forward(embedded);
}

ModulePtr MakeLayersNetwork(const InputSpecs& inputs, const std::vector<int64_t>& hidden,
                            double dropout, int64_t outputs) {
  return std::make_shared<LayersNetwork>(MakeLayers(WidthOf(inputs), hidden, dropout, outputs));
}

}  // namespace tidemill::models
