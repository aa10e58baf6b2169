#include "db/copy.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"

namespace tidemill::db {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr char kCreate[] =
    "CREATE TABLE rows (i8 bigint, i4 int, f8 double precision, t text, b bytea, at timestamptz, "
    "is_set boolean)";
constexpr char kSelect[] = "SELECT i8, i4, f8, t, b, at FROM rows ORDER BY i8 NULLS LAST";

using Row = std::vector<std::optional<std::string>>;

class CopyTest : public ::testing::Test {
 protected:
  CopyTest() {
    const auto writer = Begin();
    EXPECT_THAT(writer->Execute(kCreate), IsOk());
    EXPECT_THAT(writer->Commit(), IsOk());
  }

  std::unique_ptr<CopyWriter> Begin() { return *CopyWriter::Begin(postgres_.connection_string()); }

  std::vector<Row> Select(const std::string& query) {
    std::vector<Row> rows;
    EXPECT_THAT(CopyOut(postgres_.connection_string(), query,
                        [&](std::span<const std::optional<std::string_view>> values) {
                          rows.emplace_back(values.begin(), values.end());
                          return absl::OkStatus();
                        }),
                IsOk());
    return rows;
  }

  testing::TestDatabase postgres_;
};

TEST_F(CopyTest, BringsTruthValuesBackAsTheyWent) {
  const auto writer = Begin();
  ASSERT_THAT(writer->Open("rows (i8, is_set)"), IsOk());
  for (const bool value : {true, false}) {
    writer->BeginRow(2);
    writer->Int64(value ? 1 : 2);
    writer->Bool(value);
    ASSERT_THAT(writer->Flush(), IsOk());
  }
  ASSERT_THAT(writer->Close(), IsOk());
  ASSERT_THAT(writer->Commit(), IsOk());
  EXPECT_EQ(Select("SELECT i8::text FROM rows WHERE is_set"), (std::vector<Row>{{"1"}}));
  EXPECT_EQ(Select("SELECT i8::text FROM rows WHERE NOT is_set"), (std::vector<Row>{{"2"}}));
}

TEST_F(CopyTest, BringsEveryTypeBackAsItWent) {
  constexpr Timestamp kBefore2000 = {-1'234'567};
  const std::string bytes("\0\xFF\n", 3);
  const auto writer = Begin();
  ASSERT_THAT(writer->Open("rows (i8, i4, f8, t, b, at)"), IsOk());
  writer->BeginRow(6);
  writer->Int64(std::numeric_limits<int64_t>::min());
  writer->Int32(-2);
  writer->Double(-0.1);
  writer->Text("grün");
  writer->Bytes(bytes);
  writer->Time(kBefore2000);
  ASSERT_THAT(writer->Flush(), IsOk());
  writer->BeginRow(6);
  writer->Int64(std::nullopt);
  writer->Int32(std::nullopt);
  writer->Double(std::nullopt);
  writer->Null();
  writer->Null();
  writer->Time(std::nullopt);
  ASSERT_THAT(writer->Close(), IsOk());
  ASSERT_THAT(writer->Commit(), IsOk());

  const std::vector<Row> rows = Select(kSelect);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(ReadInt64(*rows[0][0]), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ReadInt32(*rows[0][1]), -2);
  EXPECT_EQ(ReadDouble(*rows[0][2]), -0.1);
  EXPECT_EQ(rows[0][3], "grün");
  EXPECT_EQ(rows[0][4], bytes);
  EXPECT_EQ(ReadTime(*rows[0][5]), kBefore2000);
  EXPECT_EQ(rows[1], Row(6));
  // What PostgreSQL itself understood.
  const std::vector<Row> text = Select("SELECT at::text FROM rows WHERE at IS NOT NULL");
  EXPECT_THAT(*text.at(0).at(0), HasSubstr("58.765433"));
}

TEST_F(CopyTest, SendsMoreRowsThanItsBufferHolds) {
  constexpr int64_t kRows = 200'000;
  const auto writer = Begin();
  ASSERT_THAT(writer->Open("rows (i8)"), IsOk());
  for (int64_t i = 0; i < kRows; ++i) {
    writer->BeginRow(1);
    writer->Int64(i);
    ASSERT_THAT(writer->Flush(), IsOk());
  }
  ASSERT_THAT(writer->Close(), IsOk());
  ASSERT_THAT(writer->Commit(), IsOk());
  int64_t expected = 0;
  ASSERT_THAT(CopyOut(postgres_.connection_string(), "SELECT i8 FROM rows ORDER BY i8",
                      [&](std::span<const std::optional<std::string_view>> values) {
                        EXPECT_EQ(ReadInt64(*values[0]), expected++);
                        return absl::OkStatus();
                      }),
              IsOk());
  EXPECT_EQ(expected, kRows);
}

TEST_F(CopyTest, LeavesNothingWithoutACommit) {
  {
    const auto writer = Begin();
    ASSERT_THAT(writer->Open("rows (i8)"), IsOk());
    writer->BeginRow(1);
    writer->Int64(1);
    ASSERT_THAT(writer->Close(), IsOk());
  }
  EXPECT_EQ(Select(kSelect).size(), 0);
}

TEST_F(CopyTest, SaysWhatPostgresRefused) {
  const auto writer = Begin();
  EXPECT_THAT(writer->Execute("CREATE UNIQUE INDEX ON rows (i8)"), IsOk());
  ASSERT_THAT(writer->Open("rows (i8)"), IsOk());
  for (int i = 0; i < 2; ++i) {
    writer->BeginRow(1);
    writer->Int64(7);
  }
  EXPECT_THAT(writer->Close(),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("already has it")));
  EXPECT_THAT(writer->Commit(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("rolled back")));
}

TEST_F(CopyTest, EndsWithTheFailureOfTheReader) {
  const absl::Status status =
      CopyOut(postgres_.connection_string(), "SELECT generate_series(1, 1000000)",
              [](std::span<const std::optional<std::string_view>>) { return Cancelled("enough"); });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kCancelled, "enough"));
}

TEST_F(CopyTest, BringsBackRowsThatWentAsColumns) {
  constexpr int64_t kNumRows = 10'000;
  std::vector<int64_t> numbers, micros;
  std::vector<double> reals;
  std::vector<uint8_t> bits;
  for (int64_t i = 0; i < kNumRows; ++i) {
    numbers.push_back(i * -7);
    reals.push_back(static_cast<double>(i) / 8);
    micros.push_back(i * 1000);
    if (i % 8 == 0) bits.push_back(0b0101'1010);
  }
  for (const bool mixed : {false, true}) {
    const auto writer = Begin();
    ASSERT_THAT(writer->Execute("DELETE FROM rows"), IsOk());
    ASSERT_THAT(writer->Open("rows (i8, f8, at)"), IsOk());
    const CopyColumn real = CopyColumn::Double(reals);
    ASSERT_THAT(
        writer->Rows(std::vector{CopyColumn::Int64(numbers), mixed ? real.Where(bits, 0) : real,
                                 CopyColumn::Times(micros)},
                     kNumRows),
        IsOk());
    ASSERT_THAT(writer->Rows(std::vector{CopyColumn::CountingFrom(8), CopyColumn::Null(),
                                         CopyColumn::Same(-500)},
                             2),
                IsOk());
    ASSERT_THAT(writer->Close(), IsOk());
    ASSERT_THAT(writer->Commit(), IsOk());
    int64_t row = 0;
    for (const Row& values : Select("SELECT i8, f8, at FROM rows ORDER BY i8 > 0, abs(i8)")) {
      if (row < kNumRows) {
        EXPECT_EQ(ReadInt64(*values[0]), numbers[static_cast<size_t>(row)]);
        EXPECT_EQ(values[1].has_value(), !mixed || (0b0101'1010 >> row % 8 & 1) != 0);
        EXPECT_EQ(ReadDouble(values[1].value_or(std::string(8, 0))) * 8, values[1] ? row : 0);
        EXPECT_EQ(ReadTime(*values[2]).micros, row * 1000);
      } else {
        EXPECT_EQ(ReadInt64(*values[0]), 8 + row - kNumRows);
        EXPECT_FALSE(values[1].has_value());
        EXPECT_EQ(ReadInt64(*values[2]), -500);
      }
      ++row;
    }
    EXPECT_EQ(row, kNumRows + 2);
  }
}

TEST_F(CopyTest, TakesOneTransactionAfterAnother) {
  const auto writer = Begin();
  for (int64_t i = 0; i < 2; ++i) {
    ASSERT_THAT(writer->Open("rows (i8)"), IsOk());
    ASSERT_THAT(writer->Rows(std::vector{CopyColumn::Same(i)}, 1), IsOk());
    ASSERT_THAT(writer->Close(), IsOk());
    ASSERT_THAT(writer->Commit(), IsOk());
    ASSERT_THAT(writer->BeginNext(), IsOk());
  }
  EXPECT_EQ(Select("SELECT i8 FROM rows").size(), 2U);
}

}  // namespace
}  // namespace tidemill::db
