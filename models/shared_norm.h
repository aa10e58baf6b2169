// Batch normalisation where each process has a part of the batch.
#pragma once

#include <functional>

#include "torch/torch.h"

namespace tidemill::models {

// Replaces the numbers of a tensor on the CPU by their sums over the processes that share a batch.
// Throws c10::Error when it cannot.
using SumOverParts = std::function<void(torch::Tensor& numbers)>;

// From now on, networks in training normalise over all parts of a batch. Without a function, which
// is how a process begins, a batch is whole. A process that trains calls this before its threads
// use networks.
void SetSumOverParts(SumOverParts sum);

// torch::nn::BatchNorm2d, with the same parameters, buffers and numbers where a batch is whole. For
// a batch in parts, its mean and variance are those of the batch, as are the gradients that go
// back through them. All processes must then call it equally often, those without a row too.
class SharedBatchNorm2dImpl : public torch::nn::BatchNorm2dImpl {
 public:
  using torch::nn::BatchNorm2dImpl::BatchNorm2dImpl;

  torch::Tensor forward(const torch::Tensor& input);
};
TORCH_MODULE(SharedBatchNorm2d);

// Whether a module has such a part.
bool NormalisesOverBatch(const torch::nn::Module& module);

}  // namespace tidemill::models
