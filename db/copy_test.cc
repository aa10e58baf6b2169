#include "db/copy.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include <pqxx/pqxx>

namespace tidemill::db {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr char kCreate[] =
    "CREATE TABLE rows (i8 bigint, f8 double precision, t text, b bytea, at timestamptz, "
    "is_set boolean)";
constexpr char kSelect[] =
    "SELECT i8, f8, t, b, (extract(epoch FROM at) * 1000000)::bigint FROM rows "
    "ORDER BY i8 NULLS LAST";

using Row = std::vector<std::optional<std::string>>;

class CopyTest : public ::testing::Test {
 protected:
  CopyTest() {
    const auto writer = Begin();
    EXPECT_THAT(writer->Execute(kCreate), IsOk());
    EXPECT_THAT(writer->Commit(), IsOk());
  }

  std::unique_ptr<CopyWriter> Begin() { return *CopyWriter::Begin(postgres_.connection_string()); }

  // What PostgreSQL understood, as text.
  std::vector<Row> Select(const std::string& query) {
    std::vector<Row> rows;
    pqxx::connection connection(postgres_.connection_string());
    pqxx::nontransaction work(connection);
    for (const auto& row : work.exec(query)) {
      Row& values = rows.emplace_back();
      for (const auto& field : row) {
        values.push_back(field.is_null() ? std::nullopt : std::optional(field.as<std::string>()));
      }
    }
    return rows;
  }

  testing::TestDatabase postgres_;
};

TEST_F(CopyTest, ReadsBooleansBackUnchanged) {
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
  ASSERT_THAT(writer->Open("rows (i8, f8, t, b, at)"), IsOk());
  writer->BeginRow(5);
  writer->Int64(std::numeric_limits<int64_t>::min());
  writer->Double(-0.1);
  writer->Text("grün");
  writer->Bytes(bytes);
  writer->Time(kBefore2000);
  ASSERT_THAT(writer->Flush(), IsOk());
  writer->BeginRow(5);
  writer->Int64(std::nullopt);
  writer->Double(std::nullopt);
  writer->Null();
  writer->Null();
  writer->Time(std::nullopt);
  ASSERT_THAT(writer->Close(), IsOk());
  ASSERT_THAT(writer->Commit(), IsOk());

  const std::vector<Row> rows = Select(kSelect);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0], (Row{"-9223372036854775808", "-0.1", "grün", "\\x00ff0a", "-1234567"}));
  EXPECT_EQ(rows[1], Row(5));
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
  EXPECT_EQ(Select("SELECT count(DISTINCT i8), min(i8), max(i8) FROM rows"),
            (std::vector<Row>{{"200000", "0", "199999"}}));
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
    for (const Row& values :
         Select("SELECT i8, (f8 * 8)::bigint, (extract(epoch FROM at) * 1000000)::bigint FROM rows "
                "ORDER BY i8 > 0, abs(i8)")) {
      if (row < kNumRows) {
        EXPECT_EQ(values[0], std::to_string(row * -7));
        const bool has_real = !mixed || (0b0101'1010 >> row % 8 & 1) != 0;
        EXPECT_EQ(values[1], has_real ? std::optional(std::to_string(row)) : std::nullopt);
        EXPECT_EQ(values[2], std::to_string(row * 1000));
      } else {
        // PostgreSQL counts its microseconds from 2000 on.
        EXPECT_EQ(values, (Row{std::to_string(8 + row - kNumRows), std::nullopt,
                               std::to_string(int64_t{946'684'800'000'000} - 500)}));
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

TEST_F(CopyTest, DiesOfARowThatIsNotComplete) {
  const auto writer = Begin();
  EXPECT_DEATH(writer->BeginRow(1), "is_copying_");
  ASSERT_THAT(writer->Open("rows (i8, f8)"), IsOk());
  EXPECT_DEATH(writer->Execute("SELECT 1").IgnoreError(), "is_copying_");
  writer->BeginRow(2);
  writer->Int64(1);
  EXPECT_DEATH(writer->BeginRow(2), "missing_values_");
  EXPECT_DEATH(writer->Close().IgnoreError(), "missing_values_");
}

}  // namespace
}  // namespace tidemill::db
