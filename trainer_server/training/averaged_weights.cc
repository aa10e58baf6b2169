#include "trainer_server/training/averaged_weights.h"

#include <algorithm>
#include <utility>

namespace tidemill::trainer_server {

void AddToAverage(const models::Average& spec, const models::Network& network, int64_t num_steps,
                  AveragedWeights& average) {
  const torch::NoGradGuard no_gradients;
  const auto state = models::StateOf(network);
  if (average.empty()) {
    for (const auto& [name, tensor] : state) average.push_back(tensor.detach().clone());
    return;
  }
  const auto step = static_cast<double>(num_steps);
  const double decay = spec.rise ? std::min(spec.decay, (1 + step) / (10 + step)) : spec.decay;
  for (size_t i = 0; i < state.size(); ++i) {
    const torch::Tensor& now = state[i].second;
    if (now.is_floating_point()) {
      average[i].lerp_(now, 1 - decay);
    } else {
      average[i].copy_(now);
    }
  }
}

WithAveragedWeights::WithAveragedWeights(const models::Network& network, AveragedWeights& average)
    : network_(network), average_(average) {
  Exchange();
}

// By handles, so that it copies nothing and the way back cannot fail.
void WithAveragedWeights::Exchange() {
  if (average_.empty()) return;
  auto state = models::StateOf(network_);
  for (size_t i = 0; i < state.size(); ++i) {
    const torch::Tensor own = state[i].second.variable_data();
    state[i].second.set_data(average_[i]);
    average_[i] = own;
  }
}

}  // namespace tidemill::trainer_server
