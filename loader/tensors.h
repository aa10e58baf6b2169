// Converts batches to tensors.
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
  // The columns `input` and `input_...` by name: [n, ...] float32 or int64. A ragged column is the
  // numbers of all rows, [places, ...]. Beside it is one with its name and `_offsets`, [n + 1]
  // int64: the places where rows begin and where the last one ends.
  std::map<std::string, torch::Tensor> inputs;
  torch::Tensor input;   // inputs["input"].
  torch::Tensor target;  // [n] or [n, ...], int64 or float32.
  torch::Tensor weight;  // [n] float32; undefined when every weight is 1.
};

// Returns views of the batch's columns, which keep its buffers alive. Only offsets are copied.
// NOT_FOUND for a batch without input. `target` may be absent when the tensors are neither for
// training nor for measuring.
absl::StatusOr<TensorBatch> ToTensors(const batch::Batch& rows);

// Returns one column of numbers as a tensor, as above. INVALID_ARGUMENT for text.
absl::StatusOr<torch::Tensor> ToTensor(const batch::Column& column, int64_t num_rows);

// Moves the columns that become tensors into page-locked memory. A GPU can read from there while
// the processor continues. For StreamOptions::settle, when there is CUDA. FAILED_PRECONDITION
// without CUDA.
absl::Status PinTensors(batch::Batch& rows);

}  // namespace tidemill::loader
