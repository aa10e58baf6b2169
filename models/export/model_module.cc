#include "models/export/model_module.h"

#include <utility>

#include "models/class_logits.h"
#include "models/export/network_trace.h"
#include "models/torch/guard.h"
#include "transform/graph.h"

namespace tidemill::models {
namespace {

namespace jit = torch::jit;

using batch::DataType;
using transform::GivenColumn;
using transform::PortableGraph;
using transform::Step;

// The name of the only number of each answer, or of each of its probabilities.
constexpr char kProbabilities[] = "probabilities";
constexpr char kValue[] = "value";
constexpr char kOutputs[] = "outputs";
constexpr char kIsBad[] = "is_bad";

torch::Dtype TypeOf(DataType type) {
  switch (type) {
    case DataType::kUInt8:
      return torch::kUInt8;
    case DataType::kInt32:
      return torch::kInt32;
    case DataType::kInt64:
      return torch::kInt64;
    case DataType::kFloat32:
      return torch::kFloat32;
    case DataType::kFloat64:
    case DataType::kBinary:
      break;
  }
  return torch::kFloat64;
}

torch::Tensor TensorOf(const Step& step) {
  return torch::tensor(step.numbers, torch::kFloat64).to(TypeOf(step.type)).reshape(step.shape);
}

c10::Dict<std::string, int64_t> PlacesOf(const std::vector<std::string>& words) {
  c10::Dict<std::string, int64_t> places;
  for (size_t i = 0; i < words.size(); ++i) places.insert(words[i], static_cast<int64_t>(i));
  return places;
}

// Shares the numbers of the column.
torch::Tensor TensorOf(const batch::Column& column, int64_t num_rows) {
  std::vector<int64_t> shape = column.shape;
  shape.insert(shape.begin(), num_rows);
  // torch only reads through this pointer.
  void* const numbers = const_cast<std::byte*>(column.data.data());
  return torch::from_blob(numbers, shape, TypeOf(column.type));
}

std::vector<jit::IValue> ArgumentsOf(const PortableGraph& graph, const batch::Batch& given) {
  c10::Dict<std::string, torch::Tensor> numbers;
  c10::Dict<std::string, c10::List<std::string>> texts;
  for (const GivenColumn& column : graph.given()) {
    const batch::Column& values = *given.Find(column.schema.name);
    if (values.type == DataType::kBinary) {
      c10::List<std::string> list;
      for (int64_t row = 0; row < given.num_rows(); ++row) {
        list.push_back(std::string(values.Bytes(row)));
      }
      texts.insert(values.name, list);
    } else {
      const torch::Tensor tensor = TensorOf(values, given.num_rows());
      numbers.insert(values.name, column.channels_last ? tensor.permute({0, 2, 3, 1}) : tensor);
    }
  }
  return {numbers, texts};
}

Answers Pack(const torch::Tensor& answers, int64_t num_rows) {
  const torch::Tensor numbers = answers.to(torch::kFloat32).contiguous();
  const auto* const first = numbers.data_ptr<float>();
  Answers packed{.numbers = {first, first + numbers.numel()},
                 .width = num_rows == 0 ? 0 : numbers.numel() / num_rows};
  packed.bad.resize(static_cast<size_t>(num_rows));
  return packed;
}

}  // namespace

absl::StatusOr<jit::Module> MakeModelModule(const Network& network, const PortableGraph& graph,
                                            const AnswerSpec& answer) {
  return Guard("writing TorchScript", [&]() -> absl::StatusOr<jit::Module> {
    const torch::NoGradGuard no_gradients;
    ASSIGN_OR_RETURN(jit::Module of_network, NetworkScript(network));
    const ScriptSource source = WriteScript(graph, answer);
    jit::Module module("Model");
    module.register_attribute("training", c10::BoolType::get(), false);
    module.register_module("network", of_network);
    for (const auto& [name, step] : source.tensors) {
      module.register_buffer(name, TensorOf(graph.step(step)));
    }
    for (const auto& [name, step] : source.places) {
      module.register_attribute(name,
                                c10::DictType::create(c10::StringType::get(), c10::IntType::get()),
                                PlacesOf(graph.step(step).words));
    }
    for (const auto& [name, numbers] : source.lists) {
      module.register_attribute(name, c10::ListType::ofInts(),
                                c10::List<int64_t>(c10::ArrayRef<int64_t>(numbers)));
    }
    module.define(source.methods);
    // The file is for predictions, not for training.
    for (torch::Tensor parameter : module.parameters()) parameter.set_requires_grad(false);
    return module;
  });
}

absl::StatusOr<Answers> AnswersOf(jit::Module& module, const PortableGraph& graph,
                                  const AnswerSpec& answer, const batch::Batch& given) {
  return Guard("running the TorchScript file", [&]() -> absl::StatusOr<Answers> {
    const torch::NoGradGuard no_gradients;
    const auto made = module.forward(ArgumentsOf(graph, given)).toGenericDict();
    const char* const name = answer.is_class           ? kProbabilities
                             : answer.is_single_number ? kValue
                                                       : kOutputs;
    Answers answers = Pack(made.at(name).toTensor(), given.num_rows());
    const torch::Tensor bad = made.at(kIsBad).toTensor().contiguous();
    for (int64_t row = 0; row < given.num_rows(); ++row) {
      answers.bad[static_cast<size_t>(row)] = bad.data_ptr<bool>()[row];
    }
    return answers;
  });
}

absl::StatusOr<Answers> ExpectedAnswers(const Network& network, const AnswerSpec& answer,
                                        const batch::Batch& made) {
  return Guard("running the network", [&]() -> absl::StatusOr<Answers> {
    const torch::NoGradGuard no_gradients;
    const int64_t num_rows = made.num_rows();
    Inputs inputs;
    for (const batch::Column& column : made.columns()) {
      if (transform::IsInput(column.name)) inputs[column.name] = TensorOf(column, num_rows);
    }
    RETURN_IF_ERROR(network.Check(inputs));
    torch::Tensor outputs = network.Forward(inputs);
    if (answer.is_class) {
      const ClassOutputs kind =
          answer.has_single_logit ? ClassOutputs::kSigmoid : ClassOutputs::kSoftmax;
      outputs = ClassLogits(outputs.reshape({num_rows, -1}), kind).softmax(1);
    } else if (answer.is_single_number) {
      outputs = outputs.to(torch::kFloat64) * answer.deviation + answer.mean;
    }
    return Pack(outputs, num_rows);
  });
}

}  // namespace tidemill::models
