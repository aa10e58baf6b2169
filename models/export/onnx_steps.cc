#include "models/export/onnx_steps.h"

#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "fmt/format.h"

namespace tidemill::models {
namespace {

using batch::DataType;
using transform::PortableGraph;
using transform::Step;
using transform::StepId;
using transform::StepKind;

// What ONNX has no operator for: empty when it has.
std::string_view GapOf(StepKind kind) {
  switch (kind) {
    case StepKind::kHashOfNumber:
    case StepKind::kHashOfText:
      return "hash";
    case StepKind::kPlacesOfWords:
      return "word_places";
    case StepKind::kHashesOfWords:
      return "word_hashes";
    default:
      return {};
  }
}

std::string_view OperatorOf(StepKind kind) {
  switch (kind) {
    case StepKind::kAdd:
      return "Add";
    case StepKind::kSubtract:
      return "Sub";
    case StepKind::kMultiply:
      return "Mul";
    case StepKind::kDivide:
      return "Div";
    case StepKind::kFloor:
      return "Floor";
    case StepKind::kRemainder:
      return "Mod";
    case StepKind::kPower:
      return "Pow";
    case StepKind::kAbsolute:
      return "Abs";
    case StepKind::kSquareRoot:
      return "Sqrt";
    case StepKind::kExponential:
      return "Exp";
    case StepKind::kLogarithm:
      return "Log";
    case StepKind::kSine:
      return "Sin";
    case StepKind::kIsMissing:
      return "IsNaN";
    case StepKind::kNot:
      return "Not";
    case StepKind::kAnd:
      return "And";
    case StepKind::kOr:
      return "Or";
    case StepKind::kEqual:
      return "Equal";
    case StepKind::kLess:
      return "Less";
    case StepKind::kGreaterOrEqual:
      return "GreaterOrEqual";
    case StepKind::kWhere:
      return "Where";
    case StepKind::kMatrixProduct:
      return "MatMul";
    default:
      return {};
  }
}

template <typename T>
std::string RawNumbers(const std::vector<double>& numbers) {
  std::string bytes;
  for (const double number : numbers) {
    const auto value = static_cast<T>(number);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

std::string RawNumbers(DataType type, const std::vector<double>& numbers) {
  switch (type) {
    case DataType::kUInt8:
      return RawNumbers<uint8_t>(numbers);
    case DataType::kInt32:
      return RawNumbers<int32_t>(numbers);
    case DataType::kInt64:
      return RawNumbers<int64_t>(numbers);
    case DataType::kFloat32:
      return RawNumbers<float>(numbers);
    case DataType::kFloat64:
    case DataType::kBinary:
      break;
  }
  return RawNumbers<double>(numbers);
}

class StepWriter {
 public:
  StepWriter(const PortableGraph& graph, OnnxGraph& onnx) : graph_(graph), onnx_(onnx) {}

  OnnxSteps Write() {
    FindNeeded();
    names_.resize(graph_.steps().size());
    for (StepId id = 0; id < std::ssize(graph_.steps()); ++id) {
      if (needed_[static_cast<size_t>(id)]) names_[static_cast<size_t>(id)] = ValueOf(id);
    }
    for (const auto& [name, step] : graph_.model_inputs()) {
      result_.model_inputs[name] = NameOf(step);
    }
    result_.is_bad = IsBad();
    return std::move(result_);
  }

 private:
  const std::string& NameOf(StepId id) const { return names_[static_cast<size_t>(id)]; }

  void FindNeeded() {
    needed_.assign(graph_.steps().size(), false);
    for (const auto& [name, step] : graph_.model_inputs())
      needed_[static_cast<size_t>(step)] = true;
    for (const StepId step : graph_.rejects()) needed_[static_cast<size_t>(step)] = true;
    for (size_t i = needed_.size(); i-- > 0;) {
      const Step& step = graph_.steps()[i];
      if (!needed_[i] || !GapOf(step.kind).empty()) continue;
      for (const StepId input : step.inputs) needed_[static_cast<size_t>(input)] = true;
    }
  }

  std::string GivenFor(const Step& step) {
    const Step& from = graph_.step(step.inputs.front());
    const std::string wanted =
        fmt::format("{}_{}", from.name.empty() ? "column" : from.name, GapOf(step.kind));
    std::string name = wanted;
    for (int i = 2; !gap_names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    onnx_.AddInput(name, OnnxType::kInt64, step.shape);
    result_.gaps.push_back(
        {name, fmt::format("ONNX has no operator for hashes or for the words of a text; `model.pt` "
                           "makes this of `{}`",
                           from.name)});
    return name;
  }

  std::string IsBad() {
    const auto& [first, step] = *graph_.model_inputs().begin();
    // False for every row, in the number of rows.
    const std::string flat = onnx_.Node("Flatten", {NameOf(step)}, {{"axis", int64_t{1}}});
    const std::string one =
        onnx_.Node("Slice", {flat, onnx_.Integers({0}), onnx_.Integers({1}), onnx_.Integers({1})});
    const std::string column =
        onnx_.Cast(onnx_.Node("Reshape", {one, onnx_.Integers({-1})}), OnnxType::kInt32);
    std::string bad = onnx_.Node("Less", {column, column});
    for (const StepId reject : graph_.rejects()) bad = onnx_.Node("Or", {bad, NameOf(reject)});
    return bad;
  }

  std::string WithRows(const std::vector<int64_t>& shape) {
    std::vector<int64_t> whole = shape;
    whole.insert(whole.begin(), -1);
    return onnx_.Integers(whole);
  }

  std::string Pad(const Step& step, const std::string& from) {
    const auto rank = static_cast<int64_t>(step.shape.size());
    std::vector<int64_t> pads = {0};
    pads.insert(pads.end(), step.settings.begin(), step.settings.begin() + rank);
    pads.push_back(0);
    pads.insert(pads.end(), step.settings.begin() + rank, step.settings.end());
    return onnx_.Node(
        "Pad", {from, onnx_.Integers(pads),
                onnx_.Tensor(OnnxTypeOf(step.type), {}, RawNumbers(step.type, step.numbers))});
  }

  std::string Slice(const Step& step, const std::string& from) {
    return onnx_.Node("Slice",
                      {from, onnx_.Integers({step.settings[1]}), onnx_.Integers({step.settings[2]}),
                       onnx_.Integers({step.settings[0] + 1})});
  }

  std::string Reverse(const Step& step, const std::string& from) {
    return onnx_.Node(
        "Slice", {from, onnx_.Integers({-1}), onnx_.Integers({std::numeric_limits<int64_t>::min()}),
                  onnx_.Integers({step.settings[0] + 1}), onnx_.Integers({-1})});
  }

  std::string AnyOfRow(const std::string& from) {
    const std::string flat = onnx_.Node("Flatten", {from}, {{"axis", int64_t{1}}});
    const std::string most =
        onnx_.Node("ReduceMax", {onnx_.Cast(flat, OnnxType::kInt32)},
                   {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}});
    return onnx_.Cast(most, OnnxType::kBool);
  }

  std::string IsFinite(const Step& step, const std::string& from) {
    // Infinity less itself is not a number.
    const batch::DataType type = graph_.step(step.inputs.front()).type;
    return onnx_.Node("Equal",
                      {onnx_.Node("Sub", {from, from}), onnx_.Number(OnnxTypeOf(type), 0)});
  }

  std::string ValueOf(StepId id) {
    const Step& step = graph_.step(id);
    if (!GapOf(step.kind).empty()) return GivenFor(step);
    std::vector<std::string> in;
    for (const StepId input : step.inputs) in.push_back(NameOf(input));
    switch (step.kind) {
      case StepKind::kRead:
        onnx_.AddInput(step.name, OnnxTypeOf(step.type), step.shape);
        return step.name;
      case StepKind::kConstant:
        return onnx_.Tensor(OnnxTypeOf(step.type), step.shape, RawNumbers(step.type, step.numbers));
      case StepKind::kCast:
        return onnx_.Cast(in[0], OnnxTypeOf(step.type));
      case StepKind::kFloatRemainder:
        return onnx_.Node("Mod", in, {{"fmod", int64_t{1}}});
      case StepKind::kFloorDivide:
        // Div rounds towards zero.
        return onnx_.Node("Div",
                          {onnx_.Node("Sub", {in[0], onnx_.Node("Mod", {in[0], in[1]})}), in[1]});
      case StepKind::kLog1p:
        return onnx_.Node("Log", {onnx_.Node("Add", {in[0], onnx_.Number(OnnxType::kDouble, 1)})});
      case StepKind::kIsFinite:
        return IsFinite(step, in[0]);
      case StepKind::kAnyOfRow:
        return AnyOfRow(in[0]);
      case StepKind::kSumOfLast:
        return onnx_.Node("ReduceSum", {in[0], onnx_.Integers({-1})}, {{"keepdims", int64_t{0}}});
      case StepKind::kReshape:
        return onnx_.Node("Reshape", {in[0], WithRows(step.shape)});
      case StepKind::kConcatenate:
        return onnx_.Node("Concat", in, {{"axis", step.settings[0] + 1}});
      case StepKind::kSlice:
        return Slice(step, in[0]);
      case StepKind::kReverse:
        return Reverse(step, in[0]);
      case StepKind::kPad:
        return Pad(step, in[0]);
      case StepKind::kRepeat:
        return onnx_.Node("Expand", {in[0], onnx_.Integers({1, step.settings[0]})});
      case StepKind::kTranspose: {
        std::vector<int64_t> order = {0};
        for (const int64_t i : step.settings) order.push_back(i + 1);
        return onnx_.Node("Transpose", in, {{"perm", order}});
      }
      case StepKind::kPlaceOfText: {
        std::vector<int64_t> places;
        for (size_t i = 0; i < step.words.size(); ++i) places.push_back(static_cast<int64_t>(i));
        return onnx_.Node("LabelEncoder", in,
                          {{"keys_strings", step.words},
                           {"values_int64s", places},
                           {"default_int64", int64_t{-1}}},
                          "ai.onnx.ml");
      }
      default:
        return onnx_.Node(OperatorOf(step.kind), in);
    }
  }

  const PortableGraph& graph_;
  OnnxGraph& onnx_;
  OnnxSteps result_;
  std::vector<bool> needed_;
  std::vector<std::string> names_;
  std::set<std::string> gap_names_;
};

}  // namespace

OnnxSteps WriteOnnxSteps(const PortableGraph& graph, OnnxGraph& onnx) {
  return StepWriter(graph, onnx).Write();
}

}  // namespace tidemill::models
