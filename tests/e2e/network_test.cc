// A network beside the pipeline is sent to the stack with it, and is not needed there again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/tree.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The small pipeline with the network in the place of its model.
std::string WriteNetworkPipeline(const std::string& folder) {
  const std::string path = WriteSmallPipeline(folder);
  std::string text = *files::Read(path);
  const std::string model = "model: {type: mlp, hidden: [8], outputs: 2}";
  text.replace(text.find(model), model.size(),
               "model: {type: torchscript, file: nets/network.pt, outputs: 2}");
  std::ofstream(path) << text;
  fs::create_directory(folder + "/nets");
  fs::copy_file(testing::InTree("tests/testdata/network.pt"), folder + "/nets/network.pt");
  return path;
}

TEST(Network, OfAFileIsTrainedFromWhatWasSent) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WriteNetworkPipeline(stack.files());
  const CommandResult run = stack.Tidemill({"run", pipeline, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  EXPECT_EQ(run.Json().at("models").size(), 4);
  const std::string digest = *Sha256OfFile(testing::InTree("tests/testdata/network.pt"));
  EXPECT_TRUE(fs::exists(stack.state() + "/model_store/files/" + digest));
  // It is the stack's now: a resolved pipeline names it by what it holds, and runs without the
  // file.
  fs::remove_all(stack.files() + "/nets");
  std::string text = *files::Read(pipeline);
  const std::string name = "nets/network.pt";
  text.replace(text.find(name), name.size(), "\"sha256:" + digest + "\"");
  std::ofstream(pipeline) << text;
  const CommandResult again = stack.Tidemill({"run", pipeline, "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err << stack.Logs();
  EXPECT_EQ(again.Json().at("models").size(), 4);
}

TEST(Network, BeginsWithWeightsThatCameWithThePipeline) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WriteSmallPipeline(stack.files());
  const CommandResult first = stack.Tidemill({"run", pipeline, "--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err << stack.Logs();
  const CommandResult exported =
      stack.Tidemill({"models", "export", "latest", "--output", stack.files() + "/hub"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  for (const char* const from : {"{file: hub/model.safetensors}", "{folder: hub}", "{model: 1}"}) {
    const CommandResult run = stack.Tidemill(
        {"run", pipeline, "--json", "--set", fmt::format("training.start_from={}", from)});
    ASSERT_EQ(run.exit_code, 0) << from << run.err << stack.Logs();
    EXPECT_NE(run.Json().at("triggers").at(0).at("weights_digest"),
              first.Json().at("triggers").at(0).at("weights_digest"))
        << from;
  }
}

TEST(Network, ThatIsNoneIsRefusedByACheck) {
  const Stack stack;
  const std::string pipeline = WriteNetworkPipeline(stack.files());
  EXPECT_EQ(stack.Tidemill({"check", pipeline}).exit_code, 0);
  std::ofstream(stack.files() + "/nets/network.pt") << "weights";
  const CommandResult text = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(text.exit_code, 3);
  EXPECT_THAT(text.err, HasSubstr("nets/network.pt is not a TorchScript file"));
  EXPECT_THAT(text.err, HasSubstr("torch.jit.script(module).save(path)"));
  fs::remove(stack.files() + "/nets/network.pt");
  EXPECT_THAT(stack.Tidemill({"check", pipeline}).err, HasSubstr("there is no file"));
}

}  // namespace
}  // namespace tidemill::tests
