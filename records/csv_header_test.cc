#include "records/csv_header.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"

namespace tidemill {
namespace {

using Kind = CsvHeader::Kind;
using ::testing::Optional;
using ::testing::StrEq;

// The fields of a record; one that begins with a quote is quoted.
std::vector<CsvField> Fields(const std::vector<std::string>& texts) {
  std::vector<CsvField> fields;
  for (const std::string& text : texts) {
    const bool quoted = text.size() > 1 && text.front() == '"';
    fields.push_back({quoted ? std::string_view(text).substr(1, text.size() - 2) : text, quoted});
  }
  return fields;
}

TEST(CsvHeader, IsARecordOfAllNamesInAnyOrder) {
  const CsvHeader header({"t", "x", "say \"y\""}, '"');
  const auto kind = [&](const std::vector<std::string>& texts) {
    return header.KindOf(Fields(texts));
  };
  EXPECT_EQ(kind({"t", "x", "say \"y\""}), Kind::kSame);
  EXPECT_EQ(kind({"\"t\"", "\"x\"", "\"say \"\"y\"\"\""}), Kind::kSame);
  EXPECT_EQ(kind({"\xef\xbb\xbft", "x", "say \"y\""}), Kind::kSame) << "its own mark";
  EXPECT_EQ(kind({"\xef\xbb\xbf\"t\"", "x", "say \"y\""}), Kind::kSame);
  EXPECT_EQ(kind({"x", "t", "say \"y\""}), Kind::kMoved);
  EXPECT_EQ(kind({"t", "x"}), Kind::kNone);
  EXPECT_EQ(kind({"t", "x", "x"}), Kind::kNone);
  EXPECT_EQ(kind({"t", "x", "1"}), Kind::kNone);
  EXPECT_EQ(kind({"1", "x", "t"}), Kind::kNone);
  EXPECT_EQ(kind({"", "x", "t"}), Kind::kNone);
}

TEST(CsvHeader, MayHaveNamesThatAreEmpty) {
  const CsvHeader header({"", "t", "x", "", ""}, '"');
  EXPECT_EQ(header.KindOf(Fields({"", "t", "x", "", ""})), Kind::kSame);
  EXPECT_EQ(header.KindOf(Fields({"", "x", "t", "", ""})), Kind::kMoved);
  EXPECT_EQ(header.KindOf(Fields({"", "", "", "", ""})), Kind::kNone);
  EXPECT_EQ(header.KindOfBad(Fields({"", "", "", "", ""})), Kind::kNone);
}

TEST(CsvHeader, OfOtherColumnsIsABadRecordOfWhichHalfAreNames) {
  const CsvHeader header({"t", "x", "y", "z"}, std::nullopt);
  EXPECT_EQ(header.KindOfBad(Fields({"t", "x", "w", "v"})), Kind::kOther);
  EXPECT_EQ(header.KindOfBad(Fields({"t", "x", "y"})), Kind::kOther) << "one less";
  EXPECT_EQ(header.KindOfBad(Fields({"x", "x", "x"})), Kind::kNone) << "values may be names, too";
  EXPECT_EQ(header.KindOfBad(Fields({"t", "x", "y", "z", "w"})), Kind::kOther) << "one more";
  EXPECT_EQ(header.KindOfBad(Fields({"t", "1", "2", "3"})), Kind::kNone);
  EXPECT_EQ(header.KindOfBad(Fields({"z", "x", "y", "t"})), Kind::kMoved);
}

TEST(CsvHeader, NamesEachColumnOnce) {
  const auto problem = [](const std::vector<std::string>& names) { return ProblemOfNames(names); };
  EXPECT_EQ(problem({"a", "b", "", ""}), std::nullopt);
  EXPECT_EQ(problem({"", "a", "b", "", ""}), std::nullopt);
  EXPECT_THAT(problem({"a", "b", "a"}), Optional(StrEq("names 'a' twice")));
  EXPECT_THAT(problem({"", "a", "", "b"}), Optional(StrEq("names '' twice")));
  EXPECT_THAT(problem({"a", "b\xff"}), Optional(StrEq("names 'b\\xff', which is not UTF-8 text")));
  EXPECT_THAT(problem({"", ""}), Optional(StrEq("names no column")));
}

}  // namespace
}  // namespace tidemill
