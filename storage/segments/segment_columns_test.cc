#include "storage/segments/segment_columns.h"

#include <unistd.h>

#include <bit>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"

namespace tidemill::storage {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class SegmentColumnsTest : public ::testing::Test {
 protected:
  SegmentColumnsTest() {
    char name[] = "/tmp/segment_columns_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~SegmentColumnsTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

SegmentRows TwoRows() {
  return {.byte_from = {100, -1},
          .byte_to = {160, -1},
          .event_time = {7, 9},
          .class_label = {3, std::nullopt},
          .real_label = {std::nullopt, 2.5},
          .hash = {-5, 6},
          .file_id = {}};
}

void ExpectTwoRows(const SegmentColumns& columns) {
  ASSERT_EQ(columns.lookup.size(), 2);
  EXPECT_EQ(columns.lookup[0].byte_from, 100);
  EXPECT_EQ(columns.lookup[0].hash, -5);
  EXPECT_EQ(columns.lookup[0].event_time, 7);
  EXPECT_EQ(columns.lookup[0].label, 3);
  EXPECT_EQ(columns.lookup[1].byte_from, -1);
  EXPECT_EQ(std::bit_cast<double>(columns.lookup[1].label), 2.5);
  EXPECT_EQ(columns.byte_to[0], 160);
  EXPECT_EQ(columns.event_time[1], 9);
  EXPECT_EQ(ValueAt<int64_t>(*columns.class_label, 0), 3);
  EXPECT_EQ(ValueAt<int64_t>(*columns.class_label, 1), std::nullopt);
  EXPECT_EQ(ValueAt<double>(*columns.real_label, 1), 2.5);
  EXPECT_TRUE(columns.is_in_order);
}

batch::Column Numbers(std::string name, std::span<const int64_t> values) {
  return {.name = std::move(name),
          .data = batch::Buffer::Wrap(values.data(), values.size_bytes(), nullptr)};
}

TEST_F(SegmentColumnsTest, ReadsWhatWasWritten) {
  const std::string path = SegmentPath(folder_, {4}, 2);
  ASSERT_THAT(WriteSegmentColumns(path, TwoRows()), IsOk());
  const auto columns = OpenSegmentColumns(path);
  ASSERT_THAT(columns, IsOk());
  ExpectTwoRows(*columns);
}

TEST_F(SegmentColumnsTest, ReadsFilesThatKeepPlacesAndHashesInColumnsOfTheirOwn) {
  const SegmentRows rows = TwoRows();
  const auto encoded = EncodeSegmentColumns(rows);
  ASSERT_THAT(encoded, IsOk());
  const auto whole = batch::Decode(batch::Buffer::FromString(*encoded));
  ASSERT_THAT(whole, IsOk());
  batch::Batch earlier(whole->num_rows());
  for (const batch::Column& column : whole->columns()) {
    if (column.name == kLookupColumn) continue;
    ASSERT_THAT(earlier.Set(column), IsOk());
  }
  ASSERT_THAT(earlier.Set(Numbers("byte_from", rows.byte_from)), IsOk());
  ASSERT_THAT(earlier.Set(Numbers("hash", rows.hash)), IsOk());
  const std::string path = folder_ + "/2.batch";
  ASSERT_THAT(files::WriteAtomically(path, batch::Encode(earlier)), IsOk());
  const auto columns = OpenSegmentColumns(path);
  ASSERT_THAT(columns, IsOk());
  ExpectTwoRows(*columns);
}

TEST_F(SegmentColumnsTest, RefusesRowsOfAnotherWidth) {
  const auto encoded = EncodeSegmentColumns(TwoRows());
  ASSERT_THAT(encoded, IsOk());
  auto columns = batch::Decode(batch::Buffer::FromString(*encoded));
  ASSERT_THAT(columns, IsOk());
  const std::vector<int64_t> one_a_row = {1, 2};
  ASSERT_THAT(columns->Set(Numbers(std::string(kLookupColumn), one_a_row)), IsOk());
  const std::string path = folder_ + "/2.batch";
  ASSERT_THAT(files::WriteAtomically(path, batch::Encode(*columns)), IsOk());
  EXPECT_THAT(OpenSegmentColumns(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("lookup")));
}

}  // namespace
}  // namespace tidemill::storage
