#include "models/start_weights.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "models/optimizer.h"
#include "models/spec/networks.h"

namespace tidemill::models {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Network MakeFrom(const ModelSpec& spec, const std::vector<int64_t>& shape) {
  SeedGenerator({.seed = 1, .purpose = "init"});
  auto network = MakeNetwork(spec, {{"input", {shape, false}}});
  EXPECT_TRUE(network.ok()) << network.status().ToString();
  return *network;
}

const ModelSpec kSmallMlp = Mlp{.hidden = {4}, .outputs = 3};

// A file with these arrays, all ones.
std::string Ones(const std::map<std::string, std::vector<int64_t>>& arrays,
                 torch::ScalarType type = torch::kFloat32) {
  TensorFile file;
  std::vector<torch::Tensor> kept;
  for (const auto& [name, shape] : arrays) {
    file.tensors[name] = BytesOf(torch::ones(shape, type), kept);
  }
  return WriteTensorFile(file).value();
}

torch::Tensor ArrayOf(const Network& network, const std::string& name) {
  for (const auto& [own, tensor] : StateOf(network)) {
    if (own == name) return tensor;
  }
  return {};
}

bool IsOnes(const torch::Tensor& tensor) { return torch::equal(tensor, torch::ones_like(tensor)); }

TEST(StartWeights, GiveANetworkTheArraysOfItsNames) {
  const Network network = MakeFrom(kSmallMlp, {2});
  const std::string file = Ones({{"hidden1.weight", {4, 2}},
                                 {"hidden1.bias", {4}},
                                 {"output.weight", {3, 4}},
                                 {"output.bias", {3}}},
                                torch::kBFloat16);
  const auto taken = TakeWeights({.file = "w"}, {file}, network);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_EQ(taken->Describe(), "training.start_from: 4 of 4 arrays of the network were taken");
  for (const auto& [name, tensor] : StateOf(network)) {
    EXPECT_TRUE(IsOnes(tensor)) << name;
    EXPECT_EQ(tensor.scalar_type(), torch::kFloat32);
  }
}

TEST(StartWeights, ComeFromSeveralFilesUnderOtherNames) {
  const Network network = MakeFrom(kSmallMlp, {2});
  const StartFrom spec = {.folder = "w",
                          .layers = {{.modules = "output*", .take = Take::kNever},
                                     {.modules = "hidden1.*", .from = "model.encoder.*"}}};
  const auto taken = TakeWeights(spec,
                                 {Ones({{"model.encoder.weight", {4, 2}}}),
                                  Ones({{"model.encoder.bias", {4}}, {"model.head", {7}}})},
                                 network);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_EQ(taken->num_taken, 2);
  EXPECT_THAT(taken->fresh, ElementsAre("output.weight", "output.bias"));
  EXPECT_THAT(taken->unused, ElementsAre("model.head"));
  EXPECT_EQ(taken->Describe(),
            "training.start_from: 2 of 4 arrays of the network were taken; 2 keep their random "
            "start: output.weight, output.bias; 1 arrays of the weights were not used: model.head");
  EXPECT_TRUE(IsOnes(ArrayOf(network, "hidden1.weight")));
  EXPECT_FALSE(IsOnes(ArrayOf(network, "output.weight")));
}

TEST(StartWeights, ThatAreMissingOrOfAnotherShapeAreNamed) {
  const Network network = MakeFrom(kSmallMlp, {2});
  const std::string file = Ones({{"hidden1.weight", {4, 2}}, {"output.weight", {10, 4}}});
  const absl::Status status = TakeWeights({.file = "w"}, {file}, network).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("the weights have no hidden1.bias, output.bias"),
                    HasSubstr("output.weight is [3, 4] but [10, 4] in the weights"),
                    HasSubstr("take: never")));
  const StartFrom lenient = {.file = "w",
                             .layers = {{.modules = "output*", .take = Take::kNever},
                                        {.modules = "*", .take = Take::kIfFound}}};
  const auto taken = TakeWeights(lenient, {file}, network);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_THAT(taken->fresh, ElementsAre("hidden1.bias", "output.weight", "output.bias"));
  EXPECT_EQ(TakeWeights({.file = "w"}, {"no weights"}, network).status().code(),
            absl::StatusCode::kDataLoss);
  const StartFrom none = {.file = "w", .layers = {{.modules = "other*"}}};
  EXPECT_THAT(std::string(TakeWeights(none, {file}, network).status().message()),
              HasSubstr("no array of the network is taken"));
}

TEST(StartFrom, NamesInWeightsFollowTheStar) {
  EXPECT_EQ(NameIn({.modules = "*"}, "a.b"), "a.b");
  EXPECT_EQ(NameIn({.modules = "*", .from = "bert.*"}, "a.b"), "bert.a.b");
  EXPECT_EQ(NameIn({.modules = "a.*.weight", .from = "x.*.w"}, "a.b.c.weight"), "x.b.c.w");
  EXPECT_EQ(NameIn({.modules = "head", .from = "fc"}, "head"), "fc");
  for (const char* const text :
       {"{}", "{file: a, model: 3}", "{file: a, layers: [{modules: \"*\", from: \"a\"}]}",
        "{file: a, layers: [{modules: \"a?\", from: \"b\"}]}",
        "{file: a, layers: [{modules: \"output*\", take: never}]}",
        "{file: a, layers: [{modules: \"*\", from: \"a*\", take: never}]}"}) {
    EXPECT_FALSE(config::Read<StartFrom>(text, "s").ok()) << text;
  }
  EXPECT_TRUE(config::Read<StartFrom>("{model: 3}", "s").ok());
}

TEST(Frozen, ParametersHaveNoGradientsAndNoStateOfAnOptimizer) {
  const Network network = MakeFrom(kSmallMlp, {2});
  ASSERT_TRUE(Freeze({"hidden*"}, network).ok());
  Optimizer optimizer = Optimizer::Make({{.optimizer = Adam{.lr = 0.1}}}, network).value();
  const torch::Tensor before = ArrayOf(network, "hidden1.weight").clone();
  const torch::Tensor output = ArrayOf(network, "output.weight").clone();
  network.Forward({{"input", torch::randn({5, 2})}}).square().mean().backward();
  optimizer.Step(1);
  EXPECT_TRUE(torch::equal(ArrayOf(network, "hidden1.weight"), before));
  EXPECT_FALSE(torch::equal(ArrayOf(network, "output.weight"), output));
  TensorFile file;
  std::vector<torch::Tensor> kept;
  optimizer.Save("o.", file, kept);
  EXPECT_TRUE(file.tensors.contains("o.output.weight.mean"));
  EXPECT_FALSE(file.tensors.contains("o.hidden1.weight.mean"));
}

TEST(Frozen, PatternsMustMatchSomethingAndLeaveSomething) {
  const Network network = MakeFrom(kSmallMlp, {2});
  EXPECT_THAT(
      std::string(Freeze({"hiden*"}, network).message()),
      AllOf(HasSubstr("no parameter's name matches 'hiden*'"), HasSubstr("hidden1.weight")));
  EXPECT_THAT(std::string(Freeze({"*"}, network).message()), HasSubstr("nothing to train"));
}

TEST(Frozen, LayersKeepTheNumbersOfTheirNormalisation) {
  const Network network = MakeFrom(Resnet18{.outputs = 3, .width = 4}, {3, 16, 16});
  ASSERT_TRUE(Freeze({"stem*", "stage1*", "stage2_block1.conv1*"}, network).ok());
  BeginTrainingMode(network);
  EXPECT_TRUE(network.module->is_training());
  network.Forward({{"input", torch::randn({6, 3, 16, 16})}});
  const auto mean_of = [&](const std::string& name) {
    return ArrayOf(network, name + ".running_mean").abs().sum().item<double>();
  };
  EXPECT_EQ(mean_of("stem_norm"), 0);
  EXPECT_EQ(mean_of("stage1_block2.norm2"), 0);
  EXPECT_GT(mean_of("stage2_block1.norm1"), 0) << "only a part of its block is frozen";
}

// Networks of torchvision 0.29 with weights made of a formula: their arrays by name and shape, and
// their outputs.
struct Torchvision {
  std::string name;
  ModelSpec model;
  int64_t num_arrays;
  std::string names_digest;
  std::vector<double> outputs;
};

class OfTorchvision : public ::testing::TestWithParam<Torchvision> {};

torch::Tensor Formula(const std::string& name, const std::vector<int64_t>& shape) {
  if (name.ends_with("num_batches_tracked")) return torch::zeros(shape, torch::kInt64);
  int64_t numel = 1;
  for (const int64_t dimension : shape) numel *= dimension;
  const torch::Tensor wave =
      torch::sin(torch::arange(numel, torch::kFloat64) * 0.7 + static_cast<double>(name.size()));
  const double spread =
      shape.size() < 2 ? 0.1 : 1.5 / std::sqrt(static_cast<double>(numel / shape[0]));
  const bool is_scale =
      name.ends_with("running_var") || (shape.size() == 1 && name.ends_with("weight"));
  return (wave * spread + (is_scale ? 1.0 : 0.0)).to(torch::kFloat32).reshape(shape);
}

TEST_P(OfTorchvision, WeightsAreTakenUnchanged) {
  const Torchvision& one = GetParam();
  const Network network = MakeFrom(one.model, {3, 96, 96});
  TensorFile file;
  std::vector<torch::Tensor> kept;
  std::map<std::string, std::string> lines;
  for (const auto& [name, tensor] : StateOf(network)) {
    const std::string theirs = network.module->NameElsewhere(name);
    lines[theirs] = fmt::format("{} [{}]\n", theirs, fmt::join(tensor.sizes(), ", "));
    file.tensors[theirs] = BytesOf(Formula(theirs, tensor.sizes().vec()), kept);
  }
  std::string names;
  for (const auto& [name, line] : lines) names += line;
  EXPECT_EQ(std::ssize(lines), one.num_arrays);
  EXPECT_EQ(Sha256(names), one.names_digest);
  const auto taken = TakeWeights({.file = "w"}, {WriteTensorFile(file).value()}, network);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_EQ(taken->num_taken, one.num_arrays);
  EXPECT_THAT(taken->fresh, IsEmpty());
  const torch::NoGradGuard no_gradients;
  network.module->eval();
  const torch::Tensor images = torch::sin(torch::arange(2 * 3 * 96 * 96, torch::kFloat64) * 0.01)
                                   .to(torch::kFloat32)
                                   .reshape({2, 3, 96, 96});
  const torch::Tensor outputs = network.Forward({{"input", images}}).flatten();
  EXPECT_TRUE(torch::allclose(outputs.to(torch::kFloat64),
                              torch::tensor(one.outputs, torch::kFloat64), 1e-3, 1e-4))
      << outputs;
}

INSTANTIATE_TEST_SUITE_P(
    StartWeights, OfTorchvision,
    ::testing::Values(
        Torchvision{"resnet18",
                    Resnet18{.outputs = 3, .stem = Stem::kStandard},
                    122,
                    "e280ba8d453cf2dd5996aef54b8fd388e68627b18ebfaf0b70209d0563e4ac8f",
                    {-588127.7, -1308390, -1941751, -592892.7, -1312632, -1945187}},
        Torchvision{"resnet50",
                    Resnet50{.outputs = 3, .stem = Stem::kStandard},
                    320,
                    "4765eb4c9cd80ecaeea81dd53f7b0b9c271b1cd222c0d202ebc09208c606f516",
                    {-2.217043, -7.174575, -5.073941, -1.643973, -6.073538, -4.520426}},
        Torchvision{"densenet121",
                    Densenet121{.outputs = 3, .stem = Stem::kStandard},
                    727,
                    "0260842ae6f8dcde8a37caf6b33b4a7a0c287b2a84724b0a16b425af28102cd0",
                    {0.2920777, 0.5521926, 0.6678724, 0.292086, 0.5521796, 0.6678416}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace tidemill::models
