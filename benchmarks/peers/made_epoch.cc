#include "benchmarks/peers/made_epoch.h"

#include <fstream>

#include "torch/torch.h"

#include "loader/tensors.h"

namespace tidemill::benchmarks {
namespace {

void Write(std::ofstream& file, const torch::Tensor& tensor) {
  const torch::Tensor whole = tensor.contiguous();
  file.write(static_cast<const char*>(whole.data_ptr()),
             static_cast<std::streamsize>(whole.nbytes()));
}

// Writes a batch as the runner reads it: the number of its samples, then labels, numbers and
// categories; or labels and every fourth pixel of every fourth line.
void WriteForCheck(std::ofstream& file, const loader::TensorBatch& batch) {
  Write(file, torch::tensor({batch.target.size(0)}, torch::kInt64));
  Write(file, batch.target);
  const auto categories = batch.inputs.find("input_categories");
  if (categories != batch.inputs.end()) {
    Write(file, batch.input);
    Write(file, categories->second);
  } else {
    using torch::indexing::Slice;
    const Slice fourth(torch::indexing::None, torch::indexing::None, 4);
    Write(file, batch.input.index({Slice(), Slice(), fourth, fourth}));
  }
}

}  // namespace

absl::StatusOr<int64_t> ReadEpoch(loader::BatchSource& source, const std::string& check_file) {
  std::ofstream file;
  if (!check_file.empty()) file.open(check_file, std::ios::binary);
  int64_t num_samples = 0;
  while (true) {
    ASSIGN_OR_RETURN(const auto next, source.Next());
    if (!next) break;
    ASSIGN_OR_RETURN(const loader::TensorBatch tensors, loader::ToTensors(next->rows));
    num_samples += tensors.target.size(0);
    if (!check_file.empty()) WriteForCheck(file, tensors);
  }
  if (!check_file.empty() && !file.flush()) return Internal("cannot write {}", check_file);
  return num_samples;
}

}  // namespace tidemill::benchmarks
