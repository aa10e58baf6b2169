#include "models/export/onnx_network.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/ranges.h"
#include "torch/script.h"

#include "models/export/network_trace.h"
#include "models/torch/guard.h"

// The trace is walked once, node by node. Values are of three kinds:
//
//   constants_   attributes, literals, sizes other than the batch's, and all that follows from them
//   lists_       lists and tuples, until an operator takes their items
//   names_       values of the ONNX graph, each made by ONNX nodes for one node of the trace
//
//   trace    x --> size(1) --> [-1, n] --> reshape --> linear --> relu
//   ONNX     x --------------------------> Reshape --> MatMul, Add --> Relu    n is a constant

namespace tidemill::models {
namespace {

namespace jit = torch::jit;

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

OnnxType TypeOf(torch::ScalarType type) {
  switch (type) {
    case torch::kLong:
      return OnnxType::kInt64;
    case torch::kInt:
      return OnnxType::kInt32;
    case torch::kByte:
      return OnnxType::kUInt8;
    case torch::kBool:
      return OnnxType::kBool;
    case torch::kDouble:
      return OnnxType::kDouble;
    default:
      return OnnxType::kFloat;
  }
}

// Operators with the same inputs, all of them tensors, in both.
const std::map<std::string_view, std::string_view>& SameOperators() {
  static const auto* const operators = new std::map<std::string_view, std::string_view>{
      {"relu", "Relu"},  {"sigmoid", "Sigmoid"}, {"tanh", "Tanh"}, {"matmul", "MatMul"},
      {"bmm", "MatMul"}, {"mm", "MatMul"},       {"mul", "Mul"},   {"div", "Div"},
      {"eq", "Equal"},   {"sqrt", "Sqrt"},       {"exp", "Exp"},   {"log", "Log"},
      {"relu_", "Relu"}, {"mul_", "Mul"},        {"div_", "Div"},  {"erf", "Erf"},
      {"neg", "Neg"}};
  return *operators;
}

// Walks over a trace. Throws c10::Error.
class NetworkWriter {
 public:
  NetworkWriter(OnnxGraph& onnx, std::unordered_map<const jit::Value*, std::string> names,
                std::unordered_map<const jit::Value*, jit::IValue> constants)
      : onnx_(onnx), names_(std::move(names)), constants_(std::move(constants)) {}

  absl::StatusOr<std::string> Write(jit::Graph& graph) {
    for (jit::Node* const node : graph.nodes()) WriteNode(*node);
    if (unknown_.empty()) return Name(graph.outputs()[0]);
    return FailedPrecondition("these operators of torch have no form in ONNX here: {}",
                              fmt::join(unknown_, ", "));
  }

 private:
  bool IsConstant(const jit::Value* value) const { return constants_.contains(value); }

  // The value of an attribute, a literal, or what follows from them.
  bool Fold(jit::Node& node) {
    const auto inputs = node.inputs();
    if (node.kind() == c10::prim::Constant) {
      constants_[node.output()] = *jit::toIValue(node.output());
      return true;
    }
    const bool all =
        std::ranges::all_of(inputs, [&](const jit::Value* v) { return IsConstant(v); });
    if (node.kind() == c10::prim::GetAttr) {
      constants_[node.output()] =
          constants_.at(inputs[0]).toObjectRef().getAttr(node.s(c10::attr::name));
      return true;
    }
    // Sizes but that of the batch are what they were for the trace.
    if (node.kind() == c10::aten::size && inputs.size() == 2) {
      const auto type = inputs[0]->type()->expect<c10::TensorType>();
      const auto sizes = type->sizes().concrete_sizes();
      const int64_t at = constants_.at(inputs[1]).toInt();
      if (!sizes || at == 0) return false;
      constants_[node.output()] =
          sizes->at(static_cast<size_t>(at < 0 ? at + std::ssize(*sizes) : at));
      return true;
    }
    if (!all || node.kind() == c10::prim::ListConstruct || node.outputs().size() != 1) return false;
    jit::Stack stack;
    for (const jit::Value* const input : inputs) stack.push_back(constants_.at(input));
    node.getOperation()(stack);
    constants_[node.output()] = stack.back();
    return true;
  }

  void WriteNode(jit::Node& node) {
    if (Fold(node)) return;
    if (node.kind() == c10::prim::ListConstruct || node.kind() == c10::prim::TupleConstruct) {
      lists_[node.output()] = {node.inputs().begin(), node.inputs().end()};
      return;
    }
    if (node.kind() == c10::prim::ListUnpack || node.kind() == c10::prim::TupleUnpack) {
      const Names parts = parts_.at(node.input());
      for (size_t i = 0; i < parts.size(); ++i) names_[node.outputs()[i]] = parts[i];
      return;
    }
    const std::string kind = node.kind().toUnqualString();
    node_ = &node;
    if (kind == "chunk") return Chunk();
    if (kind == "gru") return WriteGru();
    const std::optional<std::string> made = ValueOf(kind);
    if (!made) unknown_.insert(node.kind().toQualString());
    names_[node.outputs()[0]] = made.value_or("");
  }

  // The value as a tensor of the file.
  std::string Name(const jit::Value* value) {
    if (const auto found = names_.find(value); found != names_.end()) return found->second;
    const jit::IValue& constant = constants_.at(value);
    const torch::Tensor tensor = constant.isTensor() ? constant.toTensor()
                                 : constant.isInt()
                                     ? torch::tensor(constant.toInt(), torch::kInt64)
                                     : torch::tensor(constant.toDouble(), torch::kFloat32);
    return names_[value] = Tensor(tensor);
  }
  std::string Tensor(const torch::Tensor& tensor) {
    const torch::Tensor numbers = tensor.detach().to(torch::kCPU).contiguous();
    return onnx_.Tensor(TypeOf(numbers.scalar_type()), numbers.sizes().vec(),
                        {static_cast<const char*>(numbers.data_ptr()), numbers.nbytes()});
  }

  // The inputs of the node that is being written.
  std::string In(size_t i) { return Name(node_->inputs()[i]); }
  const jit::IValue& Literal(size_t i) const { return constants_.at(node_->inputs()[i]); }
  bool IsNone(size_t i) const { return IsConstant(node_->inputs()[i]) && Literal(i).isNone(); }
  int64_t Int(size_t i) const { return Literal(i).toInt(); }
  Ints IntsOf(size_t i) const {
    const jit::Value* const value = node_->inputs()[i];
    if (IsConstant(value)) return constants_.at(value).toIntVector();
    Ints ints;
    for (const jit::Value* const item : lists_.at(value)) {
      const jit::IValue& constant = constants_.at(item);
      ints.push_back(constant.isTensor() ? constant.toTensor().item<int64_t>() : constant.toInt());
    }
    return ints;
  }
  // The type and rank of an input, as traced.
  c10::TensorTypePtr Traced(size_t i) const {
    return node_->inputs()[i]->type()->expect<c10::TensorType>();
  }
  int64_t Rank(size_t i) const { return static_cast<int64_t>(*Traced(i)->dim()); }
  Ints Sizes(size_t i) const { return *Traced(i)->sizes().concrete_sizes(); }
  OnnxType Type(size_t i) const { return TypeOf(*Traced(i)->scalarType()); }
  // A number of the type of the first input.
  std::string NumberLikeFirst(size_t i) {
    if (!IsConstant(node_->inputs()[i]) || Literal(i).isTensor()) {
      // torch takes tensors without dimensions as numbers.
      if (IsConstant(node_->inputs()[i]) && Literal(i).toTensor().dim() == 0) {
        return onnx_.Number(Type(0), Literal(i).toTensor().item<double>());
      }
      return In(i);
    }
    return onnx_.Number(Type(0), Literal(i).toScalar().toDouble());
  }

  std::string Squeezed(const std::string& from, int64_t dimension) {
    return onnx_.Node("Squeeze", {from, onnx_.Integers({dimension})});
  }
  std::string Part(int64_t dimension, int64_t begin, int64_t end, int64_t step = 1) {
    return onnx_.Node("Slice", {In(0), onnx_.Integers({begin}), onnx_.Integers({end}),
                                onnx_.Integers({dimension}), onnx_.Integers({step})});
  }
  std::string Transposed(const std::string& from, int64_t rank, int64_t a, int64_t b) {
    Ints order(static_cast<size_t>(rank));
    for (int64_t i = 0; i < rank; ++i) order[static_cast<size_t>(i)] = i;
    std::swap(order[static_cast<size_t>(a < 0 ? a + rank : a)],
              order[static_cast<size_t>(b < 0 ? b + rank : b)]);
    return onnx_.Node("Transpose", {from}, {{"perm", order}});
  }

  std::string Linear() {
    const std::string product =
        onnx_.Node("MatMul", {In(0), onnx_.Node("Transpose", {In(1)}, {{"perm", Ints{1, 0}}})});
    return IsNone(2) ? product : onnx_.Node("Add", {product, In(2)});
  }

  // beta * bias + alpha * a b.
  std::optional<std::string> BiasedProduct() {
    if (Literal(3).toScalar().toDouble() != 1 || Literal(4).toScalar().toDouble() != 1) {
      return std::nullopt;
    }
    return onnx_.Node("Add", {onnx_.Node("MatMul", {In(1), In(2)}), In(0)});
  }

  // x + number * alpha.
  std::string Sum(std::string_view op) {
    std::string right = NumberLikeFirst(1);
    if (node_->inputs().size() > 2 && Literal(2).toScalar().toDouble() != 1) {
      right = onnx_.Node("Mul", {right, onnx_.Number(Type(0), Literal(2).toScalar().toDouble())});
    }
    return onnx_.Node(op, {In(0), right});
  }

  std::string Reshape() {
    Ints shape = IntsOf(1);
    return onnx_.Node("Reshape", {In(0), onnx_.Integers(shape)});
  }

  // One number for each dimension of an image or of a series; torch also takes one for all.
  Ints Spatial(size_t i) const {
    Ints numbers = IntsOf(i);
    if (numbers.size() == 1) numbers.resize(static_cast<size_t>(Rank(0)) - 2, numbers.front());
    return numbers;
  }

  // aten::_convolution and aten::conv1d, aten::conv2d.
  std::optional<std::string> Convolution(bool is_general) {
    Names inputs = {In(0), In(1)};
    if (!IsNone(2)) inputs.push_back(In(2));
    if (is_general && Literal(6).toBool()) return std::nullopt;  // Transposed.
    Ints pads = Spatial(4);
    const Ints same = pads;
    pads.insert(pads.end(), same.begin(), same.end());
    return onnx_.Node("Conv", inputs,
                      {{"strides", Spatial(3)},
                       {"pads", pads},
                       {"dilations", Spatial(5)},
                       {"group", Int(is_general ? 8 : 6)}});
  }

  // "MaxPool" or "AveragePool".
  std::string Pool(const char* operation) {
    Ints pads = Spatial(3);
    const Ints same = pads;
    pads.insert(pads.end(), same.begin(), same.end());
    Ints strides = Spatial(2);
    if (strides.empty()) strides = Spatial(1);
    return onnx_.Node(operation, {In(0)},
                      {{"kernel_shape", Spatial(1)}, {"strides", strides}, {"pads", pads}});
  }

  std::string LayerNorm() {
    Names inputs = {In(0), In(2)};
    if (!IsNone(3)) inputs.push_back(In(3));
    return onnx_.Node(
        "LayerNormalization", inputs,
        {{"axis", -std::ssize(IntsOf(1))}, {"epsilon", static_cast<float>(Literal(4).toDouble())}});
  }

  std::string Gelu() {
    // x / 2 * (1 + erf(x / sqrt(2))).
    const auto number = [&](double value) { return onnx_.Number(Type(0), value); };
    const std::string error =
        onnx_.Node("Erf", {onnx_.Node("Mul", {In(0), number(0.70710678118654752440)})});
    const std::string half = onnx_.Node("Mul", {In(0), number(0.5)});
    return onnx_.Node("Mul", {half, onnx_.Node("Add", {error, number(1)})});
  }

  // aten::sum and aten::mean over dimensions.
  std::string Reduced(bool is_mean) {
    const Ints axes = IntsOf(1);
    const auto kept = static_cast<int64_t>(Literal(2).toBool());
    if (is_mean) return onnx_.Node("ReduceMean", {In(0)}, {{"axes", axes}, {"keepdims", kept}});
    return onnx_.Node("ReduceSum", {In(0), onnx_.Integers(axes)}, {{"keepdims", kept}});
  }

  std::string Flatten() {
    const int64_t rank = Rank(0);
    const int64_t begin = Int(1);
    const int64_t end = Int(2) < 0 ? Int(2) + rank : Int(2);
    // 0 keeps a dimension.
    Ints shape(static_cast<size_t>(begin), 0);
    shape.push_back(-1);
    const Ints sizes = Sizes(0);
    shape.insert(shape.end(), sizes.begin() + end + 1, sizes.end());
    return onnx_.Node("Reshape", {In(0), onnx_.Integers(shape)});
  }

  std::string Pad() {
    const Ints sizes = IntsOf(1);
    const auto rank = static_cast<size_t>(Rank(0));
    Ints pads(2 * rank, 0);
    for (size_t i = 0; i < sizes.size() / 2; ++i) {
      pads[rank - 1 - i] = sizes[2 * i];
      pads[2 * rank - 1 - i] = sizes[2 * i + 1];
    }
    return onnx_.Node("Pad", {In(0), onnx_.Integers(pads),
                              onnx_.Number(Type(0), Literal(2).toScalar().toDouble())});
  }

  std::string Cat() {
    Names inputs;
    for (const jit::Value* const item : lists_.at(node_->inputs()[0])) inputs.push_back(Name(item));
    return onnx_.Node("Concat", inputs, {{"axis", Int(1)}});
  }

  std::string Cast() {
    const auto made = node_->output()->type()->expect<c10::TensorType>()->scalarType();
    return onnx_.Cast(In(0), TypeOf(made.value_or(torch::kFloat)));
  }

  std::string Clamped() {
    Names inputs = {In(0)};
    inputs.push_back(IsNone(1) ? "" : NumberLikeFirst(1));
    if (node_->inputs().size() > 2 && !IsNone(2)) inputs.push_back(NumberLikeFirst(2));
    return onnx_.Node("Clip", inputs);
  }

  std::string Masked() { return onnx_.Node("Where", {In(1), NumberLikeFirst(2), In(0)}); }

  // The zeros of a first state have a batch's rows, which -1 stands for in torch and 1 in ONNX.
  std::string Expanded() {
    Ints shape = IntsOf(1);
    for (int64_t& size : shape) size = size < 0 ? 1 : size;
    return onnx_.Node("Expand", {In(0), onnx_.Integers(shape)});
  }

  std::string BatchNorm() {
    return onnx_.Node("BatchNormalization", {In(0), In(1), In(2), In(3), In(4)},
                      {{"epsilon", static_cast<float>(Literal(7).toDouble())}});
  }

  std::optional<std::string> ValueOf(std::string_view kind) {
    if (kind == "linear") return Linear();
    if (kind == "addmm") return BiasedProduct();
    if (kind == "dropout" || kind == "contiguous" || kind == "detach" ||
        kind == "feature_dropout") {
      return In(0);
    }
    if (kind == "add" || kind == "add_") return Sum("Add");
    if (kind == "sub" || kind == "sub_") return Sum("Sub");
    if (kind == "embedding") return onnx_.Node("Gather", {In(0), In(1)}, {{"axis", int64_t{0}}});
    if (kind == "flatten") return Flatten();
    if (kind == "unsqueeze") return onnx_.Node("Unsqueeze", {In(0), onnx_.Integers({Int(1)})});
    if (kind == "squeeze") return Squeezed(In(0), Int(1));
    if (kind == "reshape" || kind == "view") return Reshape();
    if (kind == "_convolution") return Convolution(true);
    if (kind == "conv1d" || kind == "conv2d") return Convolution(false);
    if (kind == "max_pool2d") return Pool("MaxPool");
    if (kind == "avg_pool2d") return Pool("AveragePool");
    if (kind == "batch_norm") return BatchNorm();
    if (kind == "layer_norm") return LayerNorm();
    if (kind == "gelu") return Gelu();
    if (kind == "mean" || kind == "sum") return Reduced(kind == "mean");
    if (kind == "adaptive_avg_pool2d") return onnx_.Node("GlobalAveragePool", {In(0)});
    if (kind == "transpose") return Transposed(In(0), Rank(0), Int(1), Int(2));
    if (kind == "permute") return onnx_.Node("Transpose", {In(0)}, {{"perm", IntsOf(1)}});
    if (kind == "softmax") return onnx_.Node("Softmax", {In(0)}, {{"axis", Int(1)}});
    if (kind == "constant_pad_nd") return Pad();
    if (kind == "cat") return Cat();
    if (kind == "to" || kind == "type_as") return Cast();
    if (kind == "clamp_min" || kind == "clamp") return Clamped();
    if (kind == "masked_fill") return Masked();
    if (kind == "expand") return Expanded();
    if (kind == "zeros_like") return onnx_.Node("Sub", {In(0), In(0)});
    if (kind == "square") return onnx_.Node("Mul", {In(0), In(0)});
    if (kind == "pow") return onnx_.Node("Pow", {In(0), NumberLikeFirst(1)});
    if (kind == "index_select") return onnx_.Node("Gather", {In(0), In(2)}, {{"axis", Int(1)}});
    if (kind == "ne") {
      return onnx_.Node("Not", {onnx_.Node("Equal", {In(0), NumberLikeFirst(1)})});
    }
    if (kind == "select") {
      return onnx_.Node("Gather",
                        {In(0), onnx_.Number(OnnxType::kInt64, static_cast<double>(Int(2)))},
                        {{"axis", Int(1)}});
    }
    if (kind == "narrow") return Part(Int(1), Int(2), Int(2) + Int(3));
    if (kind == "slice") {
      return Part(Int(1), IsNone(2) ? 0 : Int(2),
                  IsNone(3) ? std::numeric_limits<int64_t>::max() : Int(3), Int(4));
    }
    const auto same = SameOperators().find(kind);
    if (same == SameOperators().end()) return std::nullopt;
    Names inputs = {In(0)};
    if (node_->inputs().size() > 1) inputs.push_back(NumberLikeFirst(1));
    return onnx_.Node(same->second, inputs);
  }

  void Chunk() {
    const int64_t count = Int(1);
    const int64_t dimension = Int(2);
    const int64_t rank = Rank(0);
    const int64_t axis = dimension < 0 ? dimension + rank : dimension;
    const int64_t size = Sizes(0)[static_cast<size_t>(axis)] / count;
    Names parts;
    for (int64_t i = 0; i < count; ++i) parts.push_back(Part(axis, i * size, (i + 1) * size));
    if (node_->outputs().size() > 1) {
      for (size_t i = 0; i < parts.size(); ++i) names_[node_->outputs()[i]] = parts[i];
    } else {
      parts_[node_->output()] = parts;
    }
  }

  // torch has the gates reset, update, new; ONNX update, reset, new.
  static torch::Tensor GatesOfOnnx(const torch::Tensor& gates) {
    const std::vector<torch::Tensor> parts = gates.chunk(3, 0);
    return torch::cat({parts[1], parts[0], parts[2]}, 0);
  }

  void WriteGru() {
    const std::vector<const jit::Value*>& list = lists_.at(node_->inputs()[2]);
    const auto weight = [&](size_t i) { return constants_.at(list[i]).toTensor(); };
    const auto layers = static_cast<size_t>(Int(4));
    if (!Literal(3).toBool() || Literal(7).toBool() || !Literal(8).toBool()) {
      unknown_.insert("aten::gru");
      return;
    }
    std::string series = Transposed(In(0), 3, 0, 1);
    for (size_t layer = 0; layer < layers; ++layer) {
      const torch::Tensor input = GatesOfOnnx(weight(4 * layer)).unsqueeze(0);
      const torch::Tensor state = GatesOfOnnx(weight(4 * layer + 1)).unsqueeze(0);
      const torch::Tensor biases =
          torch::cat({GatesOfOnnx(weight(4 * layer + 2)), GatesOfOnnx(weight(4 * layer + 3))}, 0)
              .unsqueeze(0);
      // The first state is zeros, which is what ONNX begins with.
      const std::string states =
          onnx_.Node("GRU", {series, Tensor(input), Tensor(state), Tensor(biases)},
                     {{"hidden_size", state.size(2)}, {"linear_before_reset", int64_t{1}}});
      series = Squeezed(states, 1);
    }
    names_[node_->outputs()[0]] = Transposed(series, 3, 0, 1);
  }

  OnnxGraph& onnx_;
  std::unordered_map<const jit::Value*, std::string> names_;
  std::unordered_map<const jit::Value*, jit::IValue> constants_;
  std::unordered_map<const jit::Value*, std::vector<const jit::Value*>> lists_;
  std::unordered_map<const jit::Value*, Names> parts_;
  std::set<std::string> unknown_;
  jit::Node* node_ = nullptr;
};

}  // namespace

absl::StatusOr<std::string> WriteOnnxNetwork(const Network& network,
                                             const std::map<std::string, std::string>& inputs,
                                             OnnxGraph& onnx) {
  if (!network.module->program().empty()) {
    return FailedPrecondition("the network is a program of a user, whose operators are not known");
  }
  return Guard("writing ONNX", [&]() -> absl::StatusOr<std::string> {
    const torch::NoGradGuard no_gradients;
    ASSIGN_OR_RETURN(const jit::Module module, NetworkScript(network));
    const std::shared_ptr<jit::Graph> graph = module.get_method("forward").graph();
    // The module itself, then the inputs in the order of their names.
    std::unordered_map<const jit::Value*, jit::IValue> constants = {
        {graph->inputs()[0], module._ivalue()}};
    std::unordered_map<const jit::Value*, std::string> names;
    size_t next = 1;
    for (const auto& [name, input] : network.inputs)
      names[graph->inputs()[next++]] = inputs.at(name);
    return NetworkWriter(onnx, std::move(names), std::move(constants)).Write(*graph);
  });
}

}  // namespace tidemill::models
