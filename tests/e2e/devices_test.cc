// A stack with pretended GPUs, as its users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/tree.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;

// The small pipeline with these devices.
std::string WriteWithDevices(const std::string& folder, const std::string& training,
                             const std::string& evaluation) {
  const std::string path = WriteSmallPipeline(folder);
  std::string text = files::Read(path).value();
  const std::string device = "  device: cpu\n";
  text.replace(text.find(device), device.size(), "  device: " + training + "\n");
  const std::string dataset = "  - dataset: drift\n";
  text.insert(text.find(dataset) + dataset.size(), "    device: " + evaluation + "\n");
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

class DevicesTest : public ::testing::Test {
 protected:
  DevicesTest() {
    const CommandResult up = stack_.Tidemill(
        {"up"}, {{"TIDEMILL_PRETENDED_DEVICES", fmt::format("2x80GiB@{}", getpid())}});
    EXPECT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
  }

  const Stack stack_;
};

TEST_F(DevicesTest, ACheckSaysWhatThereIsWithLineAndColumn) {
  const std::string path = WriteWithDevices(stack_.files(), "cuda:3", "cuda");
  const CommandResult checked = stack_.Tidemill({"check", path});
  EXPECT_EQ(checked.exit_code, 3) << checked.out;
  EXPECT_THAT(checked.err,
              HasSubstr("pipeline.yaml:23:11: error: training.device: the trainer server "
                        "of the stack has no cuda:3; it has cpu, cuda:0 (pretended, 80 "
                        "GiB), cuda:1 (pretended, 80 GiB)"));
  EXPECT_EQ(stack_.Tidemill({"run", path}).exit_code, 3);
  const CommandResult json = stack_.Tidemill({"check", path, "--json"});
  EXPECT_EQ(json.exit_code, 3);
  EXPECT_EQ(json.Json().at("problems").at(0).at("path"), "training.device");
}

TEST_F(DevicesTest, TrainingsAndEvaluationsRunWhereThePipelineSays) {
  const std::string path = WriteWithDevices(stack_.files(), "cuda:1", "cuda:0");
  EXPECT_EQ(stack_.Tidemill({"check", path}).exit_code, 0);
  const CommandResult run = stack_.Tidemill({"run", path, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack_.Logs();
  const auto triggers = run.Json().at("triggers");
  ASSERT_FALSE(triggers.empty());
  for (const auto& trigger : triggers) EXPECT_EQ(trigger.at("device"), "cuda:1") << trigger.dump();
}

TEST_F(DevicesTest, ANetworkFromAFileIsTrainedAndMeasuredThere) {
  const std::string path = WriteWithDevices(stack_.files(), "cuda:0", "cuda:1");
  std::string text = files::Read(path).value();
  const std::string model = "model: {type: mlp, hidden: [8], outputs: 2}";
  text.replace(text.find(model), model.size(),
               "model: {type: torchscript, file: network.pt, outputs: 2}");
  ASSERT_TRUE(files::WriteAtomically(path, text).ok());
  std::filesystem::copy_file(testing::InTree("tests/testdata/network.pt"),
                             stack_.files() + "/network.pt");
  const CommandResult run = stack_.Tidemill({"run", path, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack_.Logs();
  EXPECT_EQ(run.Json().at("models").size(), 4);
}

TEST_F(DevicesTest, DoctorShowsEachDevice) {
  const CommandResult doctor = stack_.Tidemill({"doctor"});
  for (const char* server : {"trainer_server", "evaluator"}) {
    EXPECT_THAT(
        doctor.out,
        HasSubstr(std::string(server) +
                  ": cpu, 0 of 1 in use; cuda:0, pretended, 0.0 of 80.0 GiB used, busy 0 %, "
                  "free; cuda:1, pretended, 0.0 of 80.0 GiB used, busy 0 %, free"));
  }
}

}  // namespace
}  // namespace tidemill::tests
