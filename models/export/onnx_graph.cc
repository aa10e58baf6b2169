#include "models/export/onnx_graph.h"

#include <cstring>

#include "base/check.h"

namespace tidemill::models {
namespace {

constexpr int64_t kIrVersion = 8;
constexpr int64_t kOpsetVersion = 17;
constexpr int64_t kMlOpsetVersion = 3;
constexpr char kMlDomain[] = "ai.onnx.ml";

// Fields of protobuf's wire format. onnx.proto has their numbers.
constexpr int kVarint = 0;
constexpr int kBytes = 2;
constexpr int kFourBytes = 5;

void AppendVarint(uint64_t number, std::string& out) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

void AppendInt(int field, int64_t number, std::string& out) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | kVarint, out);
  AppendVarint(static_cast<uint64_t>(number), out);
}

void AppendBytes(int field, std::string_view bytes, std::string& out) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | kBytes, out);
  AppendVarint(bytes.size(), out);
  out += bytes;
}

void AppendFloat(int field, float number, std::string& out) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | kFourBytes, out);
  char bytes[sizeof(number)];
  std::memcpy(bytes, &number, sizeof(number));
  out.append(bytes, sizeof(bytes));
}

template <typename T>
std::string BytesOf(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

std::string EncodeAttribute(const std::string& name, const OnnxAttribute& attribute) {
  constexpr int kType = 20;
  std::string out;
  AppendBytes(1, name, out);
  if (const auto* const number = std::get_if<int64_t>(&attribute)) {
    AppendInt(3, *number, out);
    AppendInt(kType, 2, out);
  } else if (const auto* const real = std::get_if<float>(&attribute)) {
    AppendFloat(2, *real, out);
    AppendInt(kType, 1, out);
  } else if (const auto* const text = std::get_if<std::string>(&attribute)) {
    AppendBytes(4, *text, out);
    AppendInt(kType, 3, out);
  } else if (const auto* const numbers = std::get_if<std::vector<int64_t>>(&attribute)) {
    for (const int64_t item : *numbers) AppendInt(8, item, out);
    AppendInt(kType, 7, out);
  } else if (const auto* const reals = std::get_if<std::vector<float>>(&attribute)) {
    for (const float item : *reals) AppendFloat(7, item, out);
    AppendInt(kType, 6, out);
  } else {
    for (const std::string& item : std::get<std::vector<std::string>>(attribute)) {
      AppendBytes(9, item, out);
    }
    AppendInt(kType, 8, out);
  }
  return out;
}

// A tensor [rows, ...].
std::string EncodeValue(const std::string& name, OnnxType type, const std::vector<int64_t>& row) {
  std::string shape;
  std::string rows;
  AppendBytes(2, "rows", rows);
  AppendBytes(1, rows, shape);
  for (const int64_t size : row) {
    std::string dimension;
    AppendInt(1, size, dimension);
    AppendBytes(1, dimension, shape);
  }
  std::string tensor;
  AppendInt(1, static_cast<int64_t>(type), tensor);
  AppendBytes(2, shape, tensor);
  std::string of_tensor;
  AppendBytes(1, tensor, of_tensor);
  std::string out;
  AppendBytes(1, name, out);
  AppendBytes(2, of_tensor, out);
  return out;
}

}  // namespace

OnnxType OnnxTypeOf(batch::DataType type) {
  switch (type) {
    case batch::DataType::kUInt8:
      return OnnxType::kUInt8;
    case batch::DataType::kInt32:
      return OnnxType::kInt32;
    case batch::DataType::kInt64:
      return OnnxType::kInt64;
    case batch::DataType::kFloat32:
      return OnnxType::kFloat;
    case batch::DataType::kFloat64:
      return OnnxType::kDouble;
    case batch::DataType::kBinary:
      break;
  }
  return OnnxType::kString;
}

void OnnxGraph::AddInput(const std::string& name, OnnxType type, const std::vector<int64_t>& row) {
  AppendBytes(11, EncodeValue(name, type, row), inputs_);
}

void OnnxGraph::AddOutput(const std::string& name, OnnxType type, const std::vector<int64_t>& row) {
  AppendBytes(12, EncodeValue(name, type, row), outputs_);
}

std::string OnnxGraph::Tensor(OnnxType type, const std::vector<int64_t>& shape,
                              std::string_view bytes) {
  const std::string name = NewName();
  std::string tensor;
  for (const int64_t size : shape) AppendInt(1, size, tensor);
  AppendInt(2, static_cast<int64_t>(type), tensor);
  AppendBytes(8, name, tensor);
  AppendBytes(9, bytes, tensor);
  AppendBytes(5, tensor, tensors_);
  return name;
}

std::string OnnxGraph::Integers(const std::vector<int64_t>& numbers) {
  return Tensor(OnnxType::kInt64, {std::ssize(numbers)}, BytesOf(numbers));
}

std::string OnnxGraph::Strings(const std::vector<std::string>& texts) {
  const std::string name = NewName();
  std::string tensor;
  AppendInt(1, std::ssize(texts), tensor);
  AppendInt(2, static_cast<int64_t>(OnnxType::kString), tensor);
  for (const std::string& text : texts) AppendBytes(6, text, tensor);
  AppendBytes(8, name, tensor);
  AppendBytes(5, tensor, tensors_);
  return name;
}

std::string OnnxGraph::Number(OnnxType type, double number) {
  if (type == OnnxType::kDouble) return Tensor(type, {}, BytesOf(std::vector<double>{number}));
  if (type == OnnxType::kFloat) {
    return Tensor(type, {}, BytesOf(std::vector<float>{static_cast<float>(number)}));
  }
  TIDEMILL_CHECK(type == OnnxType::kInt64);
  return Tensor(type, {}, BytesOf(std::vector<int64_t>{static_cast<int64_t>(number)}));
}

std::vector<std::string> OnnxGraph::Nodes(std::string_view op,
                                          const std::vector<std::string>& inputs,
                                          size_t num_outputs, const OnnxAttributes& attributes,
                                          std::string_view domain) {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < num_outputs; ++i) outputs.push_back(NewName());
  std::string node;
  for (const std::string& input : inputs) AppendBytes(1, input, node);
  for (const std::string& output : outputs) AppendBytes(2, output, node);
  AppendBytes(4, op, node);
  for (const auto& [name, value] : attributes) AppendBytes(5, EncodeAttribute(name, value), node);
  if (!domain.empty()) AppendBytes(7, domain, node);
  AppendBytes(1, node, nodes_);
  return outputs;
}

std::string OnnxGraph::Node(std::string_view op, const std::vector<std::string>& inputs,
                            const OnnxAttributes& attributes, std::string_view domain) {
  return Nodes(op, inputs, 1, attributes, domain).front();
}

std::string OnnxGraph::Cast(const std::string& from, OnnxType type) {
  return Node("Cast", {from}, {{"to", static_cast<int64_t>(type)}});
}

void OnnxGraph::Name(const std::string& from, const std::string& output) {
  std::string node;
  AppendBytes(1, from, node);
  AppendBytes(2, output, node);
  AppendBytes(4, "Identity", node);
  AppendBytes(1, node, nodes_);
}

std::string OnnxGraph::Encode(const std::map<std::string, std::string>& metadata) const {
  std::string graph = nodes_;
  AppendBytes(2, "model", graph);
  graph += tensors_ + inputs_ + outputs_;
  std::string out;
  AppendInt(1, kIrVersion, out);
  AppendBytes(2, "tidemill", out);
  AppendBytes(7, graph, out);
  for (const auto& [domain, version] :
       {std::pair<std::string, int64_t>("", kOpsetVersion),
        std::pair<std::string, int64_t>(kMlDomain, kMlOpsetVersion)}) {
    std::string opset;
    AppendBytes(1, domain, opset);
    AppendInt(2, version, opset);
    AppendBytes(8, opset, out);
  }
  for (const auto& [key, value] : metadata) {
    std::string entry;
    AppendBytes(1, key, entry);
    AppendBytes(2, value, entry);
    AppendBytes(14, entry, out);
  }
  return out;
}

}  // namespace tidemill::models
