#include "models/optimizer_module.h"

#include <utility>

#include "models/network.h"

namespace tidemill::models {
namespace {

// One array of a file on the device of `like`.
absl::StatusOr<torch::Tensor> Find(const TensorFile& file, const std::string& name,
                                   const torch::Tensor& like) {
  const auto it = file.tensors.find(name);
  if (it == file.tensors.end()) return DataLoss("there is no {}", name);
  ASSIGN_OR_RETURN(const torch::Tensor tensor, TensorOf(it->second));
  if (tensor.sizes() != like.sizes()) return DataLoss("{} has another shape", name);
  return tensor.to(like.device());
}

}  // namespace

ParameterStateWriter::ParameterStateWriter(std::string stem, TensorFile& file,
                                           std::vector<torch::Tensor>& kept)
    : stem_(std::move(stem)), file_(file), kept_(kept) {}

void ParameterStateWriter::Put(const std::string& name, const torch::Tensor& tensor) {
  file_.tensors[stem_ + name] = BytesOf(tensor, kept_);
}

void ParameterStateWriter::PutStep(int64_t step) {
  Put("step", torch::tensor({step}, torch::kInt64));
}

void ParameterStateWriter::PutNumber(const std::string& name, double number) {
  Put(name, torch::tensor({number}, torch::kFloat64));
}

ParameterStateReader::ParameterStateReader(std::string stem, const TensorFile& file,
                                           const torch::Tensor& parameter)
    : stem_(std::move(stem)), file_(file), parameter_(parameter) {}

bool ParameterStateReader::Has(const std::string& name) const {
  return file_.tensors.contains(stem_ + name);
}

absl::StatusOr<torch::Tensor> ParameterStateReader::Get(const std::string& name) const {
  return Find(file_, stem_ + name, parameter_);
}

absl::StatusOr<int64_t> ParameterStateReader::GetStep() const {
  ASSIGN_OR_RETURN(const torch::Tensor step,
                   Find(file_, stem_ + "step", torch::zeros({1}, torch::kInt64)));
  return step.item<int64_t>();
}

absl::StatusOr<double> ParameterStateReader::GetNumber(const std::string& name) const {
  ASSIGN_OR_RETURN(const torch::Tensor number,
                   Find(file_, stem_ + name, torch::zeros({1}, torch::kFloat64)));
  return number.item<double>();
}

}  // namespace tidemill::models
