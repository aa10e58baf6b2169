// Random and extreme arguments for operators of libtorch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "torch/script.h"
#include "torch/torch.h"

namespace tidemill::operators {

using Random = std::mt19937_64;

// Makes the arguments of one call: tensors of all types and layouts, whose sizes often fit one
// another, and numbers, lists, texts and types that often do not. The same random numbers give the
// same arguments. All tensors are small.
class RandomArguments {
 public:
  explicit RandomArguments(uint64_t seed);

  // std::nullopt where the schema has a type that no script can make here.
  std::optional<torch::jit::Stack> Make(const c10::FunctionSchema& schema);

  // A tensor with the sizes of another one, for its gradient.
  torch::Tensor GradientOf(const torch::Tensor& of);

 private:
  bool Chance(int percent);
  int64_t Below(int64_t end);
  int64_t Size();
  int64_t Whole(std::string_view name);
  double Real();
  std::string Text(std::string_view name);
  std::vector<int64_t> Shape(std::string_view name);
  c10::ScalarType TypeOf(std::string_view name);
  torch::Tensor Numbers(const std::vector<int64_t>& shape, c10::ScalarType type,
                        std::string_view name);
  torch::Tensor Plain(const std::vector<int64_t>& shape, c10::ScalarType type,
                      std::string_view name);
  torch::Tensor MakeTensor(std::string_view name);
  std::optional<c10::IValue> MakeValue(const c10::Argument& argument, const c10::TypePtr& type);
  std::optional<c10::IValue> MakeDict(const c10::Argument& argument, const c10::TypePtr& keys);
  std::optional<c10::IValue> MakeTuple(const c10::Argument& argument,
                                       c10::ArrayRef<c10::TypePtr> types);
  std::optional<c10::IValue> MakeList(const c10::Argument& argument, const c10::TypePtr& element);
  // What a recipe says (recipes.h).
  std::optional<torch::jit::Stack> Cook(const c10::FunctionSchema& schema, std::string_view recipe);
  c10::IValue Cooked(std::string_view text);
  int64_t SizeOf(std::string_view text);
  std::vector<int64_t> SizesOf(std::string_view text);
  torch::Tensor Learning(const std::vector<int64_t>& shape);
  torch::Tensor Places(std::string_view text);
  c10::List<torch::Tensor> Weights(const std::vector<int64_t>& sizes, int64_t gates);

  Random random_;
  // Sizes of this call by their letters in recipes.
  std::map<char, int64_t> letters_;
  // What tensors of this call have in common.
  std::vector<int64_t> sizes_;
  size_t dimensions_ = 2;
  c10::ScalarType type_ = c10::kFloat;
  std::vector<torch::Tensor> made_;
  int depth_ = 0;
};

}  // namespace tidemill::operators
