#include "models/export/model_export.h"

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "torch/script.h"

#include "base/files.h"
#include "config/config.h"
#include "models/artefact_spec.h"
#include "models/export/network_trace.h"
#include "models/export/onnx_network.h"
#include "models/network.h"
#include "models/spec/networks.h"
#include "transform/fitted_state.h"

namespace tidemill::models {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const InputSpecs kImage = {{"input", {{1, 16, 16}, false}}};
const InputSpecs kTokens = {{"input", {{6}, true}}};
const InputSpecs kTable = {{"input", {{3}, false}}, {"input_categories", {{2}, true}}};
const InputSpecs kRow = {{"input", {{1}, false}}};
const InputSpecs kSeries = {{"input", {{8, 2}, false}}};

class Export : public ::testing::Test {
 protected:
  Export() : folder_(::testing::TempDir() + "/export_test") {
    fs::remove_all(folder_);
    EXPECT_TRUE(files::CreateFolder(Artefact()).ok());
  }
  ~Export() override { fs::remove_all(folder_); }

  std::string Artefact() const { return folder_ + "/artefact"; }
  std::string Output() const { return folder_ + "/output"; }

  Network Put(const ModelSpec& spec, const InputSpecs& inputs) {
    SeedGenerator({.seed = 5, .purpose = "init"});
    auto network = MakeNetwork(spec, inputs);
    EXPECT_TRUE(network.ok()) << network.status().ToString();
    const ArtefactSpec artefact{
        .model = spec,
        .graph = *config::Read<transform::GraphSpec>(
            "- parse_csv: {columns: [a]}\n- stack: {columns: all, into: input}\n- label: {}", "g"),
        .dataset = *config::Read<storage::DatasetSpec>(
            "path: /data\nformat: {type: csv, columns: [a, "
            "b]}\nlabel: {column: b, classes: [\"no\", \"yes\"]}",
            "d"),
        .classes = {"no", "yes"}};
    Write("weights.safetensors", EncodeWeights(*network).value());
    Write("spec.yaml", EncodeArtefactSpec(artefact));
    Write("fitted.batch",
          transform::FittedState("graph", {{0, {{"a", "mean", {15}, {}}}}}).Encode());
    network->module->eval();
    return *network;
  }

  void Write(const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(files::WriteAtomically(files::Join(Artefact(), name), bytes).ok());
  }

  const std::string folder_;
};

std::vector<std::pair<ModelSpec, InputSpecs>> Networks() {
  return {{Mlp{.hidden = {8}, .outputs = 2, .dropout = 0.5}, kImage},
          {Logistic{.outputs = 2}, kSeries},
          {Convnet{.channels = {4}, .hidden = 8, .outputs = 2}, kImage},
          {Resnet18{.outputs = 2, .width = 4}, kImage},
          {EmbeddingBag{.vocabulary = 9, .width = 4, .outputs = 2}, kTokens},
          {TextTransformer{.vocabulary = 9, .width = 8, .heads = 2, .layers = 1, .outputs = 2},
           kTokens},
          {Dlrm{.categories = {3, 4}, .outputs = 2}, kTable},
          {FactorizationMachine{.categories = {3, 4}, .outputs = 2}, kTable},
          {Gru{.hidden = 4, .layers = 2, .residual = true, .outputs = 2}, kSeries},
          {Tcn{.hidden = 4, .layers = 2, .outputs = 2}, kSeries}};
}

TEST_F(Export, WritesEachNetworkAsOnnx) {
  for (const auto& [spec, inputs] : Networks()) {
    SeedGenerator({.seed = 5, .purpose = "init"});
    const Network network = MakeNetwork(spec, inputs).value();
    OnnxGraph onnx;
    std::map<std::string, std::string> names;
    for (const auto& input : inputs) names[input.first] = input.first;
    const auto written = WriteOnnxNetwork(network, names, onnx);
    EXPECT_TRUE(written.ok()) << spec.type() << ": " << written.status().ToString();
  }
}

TEST_F(Export, TracesEachNetworkForBatchesOfAnySize) {
  for (const auto& [spec, inputs] : Networks()) {
    SeedGenerator({.seed = 5, .purpose = "init"});
    const Network network = MakeNetwork(spec, inputs).value();
    network.module->eval();
    const torch::NoGradGuard no_gradients;
    torch::jit::Module module = NetworkScript(network).value();
    EXPECT_EQ(module.named_parameters().size(), network.module->parameters().size());
    Inputs rows;
    std::vector<torch::jit::IValue> arguments;
    for (const auto& [name, input] : inputs) {
      std::vector<int64_t> shape = input.shape;
      shape.insert(shape.begin(), 7);
      rows[name] = input.is_integer ? torch::randint(3, shape, torch::kInt64) : torch::randn(shape);
      arguments.emplace_back(rows[name]);
    }
    EXPECT_TRUE(
        torch::allclose(module.forward(arguments).toTensor(), network.Forward(rows), 1e-4, 1e-5))
        << spec.type();
  }
}

TEST_F(Export, ANetworkFromAFileIsWrittenWithItsWeightsAndDoesNotRun) {
  const std::string file = folder_ + "/network.pt";
  torch::jit::Module script("Network");
  script.register_parameter("weight", torch::tensor({1.0F}), false);
  script.define(
      "def forward(self, input):\n  assert bool((input < input).any()), 'it ran'\n  return "
      "self.weight\n");
  script.save(file);
  const Network network = Put(TorchScript{.file = file, .outputs = 1}, kRow);
  const auto status = ExportTorchScript(Artefact(), {}, Output());
  ASSERT_TRUE(status.ok()) << status.ToString();
  const torch::jit::Module exported = torch::jit::load(Output() + "/model.pt", torch::kCPU);
  const torch::jit::Module inside = exported.attr("network").toModule();
  EXPECT_EQ(inside.attr("weight").toTensor().item<float>(), 1.0F);
}

TEST_F(Export, AModuleThatGivesOtherNumbersIsNotTakenForTheNetwork) {
  const ModelSpec spec = Logistic{.outputs = 2};
  SeedGenerator({.seed = 5, .purpose = "init"});
  const Network network = MakeNetwork(spec, kSeries).value();
  torch::jit::Module module = NetworkScript(network).value();
  EXPECT_TRUE(CompareScript(network, module).ok());
  SeedGenerator({.seed = 6, .purpose = "init"});
  const Network other = MakeNetwork(spec, kSeries).value();
  EXPECT_EQ(CompareScript(other, module).code(), absl::StatusCode::kInternal);
}

TEST_F(Export, WritesAFolderThatTellsWhatTheModelIs) {
  const Network network = Put(Mlp{.hidden = {8}, .outputs = 2}, kSeries);
  ASSERT_TRUE(ExportSafetensors(Artefact(), Output()).ok());
  const std::string weights = files::Read(Output() + "/model.safetensors").value();
  const auto copy = DecodeNetwork(Mlp{.hidden = {8}, .outputs = 2}, weights);
  ASSERT_TRUE(copy.ok()) << copy.status().ToString();
  EXPECT_EQ(EncodeWeights(*copy).value(), EncodeWeights(network).value());
  const auto json = nlohmann::json::parse(files::Read(Output() + "/config.json").value());
  EXPECT_EQ(json["model_type"], "mlp");
  EXPECT_EQ(json["id2label"]["1"], "yes");
  EXPECT_EQ(json["inputs"][0]["shape"], (std::vector<int64_t>{8, 2}));
  EXPECT_THAT(files::Read(Output() + "/README.md").value(),
              HasSubstr("one for each class: no, yes."));
  const auto fitted = nlohmann::json::parse(files::Read(Output() + "/fitted.json").value());
  EXPECT_EQ(fitted["fitted"][0]["statistic"], "mean");
  EXPECT_FALSE(files::Exists(Output() + "/fitted.batch")) << "no program of others reads it";
}

TEST_F(Export, SaysHowAStandardizedLabelIsPutBackAndThatPreprocessingIsMissing) {
  Put(Logistic{.outputs = 1}, kSeries);
  auto artefact = *ReadArtefactSpec(Artefact());
  artefact.graph = *config::Read<transform::GraphSpec>(
      "- stack: {columns: all, into: input}\n- label: {}\n- standardize: {columns: [target]}\n",
      "g");
  Write("spec.yaml", EncodeArtefactSpec(artefact));
  const transform::FittedState fitted(
      "graph", {{2, {{"target", "mean", {15}, {}}, {"target", "std", {5}, {}}}}});
  Write("fitted.batch", fitted.Encode());
  ASSERT_TRUE(ExportSafetensors(Artefact(), Output()).ok());
  const auto json = nlohmann::json::parse(files::Read(Output() + "/config.json").value());
  EXPECT_EQ(json["target"]["mean"], 15);
  EXPECT_EQ(json["target"]["deviation"], 5);
  const std::string card = files::Read(Output() + "/README.md").value();
  EXPECT_THAT(card, HasSubstr("its output times 5 plus 15"));
  EXPECT_THAT(card, HasSubstr("no preprocessing"));
}

TEST_F(Export, WritesOverNothingAndLeavesNothingHalfDone) {
  Put(Logistic{.outputs = 2}, kRow);
  ASSERT_TRUE(ExportTorchScript(Artefact(), {}, Output()).ok());
  EXPECT_EQ(ExportTorchScript(Artefact(), {}, Output()).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ExportSafetensors(Artefact(), Output()).code(), absl::StatusCode::kFailedPrecondition);
  Write("weights.safetensors", "damaged");
  EXPECT_EQ(ExportTorchScript(Artefact(), {}, folder_ + "/other").code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace tidemill::models
