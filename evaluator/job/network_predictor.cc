#include "evaluator/job/network_predictor.h"

#include <utility>
#include <vector>

#include "torch/torch.h"

#include "models/guard.h"
#include "models/network.h"

namespace tidemill::evaluator {
namespace {

class NetworkPredictor final : public Predictor {
 public:
  explicit NetworkPredictor(models::Network network) : network_(std::move(network)) {}

  absl::StatusOr<std::vector<int64_t>> PredictClasses(const batch::Column& input,
                                                      int64_t num_rows) override {
    return models::Guard("predicting classes", [&]() -> absl::StatusOr<std::vector<int64_t>> {
      const torch::NoGradGuard no_gradients;
      const torch::Tensor classes = Forward(input, num_rows).argmax(1).contiguous();
      const auto* first = classes.data_ptr<int64_t>();
      return std::vector<int64_t>(first, first + num_rows);
    });
  }

  absl::StatusOr<std::vector<float>> PredictValues(const batch::Column& input,
                                                   int64_t num_rows) override {
    return models::Guard("predicting values", [&]() -> absl::StatusOr<std::vector<float>> {
      const torch::NoGradGuard no_gradients;
      const torch::Tensor values = Forward(input, num_rows).contiguous();
      if (values.numel() != num_rows) {
        return FailedPrecondition("the network gives {} numbers for a sample instead of one",
                                  values.numel() / num_rows);
      }
      const auto* first = values.data_ptr<float>();
      return std::vector<float>(first, first + num_rows);
    });
  }

 private:
  // Throws c10::Error.
  torch::Tensor Forward(const batch::Column& input, int64_t num_rows) {
    std::vector<int64_t> shape = input.shape;
    shape.insert(shape.begin(), num_rows);
    // torch only reads through this pointer: nothing here writes to the input.
    void* numbers = const_cast<float*>(input.Values<float>().data());
    return network_.Forward(torch::from_blob(numbers, shape, torch::kFloat32));
  }

  models::Network network_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Predictor>> MakeNetworkPredictor(const models::ModelSpec& spec,
                                                                std::string_view weights) {
  return models::Guard("loading weights", [&]() -> absl::StatusOr<std::unique_ptr<Predictor>> {
    ASSIGN_OR_RETURN(models::Network network, models::DecodeNetwork(spec, weights));
    network.layers->eval();
    return std::make_unique<NetworkPredictor>(std::move(network));
  });
}

void SetArithmeticThreads(int num_threads) { torch::set_num_threads(num_threads); }

}  // namespace tidemill::evaluator
