#include "models/spec/torchscript.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "torch/script.h"

#include "models/network.h"

namespace tidemill::models {
namespace {

using ::testing::HasSubstr;

// A linear layer behind a doubling, as a TorchScript file.
std::string SaveScript(const std::string& name, const std::string& embed) {
  torch::jit::Module network("Network");
  network.register_parameter("weight", torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}), false);
  network.define("def forward(self, input):\n  return torch.matmul(input * 2, self.weight)\n");
  if (!embed.empty()) network.define("def embed(self, input):\n  return " + embed + "\n");
  std::string path = ::testing::TempDir() + name;
  network.save(path);
  return path;
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

}  // namespace
}  // namespace tidemill::models
