#include "supervisor/plans/device_check.h"

#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/checks/pipeline_check.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using testing::kTestdata;

// A sound pipeline with these devices.
CheckedPipeline With(const std::string& training, const std::string& evaluation) {
  std::ifstream stream(kTestdata / "sound.yaml");
  std::ostringstream text;
  text << stream.rdbuf() << "    device: " << evaluation << "\n";
  std::string pipeline = text.str();
  const std::string key = "training:\n";
  pipeline.insert(pipeline.find(key) + key.size(), "  device: " + training + "\n");
  CheckedPipeline checked = CheckPipeline({.text = pipeline, .file_name = "pipeline.yaml"});
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  return checked;
}

v1::ListDevicesResponse Stack(int num_gpus) {
  v1::ListDevicesResponse there;
  for (const char* server : {"trainer_server", "evaluator"}) {
    v1::ServerSlots& slots = *there.add_servers();
    slots.set_server(server);
    slots.add_slots()->set_device("cpu");
    slots.add_slots()->set_device("cpu");
    for (int gpu = 0; gpu < num_gpus; ++gpu) {
      rpc::v1::Slot& slot = *slots.add_slots();
      slot.set_device(fmt::format("cuda:{}", gpu));
      slot.set_id(fmt::format("GPU-{}", gpu));
      slot.set_name("NVIDIA H200");
      slot.set_memory_bytes(int64_t{140} << 30);
    }
    if (num_gpus == 0) slots.set_why_no_gpu("this machine has no NVIDIA driver");
  }
  return there;
}

std::string ProblemsOf(CheckedPipeline checked, const v1::ListDevicesResponse& there) {
  CheckDevices(checked.value, there, checked.problems);
  return checked.problems.ToString();
}

TEST(CheckDevices, ListsTheDevicesAtTheKeyThatAsksForMore) {
  const std::string problems = ProblemsOf(With("cuda:3", "cuda"), Stack(2));
  EXPECT_THAT(problems,
              HasSubstr("pipeline.yaml:21:11: error: training.device: the trainer server of "
                        "the stack has no cuda:3; it has cpu, cuda:0 (NVIDIA H200, 140 "
                        "GiB), cuda:1 (NVIDIA H200, 140 GiB)"));
  EXPECT_THAT(problems, Not(HasSubstr("evaluat")));
}

TEST(CheckDevices, SaysWhyThereIsNoGpu) {
  EXPECT_THAT(ProblemsOf(With("cpu", "cuda"), Stack(0)),
              HasSubstr("evaluation[0].device: the evaluator of the stack has no cuda; it has cpu, "
                        "and no GPU: this machine has no NVIDIA driver"));
}

TEST(CheckDevices, AcceptsDevicesOfTheStack) {
  EXPECT_EQ(ProblemsOf(With("cuda:1", "cuda"), Stack(2)), "");
  EXPECT_EQ(ProblemsOf(With("auto", "cpu"), Stack(0)), "");
}

TEST(CheckDevices, RefusesNothingOfAServerThatDoesNotAnswer) {
  v1::ListDevicesResponse there = Stack(0);
  for (v1::ServerSlots& server : *there.mutable_servers()) server.set_error("it does not answer");
  EXPECT_EQ(ProblemsOf(With("cuda:3", "cuda"), there), "");
}

TEST(CheckDevices, AsksOnlyForPipelinesThatNameAGpu) {
  EXPECT_TRUE(NamesGpu(With("auto", "cuda").value));
  EXPECT_FALSE(NamesGpu(With("auto", "cpu").value));
}

}  // namespace
}  // namespace tidemill::supervisor
