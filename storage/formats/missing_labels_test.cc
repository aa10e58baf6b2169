// Labels that are not there, in every format and encoding, and reasons counted in few words.
#include <limits>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/formats/left_out_reasons.h"
#include "storage/spec/label_reader.h"
#include "storage/testing/format_fixture.h"
#include "storage/testing/tar_writer.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::FormatTest;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

LabelReader Reader(LabelKind kind, std::optional<std::vector<std::string>> missing = {},
                   std::vector<std::string> classes = {}) {
  LabelSpec spec;
  spec.kind = kind;
  if (missing) spec.missing = *std::move(missing);
  spec.classes = std::move(classes);
  return LabelReader(spec);
}

bool IsNone(const absl::StatusOr<Label>& label) {
  return label.ok() && !label->class_label && !label->real_label;
}

TEST(MissingLabels, AreEmptyOrNamedByDefaultWhateverTheirCaseAndBlanks) {
  for (const LabelKind kind : {LabelKind::kClass, LabelKind::kReal}) {
    const LabelReader reader = Reader(kind);
    for (const char* text : {"", "  ", "NA", "n/a", " NaN", "null\r"}) {
      EXPECT_TRUE(IsNone(reader.FromText(text))) << text;
    }
    EXPECT_THAT(reader.FromText("none"),
                StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
    EXPECT_FALSE(IsNone(reader.FromText("0")));
  }
}

TEST(MissingLabels, AreOnlyWhatTheSpecNames) {
  const LabelReader reader = Reader(LabelKind::kReal, std::vector<std::string>{"-1"});
  EXPECT_TRUE(IsNone(reader.FromText("-1")));
  EXPECT_EQ(reader.FromText("1")->real_label, 1.0);
  EXPECT_THAT(reader.FromText(""), StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
  EXPECT_THAT(reader.FromNothing(NotFound("there is none")),
              StatusIs(absl::StatusCode::kNotFound, "there is none"));
}

TEST(MissingLabels, AClassOfSuchANameIsAClass) {
  const LabelReader reader = Reader(LabelKind::kClass, {}, {"EU", "NA"});
  EXPECT_EQ(reader.FromText("NA")->class_label, 1);
  EXPECT_TRUE(IsNone(reader.FromText("na")));
}

TEST(MissingLabels, MayBeNumbersInBytes) {
  const LabelReader classes = Reader(LabelKind::kClass, std::vector<std::string>{"255"});
  EXPECT_FALSE(classes.ClassFromBytes("\xff", {}).has_value());
  EXPECT_TRUE(IsNone(classes.FromBytes("\xff", {})));
  EXPECT_EQ(classes.ClassFromBytes("\xfe", {}), 254);
  NumberLayout number;
  number.width = 4;
  number.encoding = NumberEncoding::kFloat;
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  const char* const bytes = reinterpret_cast<const char*>(&nothing);
  EXPECT_TRUE(IsNone(Reader(LabelKind::kReal).FromBytes(bytes, number)));
  EXPECT_TRUE(IsNone(Reader(LabelKind::kClass).FromBytes(bytes, number)));
  EXPECT_THAT(Reader(LabelKind::kReal, std::vector<std::string>()).FromBytes(bytes, number),
              StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
}

TEST_F(FormatTest, AJsonLineWithoutItsLabelOrWithNullIsUnlabelled) {
  data_.Write("a.jsonl", R"({"t": 1, "y": 1})"
                         "\n"
                         R"({"t": 2, "y": null})"
                         "\n"
                         R"({"t": 3})"
                         "\n"
                         R"({"y": 1})"
                         "\n");
  const std::string spec = "format: jsonl\nevent_time: {column: t, format: unix}\n";
  const auto found = Index(Spec(spec + "label: {column: y}\n"), "a.jsonl");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.class_label, ElementsAre(1, std::nullopt, std::nullopt));
  EXPECT_THAT(found->bad, SizeIs(1));
  const auto strict = Index(Spec(spec + "label: {column: y, missing: []}\n"), "a.jsonl");
  ASSERT_THAT(strict, IsOk());
  EXPECT_THAT(strict->bad, SizeIs(3));
}

TEST_F(FormatTest, ARecordOfAnArchiveWithoutItsLabelsMemberIsUnlabelled) {
  std::string archive;
  for (const testing::TarEntry& entry :
       {testing::TarEntry{"1.txt", "one"}, {"1.cls", "7"}, {"2.txt", "two"}}) {
    archive += testing::TarMemberBytes(entry);
  }
  data_.Write("a.tar", archive + testing::TarEnd());
  const std::string spec =
      "format: {type: tar, payload: [txt]}\nevent_time: {row: {start: 2020-01-01, step: 1s}}\n";
  const auto found = Index(Spec(spec + "label: {member: cls}\n"), "a.tar");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.class_label, ElementsAre(7, std::nullopt));
  const auto strict = Index(Spec(spec + "label: {member: cls, missing: []}\n"), "a.tar");
  ASSERT_THAT(strict, IsOk());
  EXPECT_THAT(strict->bad, SizeIs(1));
}

TEST(LeftOutReasons, CountRecordsByWhatTheirReasonsHaveInCommon) {
  LeftOutReasons reasons;
  reasons.Add(3, "label 'a' is not in classes");
  reasons.Add(4, "5 fields where 6 columns are expected");
  reasons.Add(9, "label 'b' is not in classes");
  ASSERT_THAT(reasons.items(), SizeIs(2));
  EXPECT_EQ(reasons.items()[0].pattern, "label '...' is not in classes");
  EXPECT_EQ(reasons.items()[0].num_records, 2);
  EXPECT_EQ(reasons.items()[0].first_record, 3);
  EXPECT_EQ(reasons.items()[0].first_reason, "label 'a' is not in classes");
  EXPECT_EQ(reasons.num_records(), 3);
  reasons.RemoveLast();
  EXPECT_EQ(reasons.items()[0].num_records, 1);
  EXPECT_EQ(reasons.num_records(), 2);
}

TEST(LeftOutReasons, AreFewHoweverManyThereAre) {
  LeftOutReasons reasons;
  for (int i = 0; i < 1000; ++i) reasons.Add(i, "reason x" + std::to_string(i));
  ASSERT_THAT(reasons.items(), SizeIs(51));
  EXPECT_EQ(reasons.items().back().pattern, "");
  EXPECT_EQ(reasons.items().back().num_records, 950);
  EXPECT_EQ(reasons.num_records(), 1000);
}

TEST(LeftOutReasons, AreTheSameForOtherNumbers) {
  EXPECT_EQ(PatternOf("it is damaged: 72 bytes from byte 108 on hold no record"),
            "it is damaged: ... bytes from byte ... on hold no record");
  EXPECT_EQ(PatternOf("5 fields where 6"), "... fields where ...");
  for (const char* const part : {"column x2 is empty", "2020-01-02 is late", "1.5 is not whole"}) {
    EXPECT_EQ(PatternOf(part), part);
  }
}

TEST(LeftOutReasons, AreTheSameForFilesWithOtherPaths) {
  for (const char* const path : {"/a/1.time", "/b c/d.time", "s3://bucket/1.time"}) {
    EXPECT_EQ(PatternOf(std::string(path) + " is empty"), "... is empty");
    EXPECT_EQ(PatternOf("cannot open " + std::string(path) + ": No such file or directory"),
              "cannot open ...: No such file or directory");
  }
  EXPECT_EQ(PatternOf("3/4 of 'a b' is not a number"), "3/4 of '...' is not a number");
}

TEST(LeftOutReasons, HaveNoMoreThanTwoHundredBytesAndAnOpenQuoteHidesNothing) {
  EXPECT_EQ(PatternOf("it's odd"), "it's odd");
  EXPECT_THAT(PatternOf(std::string(5000, 'x')), SizeIs(200));
  EXPECT_EQ(PatternOf("'" + std::string(5000, 'x') + "' is not a label"), "'...' is not a label");
}

}  // namespace
}  // namespace tidemill::storage
