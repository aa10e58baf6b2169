#include "models/spec/gru.h"

#include "models/networks/series.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

class GruNetwork final : public NetworkModule {
 public:
  GruNetwork(const Gru& spec, int64_t features) : layers_(spec.layers), hidden_(spec.hidden) {
    auto options = nn::GRUOptions(features, spec.hidden).num_layers(spec.layers).batch_first(true);
    if (spec.layers > 1) options.dropout(spec.dropout);
    units_ = register_module("gru", nn::GRU(options));
    output_ = register_module("output", nn::Linear(spec.hidden, spec.outputs));
    if (spec.residual) residual_ = register_module("residual", ZeroLayer(features, spec.outputs));
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

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const Gru& spec, const NetworkParts& parts) {
  return std::make_shared<GruNetwork>(spec, FeaturesOf(parts.inputs));
}

}  // namespace tidemill::models
