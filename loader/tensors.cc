#include "loader/tensors.h"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "loader/plan/ragged_column.h"
#include "models/spec/model_inputs.h"
#include "models/torch/guard.h"
#include "models/torch/tensor_type.h"
#include "transform/graph.h"

namespace tidemill::loader {
namespace {

bool BecomesTensor(const batch::Column& column) {
  return transform::IsInput(column.name) || column.name == transform::kTargetColumn ||
         column.name == batch::kWeightColumn;
}

// The numbers of a ragged column as a view, and its offsets, counted in places.
absl::Status AddRagged(const batch::Column& column, TensorBatch& tensors) {
  ASSIGN_OR_RETURN(const RaggedItems items, ItemsOf(column));
  const std::span<const int64_t> bounds = column.offsets.As<int64_t>();
  std::vector<int64_t> offsets;
  offsets.reserve(bounds.size());
  for (const int64_t bound : bounds) offsets.push_back(bound / items.bytes);
  batch::Column values{.name = column.name, .type = items.type, .shape = items.shape};
  values.data = column.data;
  ASSIGN_OR_RETURN(tensors.inputs[column.name], ToTensor(values, offsets.back()));
  return models::Guard("viewing offsets of " + column.name, [&]() -> absl::Status {
    tensors.inputs[column.name + std::string(models::kOffsetsSuffix)] =
        torch::tensor(offsets, torch::kInt64);
    return absl::OkStatus();
  });
}

// The same bytes in page-locked memory, which torch keeps for the next batch when it is free again.
batch::Buffer Pinned(const batch::Buffer& bytes) {
  const auto memory = std::make_shared<const torch::Tensor>(
      torch::empty({static_cast<int64_t>(bytes.size())},
                   torch::TensorOptions().dtype(torch::kUInt8).pinned_memory(true)));
  std::memcpy(memory->data_ptr<uint8_t>(), bytes.data(), bytes.size());
  return batch::Buffer::Wrap(memory->data_ptr<uint8_t>(), bytes.size(), memory);
}

}  // namespace

absl::Status PinTensors(batch::Batch& rows) {
  if (!torch::cuda::is_available()) return FailedPrecondition("there is no GPU to pin memory for");
  return models::Guard("pinning a batch", [&]() -> absl::Status {
    batch::Batch pinned = rows;
    for (const batch::Column& column : rows.columns()) {
      if (!BecomesTensor(column) || column.data.empty()) continue;
      batch::Column copy = column;
      copy.data = Pinned(column.data);
      RETURN_IF_ERROR(pinned.Set(std::move(copy)));
    }
    rows = std::move(pinned);
    return absl::OkStatus();
  });
}

absl::StatusOr<torch::Tensor> ToTensor(const batch::Column& column, int64_t num_rows) {
  const absl::StatusOr<torch::ScalarType> type = models::TensorType(column.type);
  if (!type.ok()) return InvalidArgument("column {} is not a column of numbers", column.name);
  return models::Guard("viewing column " + column.name, [&]() -> absl::StatusOr<torch::Tensor> {
    std::vector<int64_t> shape = column.shape;
    shape.insert(shape.begin(), num_rows);
    const auto options = torch::TensorOptions().dtype(*type);
    if (column.data.empty()) return torch::empty(shape, options);
    batch::Buffer kept = column.data;
    return torch::from_blob(
        kept.mutable_data(), shape, [kept](void*) {}, options);
  });
}

absl::StatusOr<TensorBatch> ToTensors(const batch::Batch& rows) {
  TensorBatch tensors;
  for (const batch::Column& column : rows.columns()) {
    if (!transform::IsInput(column.name)) continue;
    if (column.type == batch::DataType::kBinary) {
      RETURN_IF_ERROR(AddRagged(column, tensors));
      continue;
    }
    ASSIGN_OR_RETURN(tensors.inputs[column.name], ToTensor(column, rows.num_rows()));
  }
  const auto input = tensors.inputs.find(std::string(transform::kInputColumn));
  if (input == tensors.inputs.end()) return NotFound("the batch has no column input");
  tensors.input = input->second;
  if (const batch::Column* const target = rows.Find("target")) {
    ASSIGN_OR_RETURN(tensors.target, ToTensor(*target, rows.num_rows()));
  }
  if (const batch::Column* const weight = rows.Find(batch::kWeightColumn)) {
    ASSIGN_OR_RETURN(tensors.weight, ToTensor(*weight, rows.num_rows()));
  }
  return tensors;
}

}  // namespace tidemill::loader
