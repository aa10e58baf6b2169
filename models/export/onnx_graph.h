// A graph of ONNX, written node by node.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "batch/batch.h"

namespace tidemill::models {

// ONNX's numbers for types of tensors.
enum class OnnxType {
  kFloat = 1,
  kUInt8 = 2,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kDouble = 11,
};

OnnxType OnnxTypeOf(batch::DataType type);

using OnnxAttribute = std::variant<int64_t, float, std::string, std::vector<int64_t>,
                                   std::vector<float>, std::vector<std::string>>;
using OnnxAttributes = std::map<std::string, OnnxAttribute>;

// Values are known by names. Generated names contain a blank, so that they are never names of
// columns. Thread-compatible.
class OnnxGraph {
 public:
  // A tensor of any number of rows, each of this shape.
  void AddInput(const std::string& name, OnnxType type, const std::vector<int64_t>& row);
  void AddOutput(const std::string& name, OnnxType type, const std::vector<int64_t>& row);

  // Returns the name of the tensor. `bytes` are its numbers as they are in memory.
  std::string Tensor(OnnxType type, const std::vector<int64_t>& shape, std::string_view bytes);
  std::string Integers(const std::vector<int64_t>& numbers);
  std::string Strings(const std::vector<std::string>& texts);
  // One number, without a shape.
  std::string Number(OnnxType type, double number);

  // Returns the name of the only output.
  std::string Node(std::string_view op, const std::vector<std::string>& inputs,
                   const OnnxAttributes& attributes = {}, std::string_view domain = "");
  std::vector<std::string> Nodes(std::string_view op, const std::vector<std::string>& inputs,
                                 size_t num_outputs, const OnnxAttributes& attributes = {},
                                 std::string_view domain = "");
  std::string Cast(const std::string& from, OnnxType type);
  // Gives a value the name of an output.
  void Name(const std::string& from, const std::string& output);

  // Returns the file, with texts about the model by their names.
  std::string Encode(const std::map<std::string, std::string>& metadata) const;

 private:
  std::string NewName() { return "value " + std::to_string(++num_names_); }

  std::string nodes_;
  std::string tensors_;
  std::string inputs_;
  std::string outputs_;
  int64_t num_names_ = 0;
};

}  // namespace tidemill::models
