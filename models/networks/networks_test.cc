// Each network on a task that it can learn and others cannot by chance.
#include "models/spec/networks.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/testing/not_tried.h"
#include "models/loss.h"
#include "models/network.h"
#include "models/optimizer.h"
#include "models/testing/each_network.h"
#include "models/training/losses/bce_with_logits.h"
#include "models/training/optimizers/optimizers.h"

namespace tidemill::models {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Network MakeFor(const Task& task) {
  SeedGenerator({.seed = 1, .purpose = "init"});
  auto network = MakeNetwork(task.model, SpecsOf(task.inputs));
  EXPECT_TRUE(network.ok()) << network.status().ToString();
  return *network;
}

// The last loss of 200 steps.
double Learn(const Task& task, Network& network) {
  Optimizer optimizer = Optimizer::Make({{.optimizer = task.optimizer}}, network).value();
  network.module->train();
  double last = 0;
  for (int step = 0; step < 200; ++step) {
    optimizer.ZeroGradients();
    const torch::Tensor loss =
        SampleLosses(task.loss, network.Forward(task.inputs), task.target).mean();
    loss.backward();
    optimizer.Step(1);
    last = loss.item<double>();
  }
  return last;
}

TEST_P(EachNetwork, LearnsItsTask) {
  torch::manual_seed(3);
  const Task task = GetParam().make();
  Network network = MakeFor(task);
  ASSERT_TRUE(network.Check(task.inputs).ok()) << network.Check(task.inputs).ToString();
  EXPECT_LT(Learn(task, network), GetParam().below);
}

TEST_P(EachNetwork, ComesBackFromItsBytes) {
  torch::manual_seed(3);
  const Task task = GetParam().make();
  Network network = MakeFor(task);
  {
    const torch::Tensor changes_buffers = network.Forward(task.inputs);
    EXPECT_EQ(changes_buffers.sizes(),
              (std::vector<int64_t>{task.target.size(0), task.model->NumOutputs()}));
  }
  const std::string weights = EncodeWeights(network).value();
  const auto copy = DecodeNetwork(task.model, weights);
  ASSERT_TRUE(copy.ok()) << copy.status().ToString();
  EXPECT_EQ(copy->inputs, network.inputs);
  EXPECT_EQ(EncodeWeights(*copy).value(), weights);
  network.module->eval();
  copy->module->eval();
  EXPECT_TRUE(torch::equal(copy->Forward(task.inputs), network.Forward(task.inputs)));
}

// A sample's output must not depend on the other samples of its batch.
TEST_P(EachNetwork, GivesASampleTheSameOutputInEachBatch) {
  torch::manual_seed(3);
  const Task task = GetParam().make();
  Network network = MakeFor(task);
  network.module->eval();
  const torch::Tensor together = network.Forward(task.inputs);
  Inputs alone = task.inputs;
  for (auto& [name, column] : alone) column = column.narrow(0, 5, 1);
  EXPECT_TRUE(torch::allclose(network.Forward(alone)[0], together[5], 1e-4, 1e-5));
}

// A network's last linear layer; undefined tensors where it ends without one.
std::pair<torch::Tensor, torch::Tensor> LastLayer(const Network& network) {
  std::pair<torch::Tensor, torch::Tensor> layer;
  for (const auto& [name, tensor] : StateOf(network)) {
    const bool is_last =
        (name.find("output.") != std::string::npos && !name.starts_with("layer1")) ||
        name.starts_with("fc.") || name.starts_with("classifier.");
    if (is_last && name.ends_with(".weight")) layer.first = tensor;
    if (is_last && name.ends_with(".bias")) layer.second = tensor;
  }
  return layer;
}

TEST_P(EachNetwork, EmbedsWhatItsLastLayerIsGiven) {
  torch::manual_seed(3);
  const Task task = GetParam().make();
  const Network network = MakeFor(task);
  network.module->eval();
  const torch::Tensor outputs = network.Forward(task.inputs);
  const auto embedded = network.Embed(task.inputs);
  ASSERT_TRUE(embedded.ok()) << embedded.status().ToString();
  ASSERT_EQ(embedded->dim(), 2);
  EXPECT_EQ(embedded->size(0), task.target.size(0));
  if (const auto [weight, bias] = LastLayer(network); weight.defined()) {
    // Residual layers begin as zeros.
    EXPECT_TRUE(torch::allclose(torch::linear(*embedded, weight, bias), outputs, 1e-5, 1e-6));
    return;
  }
  const int64_t num_outputs = outputs.size(1);
  const torch::Tensor linear = embedded->slice(1, 0, num_outputs);
  const torch::Tensor pairs = embedded->slice(1, num_outputs);
  const torch::Tensor sum = linear + pairs.reshape({-1, num_outputs, 4}).sum(2);
  EXPECT_TRUE(torch::allclose(sum, outputs, 1e-5, 1e-6));
}

std::vector<NetworkCase> CasesOfNumbersAndImages() {
  return {
      NetworkCase{"logistic",
                  [] {
                    Task task = Forecast(Logistic{.outputs = 1});
                    task.optimizer = Sgd{.lr = 0.1, .momentum = 0.9};
                    return task;
                  },
                  0.5},
      NetworkCase{"mlp",
                  [] {
                    Task task = Forecast(Mlp{.hidden = {16, 8}, .outputs = 1});
                    return task;
                  },
                  1},
      NetworkCase{"convnet",
                  [] {
                    return Images(Convnet{.channels = {8}, .hidden = 16, .outputs = 3}, {3, 8, 8});
                  },
                  0.1},
      NetworkCase{"resnet18",
                  [] {
                    return Images(Resnet18{.outputs = 3, .width = 4}, {3, 16, 16});
                  },
                  0.05},
      NetworkCase{
          "resnet18_standard",
          [] {
            return Images(Resnet18{.outputs = 3, .stem = Stem::kStandard, .width = 4}, {40, 40});
          },
          0.05},
      NetworkCase{"resnet50",
                  [] {
                    return Images(Resnet50{.outputs = 3, .width = 4}, {3, 16, 16});
                  },
                  0.05},
      NetworkCase{"densenet121",
                  [] {
                    return Images(Densenet121{.outputs = 3, .growth = 4}, {3, 16, 16});
                  },
                  0.05},
      NetworkCase{"densenet121_standard",
                  [] {
                    return Images(Densenet121{.outputs = 3, .stem = Stem::kStandard, .growth = 4},
                                  {40, 40});
                  },
                  0.05}};
}

std::vector<NetworkCase> CasesOfCategoriesAndSeries() {
  return {
      NetworkCase{"embedding_bag",
                  [] {
                    return FindToken(
                        EmbeddingBag{.vocabulary = 8, .width = 8, .hidden = {16}, .outputs = 2});
                  },
                  0.05},
      NetworkCase{"embedding_bag_sum_sparse",
                  [] {
                    Task task = FindToken(EmbeddingBag{.vocabulary = 8,
                                                       .width = 8,
                                                       .pooling = Pooling::kSum,
                                                       .sparse = true,
                                                       .outputs = 2});
                    task.optimizer = Adagrad{.lr = 0.3};
                    return task;
                  },
                  0.05},
      NetworkCase{
          "text_transformer",
          [] {
            return FindToken(TextTransformer{
                .vocabulary = 8, .width = 16, .heads = 2, .layers = 1, .outputs = 2, .dropout = 0});
          },
          0.05},
      NetworkCase{
          "dlrm",
          [] {
            return Differ(
                Dlrm{.categories = {2, 2}, .width = 4, .bottom = {8}, .top = {8}, .outputs = 2},
                true);
          },
          0.05},
      NetworkCase{"factorization_machine",
                  [] {
                    Task task = Differ(
                        FactorizationMachine{.categories = {2, 2}, .factors = 4, .outputs = 1},
                        false);
                    task.loss = BceWithLogits{};
                    task.optimizer = Adam{.lr = 0.05};
                    return task;
                  },
                  0.05},
      NetworkCase{"factorization_machine_dense",
                  [] {
                    Task task = Differ(
                        FactorizationMachine{.categories = {2, 2}, .factors = 4, .outputs = 2},
                        true);
                    task.optimizer = Adam{.lr = 0.05};
                    return task;
                  },
                  0.1},
      // The mean of the targets alone has a loss of about 6.
      NetworkCase{"gru", [] { return Forecast(Gru{.hidden = 16, .layers = 2, .residual = true}); },
                  1},
      NetworkCase{"tcn", [] { return Forecast(Tcn{.hidden = 8, .layers = 2, .residual = true}); },
                  1}};
}

// A network that is on the list and has no case fails AreAllTried.
std::vector<NetworkCase> AllCases() {
  std::vector<NetworkCase> cases = CasesOfNumbersAndImages();
  for (NetworkCase& one : CasesOfCategoriesAndSeries()) cases.push_back(std::move(one));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Networks, EachNetwork, ::testing::ValuesIn(AllCases()),
                         [](const auto& one) { return one.param.name; });

// torchscript_test.cc tries networks that are files, and tests/plugin the models of programs.
TEST(Networks, AreAllTried) {
  std::vector<ModelSpec> networks;
  for (const NetworkCase& one : AllCases()) networks.push_back(one.make().model);
  EXPECT_THAT(config::testing::NotTried(networks, {"torchscript", "program"}), IsEmpty());
}

TEST(Gru, BeginsAsItsResidualIsZero) {
  torch::manual_seed(3);
  const Task task = Forecast(Gru{.hidden = 4, .residual = true});
  const Network network = MakeFor(task);
  Task plain = task;
  plain.model = Gru{.hidden = 4};
  EXPECT_TRUE(torch::equal(network.Forward(task.inputs), MakeFor(plain).Forward(task.inputs)));
}

TEST(Tcn, SeesNoRowAfterTheLatest) {
  // The last output depends on the rows that its reach covers and on no earlier one.
  const Task task = Forecast(Tcn{.hidden = 4, .layers = 1, .kernel = 2});
  const Network network = MakeFor(task);
  const torch::Tensor output = network.Forward(task.inputs);
  torch::Tensor changed = task.inputs.at("input").clone();
  changed.slice(1, 0, 5).zero_();
  EXPECT_TRUE(torch::equal(network.Forward({{"input", changed}}), output)) << "reach is 3 of 8";
  changed.slice(1, 5, 6).zero_();
  EXPECT_FALSE(torch::equal(network.Forward({{"input", changed}}), output));
}

TEST(EmbeddingBag, PaddingDoesNotCount) {
  const ModelSpec spec = EmbeddingBag{.vocabulary = 9, .width = 4, .outputs = 2};
  SeedGenerator({.seed = 1, .purpose = "init"});
  const Network network = MakeNetwork(spec, {{"input", {{4}, true}}}).value();
  const auto output = [&](const std::vector<int64_t>& tokens) {
    return network.Forward({{"input", torch::tensor(tokens, torch::kInt64).unsqueeze(0)}});
  };
  EXPECT_TRUE(torch::allclose(output({3, 5, 0, 0}), output({0, 5, 0, 3})));
  EXPECT_FALSE(torch::allclose(output({3, 5, 0, 0}), output({3, 5, 5, 5})));
  EXPECT_TRUE(torch::isfinite(output({0, 0, 0, 0})).all().item<bool>());
}

// Networks over tokens, that say the same of a row in whatever layout.
const std::vector<ModelSpec>& TokenNetworks() {
  static const std::vector<ModelSpec> specs = {
      EmbeddingBag{.vocabulary = 9, .width = 4, .hidden = {5}, .outputs = 2},
      EmbeddingBag{.vocabulary = 9, .width = 4, .pooling = Pooling::kSum, .outputs = 2},
      TextTransformer{.vocabulary = 9, .width = 8, .heads = 2, .outputs = 2, .dropout = 0}};
  return specs;
}

TEST(TokenNetworks, SayTheSameOfARowHoweverMuchPaddingItHas) {
  for (const ModelSpec& spec : TokenNetworks()) {
    SeedGenerator({.seed = 1, .purpose = "init"});
    Network network = MakeNetwork(spec, {{"input", {{6}, true}}}).value();
    const torch::Tensor tokens =
        torch::tensor({{3, 5, 0, 2, 0, 0}, {7, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}, torch::kInt64);
    const Inputs narrow = {{"input", tokens.narrow(1, 0, 4)}};
    EXPECT_THAT(std::string(network.Check(narrow).message()), HasSubstr("rows of int64 [4]"));
    network.any_length = "input";
    EXPECT_TRUE(network.Check(narrow).ok()) << network.Check(narrow);
    EXPECT_TRUE(network.Check({{"input", tokens}}).ok());
    EXPECT_FALSE(network.Check({{"input", torch::zeros({1, 7}, torch::kInt64)}}).ok());
    EXPECT_TRUE(
        torch::allclose(network.Forward(narrow), network.Forward({{"input", tokens}}), 1e-5, 1e-6))
        << spec.type();
  }
}

TEST(EmbeddingBag, SaysAboutRaggedRowsWhatItSaysAboutPaddedOnes) {
  for (const ModelSpec& spec : TokenNetworks()) {
    if (spec->Lengths() != RowLengths::kRagged) continue;
    SeedGenerator({.seed = 1, .purpose = "init"});
    Network network = MakeNetwork(spec, {{"input", {{6}, true}}}).value();
    network.any_length = "input";
    const Inputs padded = {
        {"input", torch::tensor({{3, 5, 0, 2}, {0, 0, 0, 0}, {7, 0, 0, 0}}, torch::kInt64)}};
    const Inputs ragged = {{"input", torch::tensor({3, 5, 0, 2, 7}, torch::kInt64)},
                           {"input_offsets", torch::tensor({0, 4, 4, 5}, torch::kInt64)}};
    EXPECT_TRUE(network.Check(ragged).ok()) << network.Check(ragged);
    const auto gradient_of = [&](const Inputs& inputs) {
      network.module->zero_grad();
      network.Forward(inputs).pow(2).sum().backward();
      return network.module->named_parameters()["embedding.weight"].grad().clone();
    };
    EXPECT_TRUE(torch::allclose(network.Forward(ragged), network.Forward(padded)));
    EXPECT_TRUE(torch::allclose(gradient_of(ragged), gradient_of(padded)));
  }
}

TEST(Network, ColumnsThatDoNotFitAreNamed) {
  const ModelSpec spec = Dlrm{.categories = {5, 6}, .outputs = 2};
  const Network network =
      MakeNetwork(spec, {{"input", {{3}, false}}, {"input_categories", {{2}, true}}}).value();
  const torch::Tensor dense = torch::zeros({2, 3});
  const auto message = [&](const Inputs& inputs) {
    return std::string(network.Check(inputs).message());
  };
  const torch::Tensor fine = torch::tensor({{0, 5}, {4, 0}}, torch::kInt64);
  EXPECT_EQ(message({{"input", dense}, {"input_categories", fine}}), "");
  EXPECT_THAT(message({{"input", dense}}), HasSubstr("no column 'input_categories'"));
  EXPECT_THAT(message({{"input", torch::zeros({2, 4})}, {"input_categories", fine}}),
              HasSubstr("rows of float32 [4], but the model takes float32 [3]"));
  EXPECT_THAT(message({{"input", dense}, {"input_categories", fine.flip(1)}}),
              HasSubstr("'input_categories' holds the id 5, but the model has ids from 0 to 4"));
  EXPECT_THAT(message({{"input", dense}, {"input_categories", fine}, {"input_more", dense}}),
              HasSubstr("there are 3 columns, but the model takes 2"));
}

TEST(Optimizer, EachContinuesFromItsSavedStateWithSparseGradientsToo) {
  for (const OptimizerSpec& spec :
       {OptimizerSpec(Sgd{.lr = 0.1}), OptimizerSpec(Adagrad{.lr = 0.1, .initial = 0.1})}) {
    torch::manual_seed(3);
    const ModelSpec model = EmbeddingBag{.vocabulary = 8, .width = 4, .sparse = true, .outputs = 2};
    const Task task = FindToken(model);
    Network network = MakeFor(task);
    Optimizer optimizer = Optimizer::Make({{.optimizer = spec}}, network).value();
    const auto step = [&](Network& of, Optimizer& by) {
      by.ZeroGradients();
      SampleLosses(task.loss, of.Forward(task.inputs), task.target).mean().backward();
      EXPECT_TRUE(by.ClipGradients({.norm = 0.5}));
      by.Step(1);
    };
    for (int i = 0; i < 3; ++i) step(network, optimizer);
    TensorFile file;
    std::vector<torch::Tensor> kept;
    optimizer.Save("o.", file, kept);
    const std::string saved = WriteTensorFile(file).value();
    Network resumed = DecodeNetwork(model, EncodeWeights(network).value()).value();
    for (int i = 0; i < 3; ++i) step(network, optimizer);
    Optimizer again = Optimizer::Make({{.optimizer = spec}}, resumed).value();
    ASSERT_TRUE(again.Load("o.", ReadTensorFile(saved).value()).ok());
    for (int i = 0; i < 3; ++i) step(resumed, again);
    EXPECT_EQ(EncodeWeights(resumed).value(), EncodeWeights(network).value());
  }
}

}  // namespace
}  // namespace tidemill::models
