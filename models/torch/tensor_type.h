// Converts the types of numbers in columns to types of tensors.
#pragma once

#include "torch/torch.h"

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::models {

// INVALID_ARGUMENT for kBinary, which holds no numbers.
inline absl::StatusOr<torch::ScalarType> TensorType(batch::DataType type) {
  switch (type) {
    case batch::DataType::kInt64:
      return torch::kInt64;
    case batch::DataType::kInt32:
      return torch::kInt32;
    case batch::DataType::kUInt8:
      return torch::kUInt8;
    case batch::DataType::kFloat32:
      return torch::kFloat32;
    case batch::DataType::kFloat64:
      return torch::kFloat64;
    case batch::DataType::kBinary:
      break;
  }
  return InvalidArgument("strings of bytes are not numbers");
}

}  // namespace tidemill::models
