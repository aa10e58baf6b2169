// Batches as tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::loader {

// Row r of every member belongs to the same sample.
struct TensorBatch {
  // The columns `input` and `input_...` by name: [n, ...] float32 or int64. A ragged one is the
  // numbers of all rows, [places, ...], beside one of its name and `_offsets`, [n + 1] int64: the
  // places at which rows begin and the last one ends.
  std::map<std::string, torch::Tensor> inputs;
  torch::Tensor input;   // inputs["input"].
  torch::Tensor target;  // [n] or [n, ...], int64 or float32.
  torch::Tensor weight;  // [n] float32; undefined when every weight is 1.
};

// Views of the batch's columns, without a copy (of offsets alone there is one); they keep its
// buffers alive. NOT_FOUND for a batch without input; `target` may be absent where nobody learns or
// measures.
absl::StatusOr<TensorBatch> ToTensors(const batch::Batch& rows);

// One column of numbers as a tensor, as above. INVALID_ARGUMENT for text.
absl::StatusOr<torch::Tensor> ToTensor(const batch::Column& column, int64_t num_rows);

// Moves the columns that become tensors into page-locked memory, from which a GPU takes them while
// the processor goes on. For StreamOptions::settle, where there is CUDA. FAILED_PRECONDITION where
// there is not.
absl::Status PinTensors(batch::Batch& rows);

// A tensor on another device. From page-locked memory to a GPU the copy is only begun: whoever
// reads the result on the GPU's current stream reads it after, and `tensor` must live until then.
torch::Tensor ToDevice(const torch::Tensor& tensor, const torch::Device& device);

}  // namespace tidemill::loader
