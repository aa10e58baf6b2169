#include "cli/command_line/named_samples.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

TEST(NamedSamplesTest, AreKeysAndPlacesALine) {
  const auto samples = ReadNamedSamples(
      "# of user 17\n17592186044417\n\nday 1/a b.csv 3\r\nb.csv\t0\n{\"key\":5}\n"
      "{\"file\":\"c.csv\",\"record\":7}");
  ASSERT_THAT(samples, IsOk());
  EXPECT_THAT(samples->keys, ElementsAre(17592186044417, 5));
  EXPECT_THAT(samples->places,
              ElementsAre(Pair("day 1/a b.csv", 3), Pair("b.csv", 0), Pair("c.csv", 7)));
}

TEST(NamedSamplesTest, AreThePrintedListing) {
  const auto samples = ReadNamedSamples(
      "{\"dataset\":\"d\",\"columns\":[\"user\"],\"records\":[\n"
      "{\"key\":2,\"file\":\"a.csv\",\"record\":0,\"fields\":{\"user\":\"17\"}},\n"
      "{\"key\":9,\"file\":\"a.csv\",\"record\":4,\"fields\":{\"user\":\"17\"}}\n],\"matches\":2}"
      "\n");
  ASSERT_THAT(samples, IsOk());
  EXPECT_THAT(samples->keys, ElementsAre(2, 9));
  EXPECT_THAT(samples->places, IsEmpty());
  EXPECT_THAT(ReadNamedSamples("[{\"key\":3}]")->keys, ElementsAre(3));
}

TEST(NamedSamplesTest, SayWhichLineNamesNone) {
  const auto expect = [](const std::string& text, const std::string& what) {
    EXPECT_THAT(ReadNamedSamples(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what)));
  };
  expect("1\nuser 17 x\n", "line 2 names no sample: 'user 17 x'");
  expect("a.csv\n", "line 1 names no sample: 'a.csv'");
  expect("a.csv -1\n", "line 1");
  expect("{\"record\":7}\n", "line 1");
  expect("{\"key\":1}\n{\"key\":\"x\"}\n", "line 2");
  expect("17.5\n", "line 1");
  expect("99999999999999999999\n", "line 1");
}

TEST(NamedSamplesTest, OfKeysAreNumbersBetweenCommas) {
  const auto samples = ReadKeys("3, 1,3");
  ASSERT_THAT(samples, IsOk());
  EXPECT_THAT(samples->keys, ElementsAre(3, 1, 3));
  EXPECT_THAT(ReadKeys("1,x"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'x' is not a sample key")));
  EXPECT_THAT(ReadKeys("1,,2"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("''")));
}

TEST(NamedSamplesTest, AreNamedOnce) {
  NamedSamples samples{.keys = {3, 1, 3}, .places = {{"b", 1}, {"a", 2}, {"b", 1}}};
  RemoveRepetitions(samples);
  EXPECT_THAT(samples.keys, ElementsAre(1, 3));
  EXPECT_THAT(samples.places, ElementsAre(Pair("a", 2), Pair("b", 1)));
}

TEST(NamedSamplesTest, AreReadFromFilesAndPipesOfABoundedSize) {
  const std::string folder = ::testing::TempDir();
  const std::string path = folder + "/named_samples";
  std::ofstream(path) << "5\n6\n";
  EXPECT_THAT(ReadSampleFile(path)->keys, ElementsAre(5, 6));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "7\n", 2), 2);
  close(ends[1]);
  EXPECT_THAT(ReadSampleFile(fmt::format("/dev/fd/{}", ends[0]))->keys, ElementsAre(7));
  close(ends[0]);
  EXPECT_THAT(ReadSampleFile("/dev/zero"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("/dev/zero: it is neither a file nor a pipe")));
  EXPECT_THAT(ReadSampleFile(folder),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("neither")));
  std::filesystem::resize_file(path,
                               kMaxSampleFileBytes + 1);  // The zeros take no room on the disk.
  EXPECT_THAT(ReadSampleFile(path), StatusIs(absl::StatusCode::kResourceExhausted,
                                             HasSubstr("it is larger than 256 MiB")));
  std::filesystem::remove(path);
  EXPECT_THAT(ReadSampleFile(path), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
}

TEST(NamedSamplesTest, OfADocumentAreItsRecordsAlone) {
  EXPECT_THAT(ReadNamedSamples("{\"matching\":[{\"key\":1}],\"records\":[{\"key\":2}]}")->keys,
              ElementsAre(2));
  EXPECT_THAT(ReadNamedSamples("[{\"key\":1}, 2]"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 1")));
}

}  // namespace
}  // namespace tidemill::cli
