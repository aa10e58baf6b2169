#include "evaluator/windows/slice_columns.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "evaluator/testing/samples.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// The labels of the first column's slices, one for each record.
std::vector<std::string> LabelsOf(const ColumnSlices& slices,
                                  const std::vector<std::string>& records) {
  const std::vector<SliceSpec> specs = {slices};
  auto columns = SliceColumns::Make(specs, testing::Schema());
  EXPECT_THAT(columns, IsOk());
  const std::vector<int64_t> classes(records.size(), 0);
  const auto numbers = columns->Read(testing::SamplesOf(records, classes));
  EXPECT_THAT(numbers, IsOk());
  std::vector<std::string> labels;
  for (const int32_t number : numbers->at(0)) labels.push_back(columns->Label(0, number));
  return labels;
}

TEST(SliceColumns, AreTheValuesOfAColumn) {
  EXPECT_THAT(LabelsOf({.name = "y"}, {"1,A", "2,\"b, c\"", "3,A", "4,"}),
              ElementsAre("y=A", "y=b, c", "y=A", "y="));
}

TEST(SliceColumns, CutNumbersIntoBins) {
  EXPECT_THAT(LabelsOf({.name = "x", .bins = {0, 2.5}}, {"-1,", " 0 ,", "2.5,", "1e9,", "no,"}),
              ElementsAre("x=<0", "x=[0,2.5)", "x=>=2.5", "x=>=2.5", "x=other"));
}

TEST(SliceColumns, LeaveWhatCannotBeSplitToOther) {
  EXPECT_THAT(LabelsOf({.name = "y"}, {"1,A,B", "1", "1,\"A"}),
              ElementsAre("y=other", "y=other", "y=other"));
}

TEST(SliceColumns, ShowValuesAsPrintableText) {
  EXPECT_THAT(LabelsOf({.name = "y"}, {"1,Z\xc3\xbcrich", "2,a\x01\xff", "3,a\x01\xfe"}),
              ElementsAre("y=Z\xc3\xbcrich", "y=a??", "y=a??"));
  const std::string shown = LabelsOf({.name = "y"}, {"1," + std::string(79, 'a') + "\xc3\xbc"})[0];
  EXPECT_EQ(shown, "y=" + std::string(79, 'a')) << "no character is cut in two";
}

TEST(SliceColumns, OfLongValuesHaveTheLabelsOfTheirFronts) {
  const std::string front(300, 'a');
  EXPECT_THAT(LabelsOf({.name = "y"}, {"1," + front + "b", "2," + front + "c", "3,d"}),
              ElementsAre("y=" + front.substr(0, 80), "y=" + front.substr(0, 80), "y=d"));
}

TEST(SliceColumns, OfASeriesAreThoseOfItsLastRow) {
  const std::vector<SliceSpec> specs = {ColumnSlices{.name = "y"}};
  transform::SampleSchema schema = testing::Schema();
  schema.history = 2;
  auto columns = SliceColumns::Make(specs, schema);
  ASSERT_THAT(columns, IsOk());
  const auto numbers = columns->Read(testing::SamplesOf({"1,A\n2,B", "2,B\r\n3,\"C\nC\""}, {0, 0}));
  ASSERT_THAT(numbers, IsOk());
  EXPECT_EQ(columns->Label(0, numbers->at(0)[0]), "y=B");
  EXPECT_EQ(columns->Label(0, numbers->at(0)[1]), "y=C?C");
}

TEST(SliceColumns, AreFieldsOfJsonObjects) {
  const std::vector<SliceSpec> specs = {ColumnSlices{.name = "a.b"}};
  transform::SampleSchema schema;
  schema.payload = transform::PayloadKind::kJson;
  schema.history = 2;
  auto columns = SliceColumns::Make(specs, schema);
  ASSERT_THAT(columns, IsOk());
  const auto numbers = columns->Read(testing::SamplesOf(
      {"{}\n{\"a\": {\"b\": \"x\"}}", "{}\n{\"a\": {\"b\": 2.5}}\n", "{}\n{\"a\": 1}", "{}\n{"},
      {0, 0, 0, 0}));
  ASSERT_THAT(numbers, IsOk());
  std::vector<std::string> labels;
  for (const int32_t number : numbers->at(0)) labels.push_back(columns->Label(0, number));
  EXPECT_THAT(labels, ElementsAre("a.b=x", "a.b=2.5", "a.b=other", "a.b=other"));
}

TEST(SliceColumns, AreBoundedInNumber) {
  std::vector<std::string> records;
  for (int i = 0; i < 10'001; ++i) records.push_back("1," + std::to_string(i));
  const auto labels = LabelsOf({.name = "y"}, records);
  EXPECT_EQ(labels[9'999], "y=9999");
  EXPECT_EQ(labels[10'000], "y=other");
}

TEST(SliceColumns, RefuseColumnsThatAreNotThere) {
  const std::vector<SliceSpec> specs = {ColumnSlices{.name = "z"}};
  EXPECT_THAT(SliceColumns::Make(specs, testing::Schema()).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the columns are x, y")));
  transform::SampleSchema files;
  files.payload = transform::PayloadKind::kFile;
  EXPECT_THAT(SliceColumns::Make(specs, files).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("csv")));
}

std::vector<std::string> LabelsByExpression(const ExpressionSlices& slices,
                                            const std::vector<std::string>& records,
                                            const std::vector<int64_t>& classes) {
  const auto dataset = config::Read<storage::DatasetSpec>(testing::kDatasetSpec, "dataset");
  const std::vector<SliceSpec> specs = {slices};
  auto columns = SliceColumns::Make(specs, testing::Schema(), &*dataset);
  EXPECT_THAT(columns, IsOk());
  const auto numbers = columns->Read(testing::SamplesOf(records, classes));
  EXPECT_THAT(numbers, IsOk());
  std::vector<std::string> labels;
  for (const int32_t number : numbers->at(0)) labels.push_back(columns->Label(0, number));
  return labels;
}

TEST(SliceColumns, AreTheValuesOfAnExpression) {
  EXPECT_THAT(LabelsByExpression({.value = "x > 1", .name = "large"}, {"1,A", "2,A", ",A", "?,A"},
                                 {0, 0, 0, 0}),
              ElementsAre("large=false", "large=true", "large=other", "large=other"));
  EXPECT_THAT(LabelsByExpression({.value = "lower(y)"}, {"1,A", "2,b"}, {0, 0}),
              ElementsAre("lower(y)=a", "lower(y)=b"));
  EXPECT_THAT(
      LabelsByExpression({.value = "x * 2", .name = "size", .bins = {3}}, {"1,A", "2,A"}, {0, 0}),
      ElementsAre("size=<3", "size=>=3"));
  EXPECT_THAT(
      LabelsByExpression({.value = "concat(@label, year(@time))"}, {"1,A", "2,A"}, {0, 1}),
      ElementsAre("concat(@label, year(@time))=LOW1970", "concat(@label, year(@time))=HIGH1970"));
}

TEST(SliceColumns, OfAnExpressionWithAMistakeAreRefused) {
  const auto dataset = config::Read<storage::DatasetSpec>(testing::kDatasetSpec, "dataset");
  const std::vector<SliceSpec> specs = {ExpressionSlices{.value = "z > 1"}};
  EXPECT_THAT(SliceColumns::Make(specs, testing::Schema(), &*dataset).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("there is no column 'z'")));
}

}  // namespace
}  // namespace tidemill::evaluator
