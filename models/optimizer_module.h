// The part of an optimiser that needs libtorch: its steps, and the state of a parameter as arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "models/torch/safetensors.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

// Writes the state of one parameter. Thread-compatible.
class ParameterStateWriter {
 public:
  // Names begin with `stem`. The arrays are views of `kept`.
  ParameterStateWriter(std::string stem, TensorFile& file, std::vector<torch::Tensor>& kept);

  void Put(const std::string& name, const torch::Tensor& tensor);
  void PutStep(int64_t step);
  void PutNumber(const std::string& name, double number);

 private:
  const std::string stem_;
  TensorFile& file_;
  std::vector<torch::Tensor>& kept_;
};

// Reads the state of one parameter. Thread-compatible.
class ParameterStateReader {
 public:
  ParameterStateReader(std::string stem, const TensorFile& file, const torch::Tensor& parameter);

  bool Has(const std::string& name) const;
  // Returns an array with the parameter's shape, on its device. DATA_LOSS.
  absl::StatusOr<torch::Tensor> Get(const std::string& name) const;
  absl::StatusOr<int64_t> GetStep() const;
  absl::StatusOr<double> GetNumber(const std::string& name) const;

 private:
  const std::string stem_;
  const TensorFile& file_;
  const torch::Tensor& parameter_;
};

using ParameterState = torch::optim::OptimizerParamState;

// Thread-safe.
class OptimizerModule {
 public:
  virtual ~OptimizerModule() = default;

  // Makes libtorch's optimiser for these parameters. Throws c10::Error: call it in Guard().
  virtual std::unique_ptr<torch::optim::Optimizer> Make(
      const std::vector<torch::Tensor>& parameters) const = 0;

  // Writes everything that later steps depend on. `state` is from an optimiser of Make().
  virtual void Save(const ParameterState& state, ParameterStateWriter& writer) const = 0;
  // Reads what Save() wrote. nullptr when it wrote nothing. DATA_LOSS when it does not fit.
  virtual absl::StatusOr<std::unique_ptr<ParameterState>> Load(
      const ParameterStateReader& reader) const = 0;
};

}  // namespace tidemill::models
