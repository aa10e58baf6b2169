#include "models/shared_norm.h"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "torch/version.h"

#if TORCH_VERSION_MAJOR < 2
// libtorch 1.13 keeps this one to itself, and the table of a derived class names it.
namespace torch::nn {
template <>
void BatchNormImplBase<2, BatchNorm2dImpl>::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::BatchNorm2d(" << options.num_features() << ")";
}
}  // namespace torch::nn
#endif

namespace tidemill::models {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kShare = 0.1;  // torch's own.

// One process trains one network.
SumOverParts& Sum() {
  static SumOverParts sum;
  return sum;
}

// Per channel, over all rows and pixels.
Tensor SumsOf(const Tensor& numbers) { return numbers.sum({0, 2, 3}, false, torch::kFloat64); }

// A number per channel, as a factor of images.
Tensor PerChannel(const Tensor& numbers) { return numbers.view({1, -1, 1, 1}); }

// The sums over all parts. Each part has a number of pixels and two sums per channel.
struct Sums {
  double count = 0;
  Tensor first;
  Tensor second;
};

Sums SumOver(double count, const Tensor& first, const Tensor& second) {
  const torch::Device device = first.device();
  Tensor numbers =
      torch::cat({first.cpu(), second.cpu(), torch::full({1}, count, torch::kFloat64)});
  Sum()(numbers);
  const int64_t channels = first.numel();
  return {.count = numbers[-1].item<double>(),
          .first = numbers.narrow(0, 0, channels).to(device),
          .second = numbers.narrow(0, channels, channels).to(device)};
}

double CountOf(const Tensor& input) {
  return static_cast<double>(input.size(0) * input.size(2) * input.size(3));
}

struct Running {
  Tensor mean;
  Tensor variance;
  double share = 0;
};

// Ioffe and Szegedy, "Batch Normalization", 2015, with sums over all parts of a batch in place of
// sums over a batch. Sums are in float64, so that they hardly depend on how a batch is divided.
// `running` gets the averages over batches, of which this one has a share.
class SharedNormalisation : public torch::autograd::Function<SharedNormalisation> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, const Running& running, double eps) {
    const Sums sums = SumOver(CountOf(input), SumsOf(input), SumsOf(input * input));
    const double count = std::max(sums.count, 1.0);
    const Tensor mean = sums.first / count;
    const Tensor variance = (sums.second / count - mean * mean).clamp_min(0);
    const Tensor scale = (variance + eps).rsqrt().to(torch::kFloat32);
    const Tensor centre = mean.to(torch::kFloat32);
    const Tensor normal = (input - PerChannel(centre)) * PerChannel(scale);
    context->save_for_backward({normal, scale, weight});
    context->saved_data["count"] = count;
    if (sums.count > 0) {
      running.mean.lerp_(mean.to(torch::kFloat32), running.share);
      running.variance.lerp_((variance * (count / std::max(count - 1, 1.0))).to(torch::kFloat32),
                             running.share);
    }
    return normal * PerChannel(weight) + PerChannel(bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor& normal = saved[0];
    const Tensor& gradient = gradients[0];
    const double count = context->saved_data["count"].toDouble();
    const Tensor own_bias = SumsOf(gradient);
    const Tensor own_weight = SumsOf(gradient * normal);
    const Sums sums = SumOver(0, own_bias, own_weight);
    const Tensor mean_gradient = (sums.first / count).to(torch::kFloat32);
    const Tensor mean_product = (sums.second / count).to(torch::kFloat32);
    const Tensor input_gradient =
        (gradient - PerChannel(mean_gradient) - normal * PerChannel(mean_product)) *
        PerChannel(saved[1] * saved[2]);
    return {input_gradient, own_weight.to(torch::kFloat32), own_bias.to(torch::kFloat32), Tensor(),
            Tensor()};
  }
};

}  // namespace

void SetSumOverParts(SumOverParts sum) { Sum() = std::move(sum); }

Tensor SharedBatchNorm2dImpl::forward(const Tensor& input) {
  if (!is_training() || !Sum()) return torch::nn::BatchNorm2dImpl::forward(input);
  num_batches_tracked.add_(1);
  return SharedNormalisation::apply(
      input.to(torch::kFloat32), weight, bias,
      Running{running_mean, running_var, options.momentum().value_or(kShare)}, options.eps());
}

bool NormalisesOverBatch(const torch::nn::Module& module) {
  for (const auto& part : module.modules()) {
    if (part->as<SharedBatchNorm2dImpl>() != nullptr) return true;
  }
  return false;
}

}  // namespace tidemill::models
