#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/config.h"
#include "config/numbers.h"

namespace tidemill::config {
namespace {

struct Work {
  DeviceChoice device;

  void Fields(auto&& field) { field("device", device, "Where to work."); }
  friend bool operator==(const Work&, const Work&) = default;
};

TEST(DeviceChoices, AreReadAsTheyAreWritten) {
  for (const char* text : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"}) {
    const auto device = ParseDevice(text);
    ASSERT_TRUE(device.ok()) << device.status();
    EXPECT_EQ(FormatDevice(*device), text);
  }
  EXPECT_EQ(ParseDevice("cuda:3")->index, 3);
  EXPECT_EQ(ParseDevice("cuda")->index, std::nullopt);
}

TEST(DeviceChoices, AreNothingElse) {
  for (const char* text : {"", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:01", "cuda:+1", "cuda:1000",
                           "cuda:1 ", "cpu:0", "cuda:99999999999"}) {
    EXPECT_FALSE(ParseDevice(text).ok()) << text;
  }
}

TEST(DeviceChoices, AreRefusedWithTheirPlace) {
  const auto work = Read<Work>("\ndevice: gpu\n", "work.yaml");
  ASSERT_FALSE(work.ok());
  EXPECT_THAT(std::string(work.status().message()),
              ::testing::HasSubstr("work.yaml:2:9: error: device: expected a device: auto, cpu, "
                                   "cuda or cuda:1, got 'gpu'"));
}

TEST(DeviceChoices, ArePrintedAndReadBack) {
  const Work work{.device = {.kind = DeviceChoice::Kind::kCuda, .index = 1}};
  const std::string text = Print(work);
  const auto read = Read<Work>(text, "work.yaml");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, work) << text;
}

}  // namespace
}  // namespace tidemill::config
