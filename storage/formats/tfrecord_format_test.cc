#include "storage/client/formats/tfrecord_format.h"

#include <random>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "storage/testing/format_fixture.h"
#include "storage/testing/random_bytes.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::FormatTest;
using ::testing::HasSubstr;
using testing::RandomBytes;
using testing::TfExample;
using testing::TfRecord;
using testing::WantedSample;
using tidemill::testing::IsOk;

constexpr char kExamples[] = R"(
format: tfrecord
event_time: {column: at, format: unix}
label: {column: label}
max_bad_fraction: 1
)";
constexpr char kBytes[] = R"(
format: {type: tfrecord, max_record: 4MiB}
event_time: {row: {start: 1970-01-01, step: 1s}}
max_bad_fraction: 1
)";

TEST_F(FormatTest, TfRecordsComeBackAsTheyWereWritten) {
  std::mt19937 random(12);
  for (int round = 0; round < 10; ++round) {
    std::string file;
    std::vector<WantedSample> wanted;
    for (uint32_t count = random() % 60; count > 0; --count) {
      const size_t size = random() % 40 == 0 ? random() % 3'000'000 : random() % 70;
      const std::string record = RandomBytes(random, size);
      wanted.push_back({record, std::nullopt, std::ssize(wanted) * 1'000'000});
      file += TfRecord(record);
    }
    data_.Write("x.tfrecord", file);
    const auto found = Index(Spec(kBytes), "x.tfrecord");
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->num_bad, 0);
    ASSERT_EQ(Samples("x.tfrecord", *found), wanted);
  }
}

TEST_F(FormatTest, LabelsAndTimesOfTfRecordsAreFeaturesOfTheirExamples) {
  std::string file;
  std::vector<WantedSample> wanted;
  for (int i = 0; i < 200; ++i) {
    const std::string record =
        TfExample({.ints = {{"label", i % 10}, {"other", 3}},
                   .bytes = {{"at", std::to_string(1000 + i)}, {"image", "x"}}});
    wanted.push_back({record, i % 10, (1000 + i) * int64_t{1'000'000}});
    file += TfRecord(record);
  }
  file += TfRecord(TfExample({.ints = {{"label", 1}}})) + TfRecord("no example") +
          TfRecord(TfExample({.ints = {{"label", -1}}, .bytes = {{"at", "5"}}}));
  data_.Write("x.tfrecord", file);
  const auto found = Index(Spec(kExamples), "x.tfrecord");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(Samples("x.tfrecord", *found), wanted);
  ASSERT_EQ(found->bad.size(), 3U);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("feature at has 0 values"));
  EXPECT_THAT(found->bad[1].reason, HasSubstr("not a tf.train.Example"));
  EXPECT_THAT(found->bad[2].reason, HasSubstr("negative"));
}

// Each record has two checksums, so damage of any byte is seen: never a wrong sample.
TEST_F(FormatTest, DamagedTfRecordsAreRightOrRefused) {
  const std::vector<std::string> records = {"first", "", "the third record", "4"};
  std::string file;
  std::vector<size_t> ends;
  for (const std::string& record : records) {
    file += TfRecord(record);
    ends.push_back(file.size());
  }
  const DatasetSpec spec = Spec(kBytes);
  for (size_t size = 0; size <= file.size(); ++size) {
    data_.Write("x", file.substr(0, size));
    const auto found = Index(spec, "x");
    ASSERT_THAT(found, IsOk());
    const auto whole = static_cast<size_t>(
        std::count_if(ends.begin(), ends.end(), [&](size_t end) { return end <= size; }));
    const bool at_edge = size == 0 || (whole > 0 && ends[whole - 1] == size);
    ASSERT_EQ(Bytes("x", *found),
              std::vector(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(whole)));
    ASSERT_EQ(found->num_bad, at_edge ? 0 : 1) << size;
  }
  for (size_t at = 0; at < file.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      data_.Write("x", damaged);
      const auto found = Index(spec, "x");
      ASSERT_THAT(found, IsOk());
      const auto hit = static_cast<size_t>(
          std::count_if(ends.begin(), ends.end(), [&](size_t end) { return end <= at; }));
      const size_t begin = hit == 0 ? 0 : ends[hit - 1];
      std::vector<std::string> expected = records;
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(hit),
                     at < begin + 12 ? expected.end()
                                     : expected.begin() + static_cast<std::ptrdiff_t>(hit) + 1);
      ASSERT_EQ(Bytes("x", *found), expected) << at;
      ASSERT_EQ(found->num_bad, 1) << at;
    }
  }
}

TEST_F(FormatTest, AnOverLongTfRecordCostsThatRecord) {
  data_.Write("x", TfRecord("a") + TfRecord(std::string(5 << 20, 'x')) + TfRecord("b"));
  const auto found = Index(Spec(kBytes), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x", *found), ElementsAre("a", "b"));
  EXPECT_THAT(found->positions, ElementsAre(0, 2));
  EXPECT_EQ(found->num_bad, 1);
}

TEST_F(FormatTest, GrowingTfRecordsAreTakenWhole) {
  const std::string file =
      TfRecord("one") + TfRecord(std::string(100, 'x')) + TfRecord("two") + TfRecord("three");
  const DatasetSpec spec = Spec("format: {type: tfrecord, max_record: 64B}\nappend: true\n");
  for (size_t first = 0; first <= file.size(); ++first) {
    data_.Write("x", file.substr(0, first));
    const auto found = Index(spec, "x");
    ASSERT_THAT(found, IsOk());
    std::vector<std::string> records = Bytes("x", *found);
    data_.Write("x", file);
    const auto more = Index(spec, "x", found->bytes_done, found->records_done);
    ASSERT_THAT(more, IsOk());
    for (const std::string& bytes : Bytes("x", *more)) records.push_back(bytes);
    ASSERT_THAT(records, ElementsAre("one", "two", "three")) << first;
    ASSERT_EQ(found->num_bad + more->num_bad, 1) << first;
  }
}

}  // namespace
}  // namespace tidemill::storage
