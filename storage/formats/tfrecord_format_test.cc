#include "storage/spec/formats/tfrecord_format.h"

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
using ::testing::SizeIs;
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
      const bool only_sum_of_length = at >= begin + 8 && at < begin + 12;
      std::vector<std::string> expected = records;
      if (!only_sum_of_length) expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(hit));
      ASSERT_EQ(Bytes("x", *found), expected) << at;
      ASSERT_EQ(found->num_bad, only_sum_of_length ? 0 : 1) << at;
    }
  }
}

TEST_F(FormatTest, ADamagedLengthCostsTheBytesOfItsTfRecord) {
  const std::string first = TfRecord("first"), second = TfRecord("the second");
  std::string damaged = second;
  damaged[1] = '\x7f';
  data_.Write("x", first + damaged + first + second);
  const auto found = Index(Spec(kBytes), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x", *found), ElementsAre("first", "first", "the second"));
  EXPECT_THAT(found->positions, ElementsAre(0, 2, 3));
  EXPECT_EQ(found->lost_bytes, std::ssize(second));
  EXPECT_EQ(found->num_bytes, 2 * std::ssize(first + second));
  ASSERT_THAT(found->bad, SizeIs(1));
  EXPECT_EQ(
      found->bad[0].reason,
      fmt::format("the length of a record is damaged: {} bytes from byte {} on hold no record",
                  second.size(), first.size()));
}

TEST_F(FormatTest, AWriterThatDiedAndAppendedAnewCostsTheTfRecordThatItCut) {
  std::string ten;
  std::vector<std::string> records;
  for (int i = 0; i < 10; ++i) records.push_back("record " + std::to_string(i));
  for (const std::string& record : records) ten += TfRecord(record);
  // Behind the cut record are fewer bytes than it should have, or more, or those of a longer one
  // than is allowed.
  for (const size_t size : {size_t{1} << 20, size_t{100}, size_t{5} << 20}) {
    const std::string cut = TfRecord(std::string(size, 'c')).substr(0, 40);
    const std::string filler = size > ten.size() ? TfRecord(std::string(3 << 20, 'f')) : "";
    const std::string long_tail = filler.empty() ? "" : filler + filler;
    for (const std::string& tail : {std::string(), long_tail}) {
      data_.Write("x", ten + cut + ten + tail);
      const auto found = Index(Spec(kBytes), "x");
      ASSERT_THAT(found, IsOk());
      std::vector<std::string> all = Bytes("x", *found);
      ASSERT_GE(all.size(), 20U) << size;
      all.resize(20);
      EXPECT_TRUE(std::equal(records.begin(), records.end(), all.begin())) << size;
      EXPECT_TRUE(std::equal(records.begin(), records.end(), all.begin() + 10)) << size;
      EXPECT_EQ(found->num_bad, 1) << size;
      EXPECT_EQ(found->lost_bytes, std::ssize(cut)) << size;
    }
  }
}

TEST_F(FormatTest, ZerosAfterTheLastTfRecordCostNothingAndAreReported) {
  for (const size_t num_zeros : {12, 13, 4096, 3 << 20}) {
    data_.Write("x", TfRecord("a") + TfRecord("b") + std::string(num_zeros, '\0'));
    const auto found = Index(Spec(kBytes), "x");
    ASSERT_THAT(found, IsOk());
    EXPECT_THAT(Bytes("x", *found), ElementsAre("a", "b"));
    EXPECT_EQ(found->num_bad, 0);
    EXPECT_EQ(found->lost_bytes, 0);
    EXPECT_THAT(found->remarks,
                ElementsAre(fmt::format("the file ends with '{}' zeros, which are not a record",
                                        num_zeros)));
  }
}

TEST_F(FormatTest, ZerosBetweenTfRecordsAreLostBytes) {
  data_.Write("x", TfRecord("a") + std::string(5000, '\0') + TfRecord("b"));
  const auto found = Index(Spec(kBytes), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x", *found), ElementsAre("a", "b"));
  EXPECT_EQ(found->num_bad, 1);
  EXPECT_EQ(found->lost_bytes, 5000);
}

// Each header asks for a sum of half the file. A reader that made them all would not end.
TEST_F(FormatTest, TfRecordsThatAskForManySumsAreReadAtALinearCost) {
  const std::string header = TfRecord(std::string(4 << 20, 'x')).substr(0, 12);
  std::string file = TfRecord("a") + "?";
  while (file.size() < 8 << 20) file += header;
  data_.Write("x", file + TfRecord("b"));
  const auto found = Index(Spec(kBytes), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(Bytes("x", *found).front(), "a");
  EXPECT_GT(found->lost_bytes, 4'000'000);
}

TEST_F(FormatTest, DamageAtTheEndOfGrowingTfRecordsIsReportedAndCountedOnceMoreFollows) {
  const DatasetSpec spec = Spec("format: tfrecord\nappend: true\n");
  std::string damaged = TfRecord("damaged");
  damaged[3] = '\x7f';
  const std::string file = TfRecord("a") + damaged;
  data_.Write("x", file);
  const auto found = Index(spec, "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->num_bad, 0);
  EXPECT_EQ(found->bytes_done, std::ssize(TfRecord("a")));
  ASSERT_THAT(found->remarks, SizeIs(1));
  data_.Write("x", file + TfRecord("b"));
  const auto more = Index(spec, "x", found->bytes_done, found->records_done);
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(Bytes("x", *more), ElementsAre("b"));
  EXPECT_EQ(more->num_bad, 1);
  EXPECT_EQ(more->lost_bytes, std::ssize(damaged));
  EXPECT_THAT(more->remarks, SizeIs(0));
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
