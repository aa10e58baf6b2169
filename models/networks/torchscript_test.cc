#include "models/spec/torchscript.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "torch/script.h"

#include "models/network.h"
#include "transform/script_rules/testing/made_archive.h"

namespace tidemill::models {
namespace {

using ::testing::HasSubstr;

// A linear layer after a doubling, as a TorchScript file.
std::string SaveScript(const std::string& name, const std::string& embed) {
  torch::jit::Module network("Network");
  network.register_parameter("weight", torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}), false);
  network.define("def forward(self, input):\n  return torch.matmul(input * 2, self.weight)\n");
  if (!embed.empty()) network.define("def embed(self, input):\n  return " + embed + "\n");
  std::string path = ::testing::TempDir() + name;
  network.save(path);
  return path;
}

std::string Saved(const torch::jit::Module& network) {
  std::ostringstream file;
  network.save(file);
  return file.str();
}

absl::StatusOr<torch::Tensor> Embedded(const std::string& file) {
  const torch::Tensor rows = torch::tensor({{1.0F, 5.0F}, {2.0F, 6.0F}, {3.0F, 7.0F}});
  const auto network = MakeNetwork(TorchScript{.file = file, .outputs = 2}, {{"input", {{2}}}});
  EXPECT_TRUE(network.ok()) << network.status().ToString();
  return network->Embed({{"input", rows}});
}

TEST(ScriptNetwork, EmbedsByItsOwnMethod) {
  const auto embedded = Embedded(SaveScript("embeds.pt", "input * 2"));
  ASSERT_TRUE(embedded.ok()) << embedded.status().ToString();
  EXPECT_TRUE(
      torch::equal(*embedded, torch::tensor({{2.0F, 10.0F}, {4.0F, 12.0F}, {6.0F, 14.0F}})));
}

TEST(ScriptNetwork, WithoutThatMethodSaysWhatToDo) {
  const auto embedded = Embedded(SaveScript("plain.pt", ""));
  EXPECT_EQ(embedded.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(embedded.status().message()),
              HasSubstr("export one that takes the same columns as forward"));
}

TEST(ScriptNetwork, AMethodThatGivesSomethingElseIsRefused) {
  const auto embedded = Embedded(SaveScript("sum.pt", "input.sum()"));
  EXPECT_EQ(embedded.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(embedded.status().message()), HasSubstr("instead of [n, d]"));
}

// A network over two numbers in `input` and one in each of `input_a` and `input_b`.
absl::StatusOr<torch::Tensor> OfThreeColumns(const std::string& arguments,
                                             const std::string& result) {
  torch::jit::Module network("Network");
  network.register_parameter("weight", torch::tensor({1.0F}), false);
  for (const std::string method : {"forward", "embed"}) {
    network.define("def " + method + "(self, " + arguments + "):\n  return " + result + "\n");
  }
  const std::string path = ::testing::TempDir() + "columns.pt";
  network.save(path);
  const InputSpecs inputs = {{"input", {{2}}}, {"input_a", {{1}}}, {"input_b", {{1}}}};
  const auto made = MakeNetwork(TorchScript{.file = path, .outputs = 2}, inputs);
  if (!made.ok()) return made.status();
  return made->Embed({{"input", torch::tensor({{1.0F, 2.0F}})},
                      {"input_a", torch::tensor({{10.0F}})},
                      {"input_b", torch::tensor({{100.0F}})}});
}

TEST(ScriptNetwork, TakesColumnsByTheNamesOfItsArguments) {
  const torch::Tensor expected = torch::tensor({{89.0F, 88.0F}});
  for (const std::string arguments : {"input, input_a, input_b", "input_b, input, input_a",
                                      "input_a, input_b, input, scale: float=1.0"}) {
    const auto found = OfThreeColumns(arguments, "input_b - input_a - input");
    ASSERT_TRUE(found.ok()) << arguments << found.status().ToString();
    EXPECT_TRUE(torch::equal(*found, expected)) << arguments << *found;
  }
}

TEST(ScriptNetwork, TakesColumnsInTheOrderOfTheirNamesWhereArgumentsHaveOthers) {
  const torch::Tensor expected = torch::tensor({{89.0F, 88.0F}});
  for (const auto& [arguments, result] :
       {std::pair("x, y, z", "z - y - x"), std::pair("input, y, z", "z - y - input")}) {
    const auto found = OfThreeColumns(arguments, result);
    ASSERT_TRUE(found.ok()) << arguments << found.status().ToString();
    EXPECT_TRUE(torch::equal(*found, expected)) << arguments << *found;
  }
}

TEST(ScriptNetwork, WhoseArgumentsAreNamedAfterOtherColumnsIsRefused) {
  const auto found = OfThreeColumns("x, input_b, y", "y - input_b - x");
  EXPECT_EQ(found.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(found.status().message()),
              HasSubstr("the argument input_b of forward would be given the column input_a"));
}

// The status of a file with these bytes.
absl::Status MadeOf(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "hostile.pt";
  std::ofstream(path, std::ios::binary) << bytes;
  return MakeNetwork(TorchScript{.file = path, .outputs = 2}, {{"input", {{2}}}}).status();
}

TEST(ScriptNetwork, OfAFileMadeByHandIsMade) {
  EXPECT_TRUE(MadeOf(testing::NetworkOf("return torch.relu(x)")).ok())
      << MadeOf(testing::NetworkOf("return torch.relu(x)")).ToString();
}

TEST(ScriptNetwork, ThatIsNotArithmeticIsRefusedBeforeItRuns) {
  for (const std::string& body : testing::HostileBodies()) {
    EXPECT_THAT(MadeOf(testing::NetworkOf(body)).ToString(),
                HasSubstr("not among the operators that a script may use"))
        << body;
  }
}

// As programs that use libtorch write it.
TEST(ScriptNetwork, ThatReadsOrWritesAFileIsRefusedInEveryMethod) {
  const std::string made = ::testing::TempDir() + "made_by_a_script";
  std::filesystem::remove(made);
  for (const std::string method : {"forward", "embed", "__init__", "other"}) {
    torch::jit::Module network("Network");
    network.register_parameter("weight", torch::tensor({1.0F}), false);
    if (method != "forward") network.define("def forward(self, input):\n  return input\n");
    network.define("def " + method + "(self, input):\n  return torch.from_file('" + made +
                   "', True, 10)\n");
    EXPECT_THAT(MadeOf(Saved(network)).ToString(), HasSubstr("torch.from_file")) << method;
  }
  EXPECT_FALSE(std::filesystem::exists(made));
}

// The text does not say that an attribute of the script's own is not meant: the graph does.
TEST(ScriptNetwork, WithAMethodThatRunsWhenItIsReadIsRefused) {
  const std::string made = ::testing::TempDir() + "made_by_a_state";
  std::filesystem::remove(made);
  torch::jit::Module network("Network");
  network.define(
      "def forward(self, input):\n  return input\n"
      "def __getstate__(self):\n  return 1\n"
      "def __setstate__(self, state: int):\n  torch.from_file('" +
      made + "', True, 10)\n");
  EXPECT_THAT(MadeOf(Saved(network)).ToString(), HasSubstr("would run when the file is read"));
  EXPECT_FALSE(std::filesystem::exists(made));
}

TEST(ScriptNetwork, ThatHidesAnOperatorInAnAttributeOfItsNameIsRefused) {
  torch::jit::Module network("Network");
  network.register_attribute("empty", c10::IntType::get(), 1);
  network.define("def forward(self, input):\n  return input.new_full([1], self.empty)\n");
  EXPECT_TRUE(MadeOf(Saved(network)).ok()) << MadeOf(Saved(network)).ToString();
  const std::string code =
      "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
      "  def empty_like(self: __torch__.Net) -> int:\n    return 1\n"
      "  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    return x.empty_like()\n";
  EXPECT_THAT(MadeOf(testing::MadeArchive(testing::NetworkRecords(code))).ToString(),
              HasSubstr("aten::empty_like is not among the operators"));
}

}  // namespace
}  // namespace tidemill::models
