#include "models/export/onnx_model.h"

#include <array>
#include <string_view>
#include <utility>

#include "models/export/onnx_network.h"

namespace tidemill::models {
namespace {

constexpr std::array<std::string_view, 6> kOnnxOutputs = {"is_bad", "logits",  "probabilities",
                                                          "value",  "outputs", "class_name"};

void WriteClasses(const std::string& outputs, int64_t num_outputs, const AnswerSpec& answer,
                  OnnxGraph& onnx) {
  std::string logits = onnx.Node("Reshape", {outputs, onnx.Integers({-1, num_outputs})});
  if (answer.has_single_logit) {
    logits =
        onnx.Node("Concat", {onnx.Node("Sub", {logits, logits}), logits}, {{"axis", int64_t{1}}});
    ++num_outputs;
  }
  onnx.Name(logits, "logits");
  onnx.AddOutput("logits", OnnxType::kFloat, {num_outputs});
  onnx.Name(onnx.Node("Softmax", {logits}, {{"axis", int64_t{1}}}), "probabilities");
  onnx.AddOutput("probabilities", OnnxType::kFloat, {num_outputs});
  if (std::ssize(answer.classes) != num_outputs) return;
  const std::string place =
      onnx.Node("ArgMax", {logits}, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
  onnx.Name(onnx.Node("Gather", {onnx.Strings(answer.classes), place}), "class_name");
  onnx.AddOutput("class_name", OnnxType::kString, {});
}

void WriteValue(const std::string& outputs, const AnswerSpec& answer, OnnxGraph& onnx) {
  const auto number = [&](double value) { return onnx.Number(OnnxType::kDouble, value); };
  std::string value = onnx.Cast(outputs, OnnxType::kDouble);
  value = onnx.Node("Mul", {value, number(answer.deviation)});
  value = onnx.Node("Add", {value, number(answer.mean)});
  value = onnx.Node("Reshape", {onnx.Cast(value, OnnxType::kFloat), onnx.Integers({-1})});
  onnx.Name(value, "value");
  onnx.AddOutput("value", OnnxType::kFloat, {});
}

}  // namespace

absl::StatusOr<OnnxModel> MakeOnnxModel(const Network& network,
                                        const transform::PortableGraph& graph,
                                        const AnswerSpec& answer,
                                        const std::map<std::string, std::string>& metadata) {
  for (const transform::GivenColumn& column : graph.given()) {
    for (const std::string_view output : kOnnxOutputs) {
      if (column.schema.name != output) continue;
      return FailedPrecondition("the column {} has the name of an output of the file", output);
    }
  }
  OnnxGraph onnx;
  OnnxSteps steps = WriteOnnxSteps(graph, onnx);
  ASSIGN_OR_RETURN(const std::string made, WriteOnnxNetwork(network, steps.model_inputs, onnx));
  const std::string outputs = onnx.Cast(made, OnnxType::kFloat);
  if (answer.is_class) {
    WriteClasses(outputs, answer.num_outputs, answer, onnx);
  } else if (answer.is_single_number) {
    WriteValue(outputs, answer, onnx);
  } else {
    onnx.Name(outputs, "outputs");
    onnx.AddOutput("outputs", OnnxType::kFloat, {answer.num_outputs});
  }
  onnx.Name(steps.is_bad, "is_bad");
  onnx.AddOutput("is_bad", OnnxType::kBool, {});
  return OnnxModel{.bytes = onnx.Encode(metadata), .gaps = std::move(steps.gaps)};
}

}  // namespace tidemill::models
