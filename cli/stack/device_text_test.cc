#include "cli/stack/device_text.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

// Two places on processors, one of which is in use, and a GPU.
supervisor::v1::ServerSlots Server() {
  supervisor::v1::ServerSlots server;
  server.set_server("trainer_server");
  server.add_slots()->set_device("cpu");
  rpc::v1::Slot& busy = *server.add_slots();
  busy.set_device("cpu");
  busy.set_job("the training of trigger 1 of run 3");
  rpc::v1::Slot& gpu = *server.add_slots();
  gpu.set_device("cuda:0");
  gpu.set_id("GPU-1");
  gpu.set_name("NVIDIA H200");
  gpu.set_memory_bytes(int64_t{140} << 30);
  return server;
}

TEST(DeviceText, ShowsWhatEachDeviceDoes) {
  supervisor::v1::ServerSlots server = Server();
  EXPECT_EQ(DescribeSlots(server), "cpu, 1 of 2 in use; cuda:0, NVIDIA H200, 140.0 GiB, free");
  rpc::v1::Slot& gpu = *server.mutable_slots(2);
  gpu.set_used_bytes(int64_t{3} << 30);
  gpu.set_busy_share(0.41);
  gpu.set_job("the training of trigger 2 of run 3");
  EXPECT_EQ(
      DescribeSlots(server),
      "cpu, 1 of 2 in use; cuda:0, NVIDIA H200, 3.0 of 140.0 GiB used, busy 41 %: the training "
      "of trigger 2 of run 3");
}

TEST(DeviceText, SaysWhyThereIsNoGpu) {
  supervisor::v1::ServerSlots server;
  server.add_slots()->set_device("cpu");
  server.set_why_no_gpu("this machine has no NVIDIA driver");
  EXPECT_EQ(DescribeSlots(server), "cpu, 0 of 1 in use; no GPU: this machine has no NVIDIA driver");
  server.set_error("does not answer at unix:/x");
  EXPECT_EQ(DescribeSlots(server), "does not say: does not answer at unix:/x");
}

TEST(DeviceText, LeavesUnknownValuesNullInJson) {
  supervisor::v1::ListDevicesResponse devices;
  *devices.add_servers() = Server();
  const auto json = DevicesToJson(devices);
  EXPECT_EQ(json[0]["server"], "trainer_server");
  EXPECT_EQ(json[0]["slots"][2]["memory_bytes"], int64_t{140} << 30);
  EXPECT_TRUE(json[0]["slots"][2]["used_bytes"].is_null());
  EXPECT_EQ(json[0]["slots"][1]["job"], "the training of trigger 1 of run 3");
}

}  // namespace
}  // namespace tidemill::cli
