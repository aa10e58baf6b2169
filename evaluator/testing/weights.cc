#include "evaluator/testing/weights.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "models/torch/safetensors.h"

namespace tidemill::evaluator::testing {
namespace {

std::string_view BytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// Numbers between -1 and 1 that follow no line.
std::vector<float> Numbers(int64_t count, double step) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<float>(std::sin(step * static_cast<double>(i + 1))));
  }
  return numbers;
}

constexpr double kWeightStep = 1.7;
constexpr double kBiasStep = 2.9;

}  // namespace

std::string LinearWeights(float threshold) {
  const std::vector<float> weight = {0.0F, 1.0F};
  const std::vector<float> bias = {threshold, 0.0F};
  return *models::WriteTensorFile(
      {.tensors = {{"output.weight", {.dtype = "F32", .shape = {2, 1}, .bytes = BytesOf(weight)}},
                   {"output.bias", {.dtype = "F32", .shape = {2}, .bytes = BytesOf(bias)}}},
       .metadata = {{"input_shape", "1"}}});
}

std::string HiddenWeights(int64_t hidden) {
  const std::vector<float> weight = Numbers(hidden, kWeightStep);
  const std::vector<float> bias = Numbers(hidden, kBiasStep);
  const std::vector<float> last = Numbers(2 * hidden, 0.7);
  const std::vector<float> last_bias = {0.25F, -0.5F};
  return *models::WriteTensorFile(
      {.tensors = {{"hidden1.weight",
                    {.dtype = "F32", .shape = {hidden, 1}, .bytes = BytesOf(weight)}},
                   {"hidden1.bias", {.dtype = "F32", .shape = {hidden}, .bytes = BytesOf(bias)}},
                   {"output.weight",
                    {.dtype = "F32", .shape = {2, hidden}, .bytes = BytesOf(last)}},
                   {"output.bias", {.dtype = "F32", .shape = {2}, .bytes = BytesOf(last_bias)}}},
       .metadata = {{"input_shape", "1"}}});
}

std::vector<double> HiddenUnits(int64_t hidden, double x) {
  const std::vector<float> weight = Numbers(hidden, kWeightStep);
  const std::vector<float> bias = Numbers(hidden, kBiasStep);
  std::vector<double> units;
  for (size_t i = 0; i < weight.size(); ++i) {
    units.push_back(
        std::max(0.0, static_cast<double>(weight[i]) * x + static_cast<double>(bias[i])));
  }
  return units;
}

}  // namespace tidemill::evaluator::testing
