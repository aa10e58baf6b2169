#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/testing/not_tried.h"
#include "models/loss.h"
#include "models/network.h"
#include "models/optimizer.h"
#include "models/spec/convnet.h"
#include "models/spec/mlp.h"
#include "models/torch/guard.h"
#include "models/training/losses/losses.h"
#include "models/training/optimizers/optimizers.h"

namespace tidemill::models {
namespace {

const ModelSpec kMlp = Mlp{.hidden = {16}, .outputs = 3};
const ModelSpec kConvnet = Convnet{.channels = {4, 8}, .hidden = 16, .outputs = 3};

Network Make(const ModelSpec& spec, std::vector<int64_t> shape, int64_t seed = 1) {
  SeedGenerator({.seed = seed, .purpose = "init"});
  auto network = MakeNetwork(spec, {{"input", {std::move(shape), false}}});
  EXPECT_TRUE(network.ok()) << network.status().ToString();
  return *network;
}

// Trains on random rows until the network knows them by heart; returns the last loss.
double Overfit(const ModelSpec& spec, std::vector<int64_t> shape, const OptimizerSpec& how) {
  Network network = Make(spec, shape);
  Optimizer optimizer = Optimizer::Make({{.optimizer = how}}, network).value();
  shape.insert(shape.begin(), 12);
  const torch::Tensor input = torch::randn(shape);
  const torch::Tensor target = torch::arange(12) % 3;
  double last = 0;
  for (int step = 0; step < 300; ++step) {
    optimizer.ZeroGradients();
    const torch::Tensor loss =
        SampleLosses(CrossEntropy{}, network.Forward({{"input", input}}), target).mean();
    loss.backward();
    optimizer.Step(1);
    last = loss.item<double>();
  }
  return last;
}

TEST(Network, EachNetworkLearnsAFewRowsByHeartWithEachOptimizer) {
  const OptimizerSpec sgd = Sgd{.lr = 0.1, .momentum = 0.9};
  const OptimizerSpec adam = Adam{.lr = 0.01};
  const std::vector<OptimizerSpec> optimizers = {sgd,
                                                 adam,
                                                 Sgd{.lr = 0.1, .momentum = 0.9, .nesterov = true},
                                                 AdamW{.lr = 0.01},
                                                 Adagrad{.lr = 0.1},
                                                 RmsProp{.lr = 0.003},
                                                 NAdam{.lr = 0.01},
                                                 Lamb{.lr = 0.02},
                                                 Lion{.lr = 0.003}};
  EXPECT_THAT(config::testing::NotTried(optimizers), ::testing::IsEmpty());
  for (const OptimizerSpec& optimizer : optimizers) {
    EXPECT_LT(Overfit(kMlp, {8}, optimizer), 0.01) << optimizer.type();
  }
  EXPECT_LT(Overfit(kMlp, {2, 4}, adam), 0.01);
  EXPECT_LT(Overfit(kConvnet, {8, 8}, sgd), 0.01);
  EXPECT_LT(Overfit(kConvnet, {3, 8, 8}, adam), 0.01);
}

TEST(Network, TheSameSeedGivesTheSameWeightsAndAnotherOneOthers) {
  const std::string weights = EncodeWeights(Make(kMlp, {8})).value();
  EXPECT_EQ(EncodeWeights(Make(kMlp, {8})).value(), weights);
  EXPECT_NE(EncodeWeights(Make(kMlp, {8}, 2)).value(), weights);
}

TEST(Network, WeightsComeBackBitForBitWithTheirInputShape) {
  Network network = Make(kConvnet, {3, 8, 8});
  const std::string weights = EncodeWeights(network).value();
  auto copy = DecodeNetwork(kConvnet, weights);
  ASSERT_TRUE(copy.ok()) << copy.status().ToString();
  EXPECT_EQ(copy->inputs, (InputSpecs{{"input", {{3, 8, 8}, false}}}));
  EXPECT_EQ(EncodeWeights(*copy).value(), weights);
  const torch::Tensor input = torch::randn({2, 3, 8, 8});
  const Inputs inputs = {{"input", input}};
  EXPECT_TRUE(torch::equal(copy->Forward(inputs), network.Forward(inputs)));
}

TEST(Network, WeightsOfAnotherNetworkAreRefused) {
  const std::string weights = EncodeWeights(Make(kMlp, {8})).value();
  for (const ModelSpec& other :
       {ModelSpec(Mlp{.hidden = {16}, .outputs = 4}), ModelSpec(Mlp{.hidden = {}, .outputs = 3}),
        ModelSpec(Mlp{.hidden = {16, 16}, .outputs = 3})}) {
    EXPECT_EQ(DecodeNetwork(other, weights).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(Network, AConvnetRefusesInputsThatAreNotImages) {
  for (const InputSpec& input : {InputSpec{{784}}, InputSpec{{2, 2}}, InputSpec{{8, 8}, true}}) {
    EXPECT_EQ(MakeNetwork(kConvnet, {{"input", input}}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(Optimizer, ContinuesFromItsSavedStateAsIfNothingHadHappened) {
  for (const OptimizerSpec& spec :
       {OptimizerSpec(Sgd{.lr = 0.1, .momentum = 0.9}), OptimizerSpec(Adam{.weight_decay = 0.01}),
        OptimizerSpec(AdamW{}), OptimizerSpec(Adagrad{}),
        OptimizerSpec(RmsProp{.momentum = 0.9, .centered = true}), OptimizerSpec(RmsProp{}),
        OptimizerSpec(NAdam{.weight_decay = 0.01}), OptimizerSpec(Lamb{}),
        OptimizerSpec(Lion{.weight_decay = 0.1})}) {
    const torch::Tensor input = torch::randn({16, 8});
    const auto step = [&](Network& network, Optimizer& optimizer) {
      optimizer.ZeroGradients();
      network.Forward({{"input", input}}).square().mean().backward();
      optimizer.Step(1);
    };
    Network network = Make(kMlp, {8});
    Optimizer optimizer = Optimizer::Make({{.optimizer = spec}}, network).value();
    for (int i = 0; i < 3; ++i) step(network, optimizer);
    TensorFile file;
    std::vector<torch::Tensor> kept;
    optimizer.Save("optimizer.", file, kept);
    const std::string saved = WriteTensorFile(file).value();
    const std::string weights = EncodeWeights(network).value();
    for (int i = 0; i < 3; ++i) step(network, optimizer);

    Network resumed = DecodeNetwork(kMlp, weights).value();
    Optimizer again = Optimizer::Make({{.optimizer = spec}}, resumed).value();
    EXPECT_TRUE(again.Load("optimizer.", ReadTensorFile(saved).value()).ok());
    for (int i = 0; i < 3; ++i) step(resumed, again);
    EXPECT_EQ(EncodeWeights(resumed).value(), EncodeWeights(network).value());
  }
}

// The numbers of rmsprop and nadam are those of torch.optim 2.13 in Python; those of lamb and lion
// are computed in Python from the algorithms of their papers.
TEST(Optimizer, StepsAsTheReferenceDoes) {
  const std::vector<std::pair<OptimizerSpec, std::vector<double>>> cases = {
      {RmsProp{.lr = 0.1, .alpha = 0.9, .momentum = 0.5, .centered = true, .weight_decay = 0.01},
       {0.1270426517664729, -1.5616749332910496, -0.13729717207508485}},
      {NAdam{.lr = 0.1, .weight_decay = 0.01},
       {0.7870474612406839, -1.8964352065815298, 0.35984740273168575}},
      {Lamb{.lr = 0.1}, {0.4228878656529865, -1.678402831137247, 0.15123695552691468}},
      {Lion{.lr = 0.1, .weight_decay = 0.01},
       {0.7964055961009999, -1.992011792102, 0.29820279810050004}}};
  const torch::Tensor gradients = torch::tensor(
      {{0.5, -1.0, 0.25}, {0.1, 0.4, -0.3}, {-0.2, 0.3, 0.6}, {1.0, -0.5, 0.05}}, torch::kFloat64);
  for (const auto& [spec, expected] : cases) {
    class Weights final : public NetworkModule {
     public:
      Weights() {
        weight_ = register_parameter("weight", torch::tensor({1.0, -2.0, 0.5}, torch::kFloat64));
      }
      torch::Tensor Forward(const Inputs&) override { return weight_; }
      torch::Tensor Embed(const Inputs&) override { return weight_; }

     private:
      torch::Tensor weight_;
    };
    const Network network{std::make_shared<Weights>(), {}};
    Optimizer optimizer = Optimizer::Make({{.optimizer = spec}}, network).value();
    torch::Tensor weight = network.module->parameters()[0];
    for (int64_t step = 0; step < gradients.size(0); ++step) {
      weight.mutable_grad() = gradients[step].clone();
      optimizer.Step(1);
    }
    EXPECT_TRUE(torch::allclose(weight, torch::tensor(expected, torch::kFloat64), 1e-9, 1e-12))
        << spec.type() << "\n"
        << weight;
  }
}

TEST(Loss, CrossEntropyAgreesWithTheFormula) {
  const torch::Tensor output = torch::tensor({{1.0f, 2.0f, 3.0f}, {0.5f, 0.0f, -1.0f}});
  const torch::Tensor target = torch::tensor({2, 1}, torch::kLong);
  const torch::Tensor losses = SampleLosses(CrossEntropy{}, output, target);
  const double first = std::log(std::exp(1) + std::exp(2) + std::exp(3)) - 3;
  const double second = std::log(std::exp(0.5) + 1 + std::exp(-1));
  EXPECT_NEAR(losses[0].item<double>(), first, 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), second, 1e-6);

  const torch::Tensor weighted =
      SampleLosses(CrossEntropy{.class_weights = {1, 10, 3}}, output, target);
  EXPECT_NEAR(weighted[0].item<double>(), 3 * first, 1e-5);
  EXPECT_NEAR(weighted[1].item<double>(), 10 * second, 1e-5);

  // A third of the share of 0.3 goes to each class: of the first row, whose outputs are 1, 2, 3.
  const torch::Tensor smooth = SampleLosses(CrossEntropy{.label_smoothing = 0.3}, output, target);
  EXPECT_NEAR(smooth[0].item<double>(), first + 0.1 * (2 + 1), 1e-6);
}

TEST(Loss, LogitsAgreeWithTheFormula) {
  const torch::Tensor output = torch::tensor({{2.0f}, {-1.0f}});
  const torch::Tensor target = torch::tensor({1, 0}, torch::kLong);
  const torch::Tensor losses = SampleLosses(BceWithLogits{.positive_weight = 5}, output, target);
  EXPECT_NEAR(losses[0].item<double>(), -5 * std::log(1 / (1 + std::exp(-2.0))), 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), -std::log(1 - 1 / (1 + std::exp(1.0))), 1e-6);
}

TEST(Loss, MarginsAgreeWithTheirFormulas) {
  const torch::Tensor one = torch::tensor({{0.25f}, {-3.0f}, {2.0f}});
  const torch::Tensor classes = torch::tensor({1, 0, 0}, torch::kLong);
  EXPECT_TRUE(
      torch::equal(SampleLosses(Hinge{}, one, classes), torch::tensor({0.75f, 0.0f, 3.0f})));
  const torch::Tensor three = torch::tensor({{1.0f, 2.0f, 3.0f}, {0.5f, 0.0f, -1.0f}});
  EXPECT_TRUE(
      torch::allclose(SampleLosses(MulticlassHinge{}, three, torch::tensor({2, 1}, torch::kLong)),
                      torch::tensor({0.0f, 0.5f})));
}

TEST(Loss, FocalLossesAgreeWithTheirFormulas) {
  const torch::Tensor output = torch::tensor({{2.0f}, {-1.0f}});
  const torch::Tensor target = torch::tensor({1, 0}, torch::kLong);
  const torch::Tensor losses = SampleLosses(Focal{.gamma = 2, .alpha = 0.25}, output, target);
  const double p1 = 1 / (1 + std::exp(-2.0));
  const double p0 = 1 - 1 / (1 + std::exp(1.0));
  EXPECT_NEAR(losses[0].item<double>(), -0.25 * (1 - p1) * (1 - p1) * std::log(p1), 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), -0.75 * (1 - p0) * (1 - p0) * std::log(p0), 1e-6);
  // Without a gamma it is another name for these.
  EXPECT_TRUE(torch::allclose(SampleLosses(Focal{.gamma = 0, .alpha = 0.5}, output, target) * 2,
                              SampleLosses(BceWithLogits{}, output, target)));
  const torch::Tensor three = torch::tensor({{1.0f, 2.0f, 3.0f}, {0.5f, 0.0f, -90.0f}});
  const torch::Tensor classes = torch::tensor({2, 0}, torch::kLong);
  const std::vector<double> alpha = {1, 2, 3};
  EXPECT_TRUE(
      torch::allclose(SampleLosses(MulticlassFocal{.gamma = 0, .alpha = alpha}, three, classes),
                      SampleLosses(CrossEntropy{.class_weights = alpha}, three, classes)));
  // A sample that is told apart perfectly has a finite gradient.
  const torch::Tensor sure = torch::tensor({{200.0f, 0.0f, 0.0f}}).requires_grad_(true);
  SampleLosses(MulticlassFocal{.gamma = 0.5}, sure, torch::tensor({0}, torch::kLong))
      .sum()
      .backward();
  EXPECT_TRUE(torch::isfinite(sure.grad()).all().item<bool>());
}

TEST(Loss, ErrorsAgreeWithTheirFormulas) {
  const torch::Tensor one = torch::tensor({{1.0f}, {4.0f}});
  const torch::Tensor truth = torch::tensor({3.0f, 3.5f});
  const auto losses = [&](const LossSpec& loss) { return SampleLosses(loss, one, truth); };
  EXPECT_TRUE(torch::equal(losses(Mse{}), torch::tensor({4.0f, 0.25f})));
  EXPECT_TRUE(torch::equal(losses(L1{}), torch::tensor({2.0f, 0.5f})));
  EXPECT_TRUE(torch::equal(losses(Huber{.delta = 1}), torch::tensor({1.5f, 0.125f})));
  EXPECT_TRUE(torch::equal(losses(SmoothL1{.beta = 2}), torch::tensor({1.0f, 0.0625f})));
  const torch::Tensor two = torch::tensor({{1.0f, 2.0f}});
  EXPECT_TRUE(
      torch::equal(SampleLosses(Mse{}, two, torch::tensor({{2.0f, 5.0f}})), torch::tensor({5.0f})));
}

TEST(Loss, AWeightActsOnItsOwnSampleOnly) {
  const torch::Tensor losses = torch::tensor({1.0f, 10.0f, 100.0f});
  EXPECT_FLOAT_EQ(WeightedMean(losses, {}).item<float>(), 37);
  EXPECT_FLOAT_EQ(SelfNormalisedMean(losses, {}).item<float>(), 37);
  const torch::Tensor one = torch::tensor({0.0f, 1.0f, 0.0f});
  EXPECT_FLOAT_EQ(WeightedMean(losses, one).item<float>(), 10.0f / 3);
  EXPECT_FLOAT_EQ(SelfNormalisedMean(losses, one).item<float>(), 10);
  const torch::Tensor two = torch::tensor({3.0f, 0.0f, 1.0f});
  EXPECT_FLOAT_EQ(WeightedMean(losses, two).item<float>(), 103.0f / 3);
  EXPECT_FLOAT_EQ(SelfNormalisedMean(losses, two).item<float>(), 25.75);
  EXPECT_FLOAT_EQ(WeightedMean(losses, torch::zeros({3})).item<float>(), 0);
  EXPECT_FLOAT_EQ(SelfNormalisedMean(losses, torch::zeros({3})).item<float>(), 0);
}

TEST(Loss, TargetsThatDoNotSuitTheModelAreNamed) {
  EXPECT_TRUE(CheckTargets(CrossEntropy{}, torch::tensor({0, 2}, torch::kLong), 3).ok());
  EXPECT_THAT(
      std::string(CheckTargets(CrossEntropy{}, torch::tensor({0, 3}, torch::kLong), 3).message()),
      ::testing::HasSubstr("class 3"));
  EXPECT_FALSE(CheckTargets(CrossEntropy{}, torch::tensor({0.5f}), 3).ok());
  EXPECT_TRUE(CheckTargets(Mse{}, torch::tensor({0.5f, 1.0f}), 1).ok());
  EXPECT_FALSE(CheckTargets(Mse{}, torch::tensor({0.5f, 1.0f}), 2).ok());
  const torch::Tensor classes = torch::tensor({0, 1}, torch::kLong);
  EXPECT_TRUE(CheckTargets(BceWithLogits{}, classes, 1).ok());
  EXPECT_FALSE(CheckTargets(BceWithLogits{}, classes, 2).ok());
  EXPECT_FALSE(CheckTargets(BceWithLogits{}, classes + 1, 1).ok());
}

TEST(Guard, TurnsWhatTorchThrowsIntoAStatus) {
  const absl::Status status = Guard("adding", [] {
    torch::add(torch::zeros({2}), torch::zeros({3}));
    return absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith("adding: "));
}

}  // namespace
}  // namespace tidemill::models
