#include "storage/segments/segment_columns.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "storage/segments/sum_upgrade.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
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

// The columns of a file, without sums.
absl::StatusOr<batch::Batch> BatchOf(const SegmentRows& rows) {
  ASSIGN_OR_RETURN(std::string bytes, EncodeSegmentColumns(rows));
  ASSIGN_OR_RETURN(const auto sums, BlockSums::Read(batch::Buffer::FromString(std::move(bytes))));
  return batch::Decode(sums->content());
}

// So many that the file is mapped.
SegmentRows ManyRows() {
  SegmentRows rows;
  for (int64_t row = 0; row < 20'000; ++row) {
    rows.byte_from.push_back(10 * row);
    rows.byte_to.push_back(10 * row + 10);
    rows.event_time.push_back(row / 2);
    rows.class_label.push_back(row % 5 == 0 ? std::nullopt : std::optional(row % 7));
    rows.real_label.push_back(std::nullopt);
    rows.hash.push_back(row * row);
  }
  return rows;
}

void Flip(const std::string& path, size_t byte, int bit) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(byte));
  const auto flipped = static_cast<char>(file.get() ^ 1 << bit);
  file.seekp(static_cast<std::streamoff>(byte));
  file.put(flipped);
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
  const auto whole = BatchOf(rows);
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
  auto columns = BatchOf(TwoRows());
  ASSERT_THAT(columns, IsOk());
  const std::vector<int64_t> one_a_row = {1, 2};
  ASSERT_THAT(columns->Set(Numbers(std::string(kLookupColumn), one_a_row)), IsOk());
  const std::string path = folder_ + "/2.batch";
  ASSERT_THAT(files::WriteAtomically(path, batch::Encode(*columns)), IsOk());
  EXPECT_THAT(OpenSegmentColumns(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("lookup")));
}

TEST_F(SegmentColumnsTest, EveryFlippedBitOfASmallFileIsFound) {
  const std::string path = folder_ + "/2.batch";
  ASSERT_THAT(WriteSegmentColumns(path, TwoRows()), IsOk());
  const size_t size = std::filesystem::file_size(path);
  for (size_t byte = 0; byte < size; ++byte) {
    const int bit = static_cast<int>(byte % 8);
    Flip(path, byte, bit);
    EXPECT_THAT(OpenSegmentColumns(path), StatusIs(absl::StatusCode::kDataLoss, _)) << byte;
    EXPECT_THAT(CheckSegmentColumns(path), StatusIs(absl::StatusCode::kDataLoss, _)) << byte;
    Flip(path, byte, bit);
  }
  EXPECT_THAT(CheckSegmentColumns(path), IsOk());
}

TEST_F(SegmentColumnsTest, AFlippedBitOfALargeFileIsFoundBeforeItIsRead) {
  const std::string path = folder_ + "/2.batch";
  const SegmentRows rows = ManyRows();
  ASSERT_THAT(WriteSegmentColumns(path, rows), IsOk());
  const size_t size = std::filesystem::file_size(path);
  for (size_t part = 0; part < 50; ++part) {
    const size_t byte = size * part / 50;
    Flip(path, byte, 3);
    EXPECT_THAT(CheckSegmentColumns(path), StatusIs(absl::StatusCode::kDataLoss, _)) << byte;
    const auto columns = OpenSegmentColumns(path);
    if (columns.ok()) {
      EXPECT_TRUE(columns->has_sums);
      EXPECT_FALSE(columns->AllAreSound()) << byte;
      EXPECT_TRUE(columns->is_damaged());
      EXPECT_FALSE(columns->TimeIsSound(0)) << "nothing of a damaged file is read";
      EXPECT_FALSE(columns->IsReadyForLookup());
    }
    Flip(path, byte, 3);
  }
}

TEST_F(SegmentColumnsTest, WhatIsSoundIsNotHeldUpByWhatNobodyReads) {
  const std::string path = folder_ + "/2.batch";
  ASSERT_THAT(WriteSegmentColumns(path, ManyRows()), IsOk());
  size_t byte = 0;
  {
    const auto columns = OpenSegmentColumns(path);
    ASSERT_THAT(columns, IsOk());
    byte = static_cast<size_t>(reinterpret_cast<const char*>(&columns->event_time[10'000]) -
                               reinterpret_cast<const char*>(columns->sums->content().data()));
  }
  Flip(path, byte, 0);
  const auto columns = OpenSegmentColumns(path);
  ASSERT_THAT(columns, IsOk());
  EXPECT_TRUE(columns->RowsAreSound(0, 1000, /*with_labels=*/true));
  EXPECT_TRUE(columns->IsReadyForLookup());
  EXPECT_FALSE(columns->RowsAreSound(9'900, 10'100, /*with_labels=*/false));
  EXPECT_FALSE(columns->RowsAreSound(0, 1000, /*with_labels=*/true));
  EXPECT_FALSE(columns->IsReadyForLookup());
}

TEST_F(SegmentColumnsTest, AFileOfBeforeGetsSums) {
  for (const SegmentRows& rows : {TwoRows(), ManyRows()}) {
    const auto whole = BatchOf(rows);
    ASSERT_THAT(whole, IsOk());
    const std::string path = folder_ + "/2.batch";
    ASSERT_THAT(files::WriteAtomically(path, batch::Encode(*whole)), IsOk());
    const auto before = OpenSegmentColumns(path);
    ASSERT_THAT(before, IsOk());
    EXPECT_FALSE(before->has_sums);
    EXPECT_TRUE(before->AllAreSound());
    ASSERT_THAT(AddSums(path, *before), IsOk());
    const auto after = OpenSegmentColumns(path);
    ASSERT_THAT(after, IsOk());
    EXPECT_TRUE(after->has_sums);
    EXPECT_TRUE(after->AllAreSound());
    EXPECT_TRUE(std::ranges::equal(after->event_time, before->event_time));
    EXPECT_TRUE(std::ranges::equal(after->byte_to, before->byte_to));
  }
}

TEST_F(SegmentColumnsTest, AFileOfBeforeWhoseCopiesOfATimeOrALabelDifferGetsNone) {
  const auto whole = BatchOf(ManyRows());
  ASSERT_THAT(whole, IsOk());
  const std::string path = folder_ + "/2.batch";
  for (const std::string_view name :
       {batch::kEventTimeColumn, batch::kClassLabelColumn, kLookupColumn}) {
    batch::Batch damaged = *whole;
    batch::Column column = *whole->Find(name);
    column.data = batch::Buffer::FromString(std::string(column.data.view()));
    const size_t row_bytes = column.data.size() / 20'000;
    // The last number of a row that has a label.
    column.data.mutable_data()[7'002 * row_bytes - 8] ^= std::byte{4};
    ASSERT_THAT(damaged.Set(std::move(column)), IsOk());
    ASSERT_THAT(files::WriteAtomically(path, batch::Encode(damaged)), IsOk());
    const auto columns = OpenSegmentColumns(path);
    ASSERT_THAT(columns, IsOk());
    EXPECT_THAT(AddSums(path, *columns), StatusIs(absl::StatusCode::kDataLoss, _)) << name;
  }
}

}  // namespace
}  // namespace tidemill::storage
