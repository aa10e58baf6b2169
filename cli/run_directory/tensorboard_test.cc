#include "cli/run_directory/tensorboard.h"

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "cli/run_directory/testing/example_run.h"
#include "records/crc32c.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

constexpr size_t kHeaderBytes = 12;  // Length and its sum.
constexpr size_t kSumBytes = 4;

template <typename Number>
Number NumberAt(std::string_view bytes) {
  Number number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

// The events up to the end, or to the first truncated or damaged record, as a reader takes them.
std::vector<tensorboard::v1::Event> ReadEventFile(std::string_view bytes) {
  std::vector<tensorboard::v1::Event> events;
  while (bytes.size() >= kHeaderBytes + kSumBytes) {
    const auto length = NumberAt<uint64_t>(bytes);
    if (MaskCrc32c(Crc32c(bytes.substr(0, 8))) != NumberAt<uint32_t>(bytes.substr(8))) break;
    bytes.remove_prefix(kHeaderBytes);
    if (length > bytes.size() - kSumBytes) break;
    const std::string_view data = bytes.substr(0, length);
    if (MaskCrc32c(Crc32c(data)) != NumberAt<uint32_t>(bytes.substr(length))) break;
    tensorboard::v1::Event event;
    if (!event.ParseFromArray(data.data(), static_cast<int>(data.size()))) break;
    events.push_back(std::move(event));
    bytes.remove_prefix(length + kSumBytes);
  }
  return events;
}

// Steps and values of each curve.
using Curves = std::map<std::string, std::vector<std::pair<int64_t, float>>>;

Curves CurvesOf(std::string_view bytes) {
  Curves curves;
  for (const auto& event : ReadEventFile(bytes)) {
    for (const auto& value : event.summary().value()) {
      if (value.has_simple_value()) {
        curves[value.tag()].emplace_back(event.step(), value.simple_value());
      }
    }
  }
  return curves;
}

// The expected bytes come from TensorBoard 2.21's own RecordWriter.
TEST(EventFile, HasTheBytesThatTensorBoardWrites) {
  EventFile file(1.5);
  file.AddScalar("loss/train", 3, 2.5, 0.25);
  EXPECT_EQ(Hex(file.bytes()),
            "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c"
            "200000000000000029eda95009000000000000044010032a130a110a0a6c6f73732f747261696e15"
            "0000803e36a936ab");
}

TEST(EventFile, KeepsWhatIsBeforeACutOffTail) {
  EventFile file(1);
  file.AddScalar("a", 1, 1, 1);
  const size_t whole = file.bytes().size();
  file.AddScalar("a", 2, 1, 2);
  for (size_t size = whole; size < file.bytes().size(); ++size) {
    EXPECT_THAT(ReadEventFile(std::string_view(file.bytes()).substr(0, size)), SizeIs(2)) << size;
  }
  EXPECT_THAT(ReadEventFile(file.bytes()), SizeIs(3));
}

TEST(EventFile, StopsAtADamagedRecord) {
  EventFile file(1);
  const size_t first = file.bytes().size();
  file.AddScalar("a", 1, 1, 1);
  for (size_t at = first; at < file.bytes().size(); ++at) {
    std::string damaged = file.bytes();
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_THAT(ReadEventFile(damaged), SizeIs(1)) << at;
  }
}

TEST(TensorBoardEvents, HoldTheLossesOfAllTrainingsOnOneAxis) {
  const Curves curves = CurvesOf(TensorBoardEvents(testing::ExampleRun("p", 3).run));
  EXPECT_THAT(curves.at("loss/train"),
              ElementsAre(std::pair(80, 0.9F), std::pair(160, 0.5F), std::pair(240, 0.4F),
                          std::pair(320, 0.9F), std::pair(400, 0.5F), std::pair(480, 0.4F)));
}

TEST(TensorBoardEvents, HoldMeasuresByWindowAtTheirEventTime) {
  const std::string bytes = TensorBoardEvents(testing::ExampleRun("p", 4).run);
  // One day off in eight.
  EXPECT_THAT(CurvesOf(bytes).at("active/accuracy/days"),
              ElementsAre(std::pair(1, 0.875F), std::pair(2, 0.875F), std::pair(3, 0.875F)));
  for (const auto& event : ReadEventFile(bytes)) {
    if (event.summary().value_size() == 0) continue;
    if (event.summary().value(0).tag() != "active/accuracy/days") continue;
    EXPECT_EQ(event.wall_time(), 86'400.0 * (20'000 + 1 + event.step()));
  }
}

TEST(TensorBoardEvents, HoldThePipelineAsText) {
  const auto events = ReadEventFile(TensorBoardEvents(testing::ExampleRun("p", 2).run));
  ASSERT_GE(events.size(), 2U);
  const auto& text = events[1].summary().value(0);
  EXPECT_EQ(text.tag(), "pipeline");
  EXPECT_EQ(text.metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(text.tensor().dtype(), 7);
  EXPECT_THAT(text.tensor().string_val(0), StartsWith("    name: p\n"));
}

TEST(EventFileName, IsOneThatTensorBoardLooksFor) {
  EXPECT_THAT(EventFileName(testing::ExampleRun("p", 2).run),
              StartsWith("events.out.tfevents.1800000000."));
}

}  // namespace
}  // namespace tidemill::cli
