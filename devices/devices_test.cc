#include "devices/devices.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "devices/nvml_devices.h"
#include "devices/pretended_devices.h"

namespace tidemill::devices {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> IdsOf(const Devices& devices) {
  std::vector<std::string> ids;
  for (const Gpu& gpu : devices.gpus()) ids.push_back(gpu.id);
  return ids;
}

TEST(PretendedDevices, AreAsManyAsAreNamed) {
  const auto four = PretendDevices("4x80GiB");
  ASSERT_TRUE(four.ok()) << four.status();
  ASSERT_EQ((*four)->gpus().size(), 4);
  EXPECT_EQ((*four)->gpus()[3].index, 3);
  EXPECT_EQ((*four)->gpus()[3].memory_bytes, int64_t{80} << 30);
  EXPECT_TRUE((*four)->gpus()[3].is_pretended);
  EXPECT_EQ((*four)->UseOf((*four)->gpus()[3])->used_bytes, 0);
  EXPECT_EQ((*four)->gpus()[3].id, "pretended-3");
  EXPECT_EQ((*PretendDevices("1x80GiB@here"))->gpus()[0].id, "pretended-0@here");
  EXPECT_EQ(Describe(**PretendDevices("1x80GiB")), "cuda:0 (pretended, 80 GiB)");
  EXPECT_EQ(Describe(**PretendDevices("0x1GiB")), "no GPU: none is pretended");
}

TEST(PretendedDevices, AreRefusedWhereTheyAreUnclear) {
  for (const char* text : {"", "4", "x80GiB", "4x", "-1x1GiB", "4x80", "4x0B", "1e9x1GiB"}) {
    const auto devices = PretendDevices(text);
    ASSERT_FALSE(devices.ok()) << text;
    EXPECT_THAT(devices.status().message(), HasSubstr("write a number of devices")) << text;
  }
}

TEST(PretendedDevices, AreFoundByTheVariable) {
  setenv(kPretendedVariable, "2x1GiB", 1);
  const auto devices = FindDevices();
  unsetenv(kPretendedVariable);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_EQ((*devices)->gpus().size(), 2);
}

TEST(NvmlDevices, AreWhatTheDriverLists) {
  const auto devices = AskNvml(PRETENDED_NVML, nullptr);
  // The last GPU does not answer: no job could use it.
  EXPECT_THAT(IdsOf(*devices), ElementsAre("GPU-aaaa-1", "MIG-bbbb-2-1", "MIG-bbbb-2-2"));
  EXPECT_EQ(
      Describe(*devices),
      "cuda:0 (NVIDIA H200, 150 GiB), cuda:1 (NVIDIA H100 MIG 3g.40gb, 40 GiB), cuda:2 (NVIDIA "
      "H100 MIG 3g.40gb, 40 GiB)");
}

TEST(NvmlDevices, TellWhatTheyDo) {
  const auto devices = AskNvml(PRETENDED_NVML, nullptr);
  const auto whole = devices->UseOf(devices->gpus()[0]);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->used_bytes, int64_t{3} << 30);
  EXPECT_EQ(whole->busy_share, 0.41);
  EXPECT_EQ(devices->UseOf(devices->gpus()[1])->busy_share, std::nullopt);
  Gpu lost = devices->gpus()[0];
  lost.id = "GPU-cccc-3";
  EXPECT_EQ(devices->UseOf(lost).status().message(), "cuda:0 (NVIDIA H200): GPU is lost");
}

TEST(NvmlDevices, AreThoseThatThisProcessMayUse) {
  EXPECT_THAT(IdsOf(*AskNvml(PRETENDED_NVML, "2,0")), ElementsAre("MIG-bbbb-2-2", "GPU-aaaa-1"));
  EXPECT_THAT(IdsOf(*AskNvml(PRETENDED_NVML, "GPU-aaaa")), ElementsAre("GPU-aaaa-1"));
  // As CUDA does: nothing after the first that is not there.
  EXPECT_THAT(IdsOf(*AskNvml(PRETENDED_NVML, "0,9,1")), ElementsAre("GPU-aaaa-1"));
  const auto none = AskNvml(PRETENDED_NVML, "");
  EXPECT_THAT(none->gpus(), IsEmpty());
  EXPECT_EQ(Describe(*none), "no GPU: CUDA_VISIBLE_DEVICES is ''");
  EXPECT_EQ(AskNvml(PRETENDED_NVML, "2")->gpus().front().index, 0);
}

TEST(NvmlDevices, AreNoneWithoutADriver) {
  const auto devices = AskNvml("libthere-is-none.so.1", nullptr);
  EXPECT_THAT(devices->gpus(), IsEmpty());
  EXPECT_THAT(devices->why_none(), HasSubstr("driver"));
}

}  // namespace
}  // namespace tidemill::devices
