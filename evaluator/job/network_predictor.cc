#include "evaluator/job/network_predictor.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "torch/torch.h"

#include "models/class_logits.h"
#include "models/network.h"
#include "models/network_sandbox.h"
#include "models/torch/guard.h"
#include "models/torch/torch_device.h"
#include "transform/graph.h"

namespace tidemill::evaluator {
namespace {

class NetworkPredictor final : public Predictor {
 public:
  NetworkPredictor(models::Network network, models::ClassOutputs class_outputs,
                   const torch::Device& device)
      : network_(std::move(network)), class_outputs_(class_outputs), device_(device) {}

  absl::StatusOr<ClassPredictions> PredictClasses(const batch::Batch& rows,
                                                  bool with_probabilities) override {
    return models::Guard("predicting classes", [&]() -> absl::StatusOr<ClassPredictions> {
      const torch::NoGradGuard no_gradients;
      const int64_t num_rows = rows.num_rows();
      ASSIGN_OR_RETURN(torch::Tensor outputs, Forward(rows));
      outputs = models::ClassLogits(outputs.reshape({num_rows, -1}), class_outputs_);
      ClassPredictions predictions{.num_classes = outputs.size(1)};
      const torch::Tensor classes = Here(outputs.argmax(1));
      const auto* first_class = classes.data_ptr<int64_t>();
      predictions.classes.assign(first_class, first_class + num_rows);
      if (!with_probabilities) return predictions;
      const torch::Tensor shares = Here(outputs.softmax(1).to(torch::kFloat32));
      const auto* first_share = shares.data_ptr<float>();
      predictions.probabilities.assign(first_share, first_share + shares.numel());
      return predictions;
    });
  }

  absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) override {
    return models::Guard("predicting values", [&]() -> absl::StatusOr<std::vector<float>> {
      const torch::NoGradGuard no_gradients;
      const int64_t num_rows = rows.num_rows();
      ASSIGN_OR_RETURN(const torch::Tensor outputs, Forward(rows));
      const torch::Tensor values = Here(outputs);
      if (values.numel() != num_rows) {
        return FailedPrecondition("the network gives {} numbers for a sample instead of one",
                                  values.numel() / num_rows);
      }
      const auto* first = values.data_ptr<float>();
      return std::vector<float>(first, first + num_rows);
    });
  }

  absl::StatusOr<Embeddings> Embed(const batch::Batch& rows) override {
    return models::Guard("embedding samples", [&]() -> absl::StatusOr<Embeddings> {
      const torch::NoGradGuard no_gradients;
      const models::Inputs inputs = InputsOf(rows);
      RETURN_IF_ERROR(network_.Check(inputs));
      ASSIGN_OR_RETURN(torch::Tensor embedded, network_.Embed(OnDevice(inputs)));
      embedded = Here(embedded);
      const auto* first = embedded.data_ptr<float>();
      return Embeddings{.numbers = std::vector<float>(first, first + embedded.numel()),
                        .width = embedded.size(1)};
    });
  }

 private:
  static models::Inputs InputsOf(const batch::Batch& rows) {
    models::Inputs inputs;
    for (const batch::Column& column : rows.columns()) {
      if (!transform::IsInput(column.name)) continue;
      std::vector<int64_t> shape = column.shape;
      shape.insert(shape.begin(), rows.num_rows());
      // torch only reads through this pointer: nothing here writes to the input.
      void* numbers = const_cast<std::byte*>(column.data.data());
      const bool is_integer = column.type == batch::DataType::kInt64;
      inputs[column.name] =
          torch::from_blob(numbers, shape, is_integer ? torch::kInt64 : torch::kFloat32);
    }
    return inputs;
  }

  // Throws c10::Error.
  absl::StatusOr<torch::Tensor> Forward(const batch::Batch& rows) {
    const models::Inputs inputs = InputsOf(rows);
    RETURN_IF_ERROR(network_.Check(inputs));
    return network_.Forward(OnDevice(inputs));
  }

  // The inputs are checked where they are, which costs no wait for the device.
  models::Inputs OnDevice(models::Inputs inputs) const {
    if (device_.is_cpu()) return inputs;
    for (auto& [name, input] : inputs) input = input.to(device_);
    return inputs;
  }
  static torch::Tensor Here(const torch::Tensor& answers) {
    return answers.to(torch::kCPU).contiguous();
  }

  models::Network network_;
  const models::ClassOutputs class_outputs_;
  const torch::Device device_;
};

}  // namespace

absl::StatusOr<Arithmetic> ArithmeticOfNetworks(const devices::OwnedDevice& device) {
  ASSIGN_OR_RETURN(const torch::Device computes_on, models::TorchDeviceOf(device));
  return Arithmetic{.make_predictor =
                        [computes_on](const models::ModelSpec& spec, std::string_view weights,
                                      models::ClassOutputs class_outputs) {
                          return MakeNetworkPredictor(spec, weights, class_outputs, computes_on);
                        },
                    .set_threads = SetArithmeticThreads,
                    .enter_sandbox =
                        [is_gpu = device.is_gpu()](models::SandboxedJob job) {
                          job.uses_gpu = is_gpu;
                          return models::EnterNetworkSandbox(job);
                        }};
}

absl::StatusOr<std::unique_ptr<Predictor>> MakeNetworkPredictor(const models::ModelSpec& spec,
                                                                std::string_view weights,
                                                                models::ClassOutputs class_outputs,
                                                                const torch::Device& device) {
  return models::Guard("loading weights", [&]() -> absl::StatusOr<std::unique_ptr<Predictor>> {
    ASSIGN_OR_RETURN(models::Network network, models::DecodeNetwork(spec, weights));
    network.module->to(device);
    network.module->eval();
    return std::make_unique<NetworkPredictor>(std::move(network), class_outputs, device);
  });
}

void SetArithmeticThreads(int num_threads) {
  // On some processors MKL multiplies rows that begin at odd addresses in another order of
  // additions, so that the prediction for a sample would depend on its place. Read once, before the
  // first product.
  setenv("MKL_CBWR", "AUTO", /*overwrite=*/0);
  torch::set_num_threads(num_threads);
}

}  // namespace tidemill::evaluator
