// The prediction for a sample depends on the sample and the model, bit by bit.
#include "evaluator/job/network_predictor.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "torch/torch.h"

#include "base/testing/status_matchers.h"
#include "evaluator/job/column_maker.h"
#include "models/artefact_spec.h"
#include "models/network.h"
#include "models/spec/networks.h"

namespace tidemill::evaluator {
namespace {

using ::tidemill::testing::IsOk;

struct Case {
  std::string name;
  models::ModelSpec model;
  // The shape of floats; where there are ids, they are below 5.
  std::vector<int64_t> shape;
  std::vector<int64_t> ids = {};
  // The column `input` holds the ids.
  bool ids_only = false;
};

batch::Column ColumnOf(const std::string& name, const torch::Tensor& tensor) {
  const torch::Tensor copy = tensor.contiguous();
  batch::Column column{.name = name, .shape = copy.sizes().slice(1).vec()};
  column.type =
      copy.scalar_type() == torch::kInt64 ? batch::DataType::kInt64 : batch::DataType::kFloat32;
  column.data = batch::Buffer::Allocate(copy.nbytes());
  std::memcpy(column.data.mutable_data(), copy.data_ptr(), copy.nbytes());
  return column;
}

class EachPredictor : public ::testing::TestWithParam<Case> {
 protected:
  EachPredictor() {
    torch::manual_seed(3);
    const Case& tested = GetParam();
    const auto sized = [](std::vector<int64_t> shape) {
      shape.insert(shape.begin(), ColumnMaker::kNetworkRows);
      return shape;
    };
    if (!tested.ids_only) inputs_["input"] = torch::randn(sized(tested.shape));
    if (!tested.ids.empty()) {
      inputs_[tested.ids_only ? "input" : "input_categories"] =
          torch::randint(5, sized(tested.ids), torch::kInt64);
    }
    models::SeedGenerator({.seed = 1, .purpose = "init"});
    network_ = *models::MakeNetwork(tested.model, models::SpecsOf(inputs_));
    network_.module->eval();
    predictor_ = *MakeNetworkPredictor(tested.model, *models::EncodeWeights(network_),
                                       models::ClassOutputs::kSoftmax, torch::kCPU);
    SetArithmeticThreads(2);
    for (const auto& [name, tensor] : inputs_) rows_.Set(ColumnOf(name, tensor)).IgnoreError();
  }

  models::Inputs inputs_;
  models::Network network_;
  std::unique_ptr<Predictor> predictor_;
  batch::Batch rows_{ColumnMaker::kNetworkRows};
};

TEST_P(EachPredictor, EmbedsAsTheNetworkDoes) {
  const auto embedded = predictor_->Embed(rows_);
  ASSERT_THAT(embedded, IsOk());
  const torch::Tensor expected = network_.Embed(inputs_)->contiguous();
  EXPECT_EQ(embedded->width, expected.size(1));
  ASSERT_EQ(static_cast<int64_t>(embedded->numbers.size()), expected.numel());
  EXPECT_TRUE(torch::equal(
      torch::from_blob(const_cast<float*>(embedded->numbers.data()), expected.sizes()), expected));
}

TEST_P(EachPredictor, SaysTheSameOfARowInEachPlace) {
  const auto said = predictor_->PredictClasses(rows_, true);
  const auto embedded = predictor_->Embed(rows_);
  ASSERT_THAT(said, IsOk());
  ASSERT_THAT(embedded, IsOk());
  const auto width = static_cast<size_t>(embedded->width);
  const auto num_classes = static_cast<size_t>(said->num_classes);
  // Each row in each place, among others and among its own copies.
  std::vector<int64_t> places(ColumnMaker::kNetworkRows);
  for (int64_t shift = 1; shift < ColumnMaker::kNetworkRows; ++shift) {
    std::iota(places.begin(), places.end(), 0);
    std::rotate(places.begin(), places.begin() + shift, places.end());
    if (shift % 3 == 0) std::fill(places.begin() + shift, places.end(), shift);
    const batch::Batch moved = rows_.Take(places);
    const auto said_moved = predictor_->PredictClasses(moved, true);
    const auto embedded_moved = predictor_->Embed(moved);
    for (size_t row = 0; row < places.size(); ++row) {
      const auto from = static_cast<size_t>(places[row]);
      ASSERT_TRUE(std::equal(embedded_moved->numbers.begin() + row * width,
                             embedded_moved->numbers.begin() + (row + 1) * width,
                             embedded->numbers.begin() + from * width))
          << "shift " << shift << ", row " << row;
      ASSERT_TRUE(std::equal(said_moved->probabilities.begin() + row * num_classes,
                             said_moved->probabilities.begin() + (row + 1) * num_classes,
                             said->probabilities.begin() + from * num_classes))
          << "shift " << shift << ", row " << row;
    }
  }
}

// A network of one output on the input 3, whose output is 3.
ClassPredictions SaidOfOneOutput(models::ClassOutputs class_outputs) {
  SetArithmeticThreads(2);  // Before the first product of the process.
  const models::ModelSpec spec = models::Logistic{.outputs = 1};
  const models::Inputs inputs = {{"input", torch::full({1, 1}, 3.0F)}};
  models::Network network = *models::MakeNetwork(spec, models::SpecsOf(inputs));
  const torch::NoGradGuard no_gradients;
  for (torch::Tensor& weight : network.module->parameters())
    weight.fill_(weight.dim() == 2 ? 1 : 0);
  auto predictor =
      *MakeNetworkPredictor(spec, *models::EncodeWeights(network), class_outputs, torch::kCPU);
  batch::Batch rows(1);
  rows.Set(ColumnOf("input", inputs.at("input"))).IgnoreError();
  return *predictor->PredictClasses(rows, true);
}

TEST(NetworkPredictor, TakesOneOutputForWhatTheLossTookItFor) {
  const ClassPredictions only = SaidOfOneOutput(models::ClassOutputs::kSoftmax);
  EXPECT_EQ(only.num_classes, 1);
  EXPECT_THAT(only.classes, ::testing::ElementsAre(0));
  EXPECT_THAT(only.probabilities, ::testing::ElementsAre(1.0F));
  const ClassPredictions second = SaidOfOneOutput(models::ClassOutputs::kSigmoid);
  EXPECT_EQ(second.num_classes, 2);
  EXPECT_THAT(second.classes, ::testing::ElementsAre(1));
  EXPECT_THAT(second.probabilities,
              ::testing::Pointwise(::testing::FloatNear(1e-6F), {0.047425874F, 0.952574127F}));
}

TEST(ArtefactSpec, ThatDoesNotSayHasOneOutputForTwoClassesUnlessThereIsButOne) {
  models::ArtefactSpec spec;
  EXPECT_EQ(models::ClassOutputsOf(spec), models::ClassOutputs::kSigmoid);
  spec.classes = {"a"};
  EXPECT_EQ(models::ClassOutputsOf(spec), models::ClassOutputs::kSoftmax);
  spec.class_outputs = models::ClassOutputs::kSigmoid;
  EXPECT_EQ(models::ClassOutputsOf(spec), models::ClassOutputs::kSigmoid);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, EachPredictor,
    ::testing::Values(
        Case{.name = "logistic", .model = models::Logistic{.outputs = 3}, .shape = {29}},
        Case{.name = "mlp", .model = models::Mlp{.hidden = {37, 19}, .outputs = 3}, .shape = {29}},
        Case{.name = "convnet",
             .model = models::Convnet{.channels = {8, 12}, .hidden = 21, .outputs = 3},
             .shape = {3, 12, 12}},
        Case{.name = "resnet18",
             .model = models::Resnet18{.outputs = 3, .width = 8},
             .shape = {3, 16, 16}},
        Case{.name = "gru",
             .model = models::Gru{.hidden = 18, .layers = 2, .outputs = 3},
             .shape = {9, 5}},
        Case{.name = "tcn", .model = models::Tcn{.hidden = 10, .outputs = 3}, .shape = {9, 5}},
        Case{.name = "embedding_bag",
             .model =
                 models::EmbeddingBag{.vocabulary = 5, .width = 9, .hidden = {17}, .outputs = 2},
             .shape = {},
             .ids = {7},
             .ids_only = true},
        Case{
            .name = "text_transformer",
            .model = models::TextTransformer{.vocabulary = 5,
                                             .width = 16,
                                             .heads = 2,
                                             .layers = 2,
                                             .outputs = 2,
                                             .dropout = 0},
            .shape = {},
            .ids = {7},
            .ids_only = true},
        Case{
            .name = "dlrm",
            .model =
                models::Dlrm{
                    .categories = {5, 5, 5}, .width = 7, .bottom = {11}, .top = {13}, .outputs = 2},
            .shape = {6},
            .ids = {3}},
        Case{.name = "factorization_machine",
             .model =
                 models::FactorizationMachine{.categories = {5, 5, 5}, .factors = 6, .outputs = 2},
             .shape = {6},
             .ids = {3}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace tidemill::evaluator
