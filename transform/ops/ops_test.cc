#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/testing/status_matchers.h"
#include "transform/graph.h"
#include "transform/ops/records/csv_fields.h"
#include "transform/testing/samples.h"
#include "xxhash.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeRealSamples;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;

// A field that only quoting can carry, or one that needs none, of random content.
std::string RandomField(std::mt19937& random) {
  constexpr std::string_view kAlphabet = "ab,\"\n\r ;\t";
  std::string field;
  for (uint32_t length = random() % 8; length > 0; --length) {
    field += kAlphabet[random() % kAlphabet.size()];
  }
  return field;
}

std::string Quote(const std::string& field, std::mt19937& random) {
  if (field.find_first_of(",\"\n\r") == std::string::npos && random() % 2 == 0) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

TEST(CsvFields, ReadsBackWhateverRfc4180CanQuote) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const size_t num_fields = 1 + random() % 5;
    std::vector<std::string> fields;
    std::string record;
    for (size_t i = 0; i < num_fields; ++i) {
      fields.push_back(RandomField(random));
      if (i > 0) record += ',';
      record += Quote(fields.back(), random);
    }
    CsvFields split({}, num_fields);
    ASSERT_EQ(split.Split(record), CsvFields::Result::kOk) << record;
    const std::vector<std::string> found(split.fields().begin(), split.fields().end());
    ASSERT_EQ(found, fields) << record;
  }
}

TEST(CsvFields, CountsFieldsAndRefusesBadQuotes) {
  CsvFields split({.delimiter = ";"}, 2);
  EXPECT_EQ(split.Split("a;b"), CsvFields::Result::kOk);
  EXPECT_EQ(split.Split("a;b;"), CsvFields::Result::kWrongCount);
  EXPECT_EQ(split.num_found(), 3);
  EXPECT_EQ(split.Split(""), CsvFields::Result::kWrongCount);
  EXPECT_EQ(split.Split("a;\"b"), CsvFields::Result::kBadQuote);
  EXPECT_EQ(split.Split("a;\"b\"c"), CsvFields::Result::kBadQuote);
  EXPECT_EQ(split.Split("a\";b"), CsvFields::Result::kOk) << "a quote inside a bare field is text";
  CsvFields unquoted({.delimiter = "\t", .quote = std::nullopt}, 2);
  EXPECT_EQ(unquoted.Split("\"a\tb"), CsvFields::Result::kOk);
  EXPECT_EQ(unquoted.fields()[0], "\"a");
}

TEST(CsvFields, SplitsAtDelimitersOfSeveralBytesAndTrims) {
  CsvFields colons({.delimiter = "::"}, 4);
  ASSERT_EQ(colons.Split("1:::a\":b::\"x::y\"::"), CsvFields::Result::kOk);
  EXPECT_THAT(colons.fields(), ElementsAre("1", ":a\":b", "x::y", ""));
  CsvFields trimmed({.trim = true}, 3);
  ASSERT_EQ(trimmed.Split(" a b ,\t\" c \" ,"), CsvFields::Result::kOk);
  EXPECT_THAT(trimmed.fields(), ElementsAre("a b", " c ", ""));
}

TEST(ParseCsv, ReadsNumbersWithADecimalComma) {
  SampleSchema schema = CsvSchema({"a", "b"});
  schema.csv = {.delimiter = ";", .numbers = {.decimal = ','}};
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"a", "b"}}, StackSpec{}), schema,
               MakeSamples({"1,5;-200", " 0,25 ;1e3", "1.5;2", "1.234,5;2", "1,2,3;4"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1.5F, -200, 0.25F, 1000));
  EXPECT_THAT(result.bad, ElementsAre(BadSample{2, "column a: '1.5' is not a number"},
                                      BadSample{3, "column a: '1.234,5' is not a number"},
                                      BadSample{4, "column a: '1,2,3' is not a number"}));
}

TEST(ParseCsv, ReadsNumbersWithGroupsAndUnits) {
  SampleSchema schema = CsvSchema({"a", "b"});
  schema.csv = {.delimiter = ";", .numbers = {.thousands = ',', .units = {{"b", "kg"}}}};
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"a", "b"}}, StackSpec{}), schema,
               MakeSamples({"1,234.5;2 kg", "7;1,000kg", "1,5;2", "5;3 g", "5 kg;1"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1234.5F, 2, 7, 1000));
  EXPECT_THAT(result.bad, ElementsAre(BadSample{2, "column a: '1,5' is not a number"},
                                      BadSample{3, "column b: '3 g' is not a number"},
                                      BadSample{4, "column a: '5 kg' is not a number"}));
}

TEST(ParseCsv, ReadsNumbersByNameInTheOrderAsked) {
  const Transformed result = RunGraph(
      Spec(ParseCsvSpec{.columns = {"c", "a"}}, StackSpec{.columns = config::ColumnList::All()}),
      CsvSchema({"a", "b", "c"}), MakeSamples({"1,x,3", " +2.5 ,y,\"-1e-3\"", "-0,,16777217"}));
  EXPECT_THAT(result.bad, IsEmpty());
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(3, 1, -1e-3F, 2.5F, 16777216, 0));
  EXPECT_THAT(Numbers<int64_t>(result.batch, "key"), ElementsAre(100, 101, 102));
}

TEST(ParseCsv, ReadsEveryDoubleBack) {
  std::mt19937_64 random(2);
  std::vector<std::string> records;
  std::vector<float> expected;
  while (records.size() < 2000) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value) || std::abs(value) > 1e30 || std::abs(value) < 1e-30) continue;
    records.push_back(fmt::format("{}", value));
    expected.push_back(static_cast<float>(value));
  }
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kFloat64}, StackSpec{}),
               CsvSchema({"x"}), MakeSamples(records));
  EXPECT_EQ(Numbers<float>(result.batch, "input"), expected);
}

TEST(ParseCsv, RejectsBadRowsWithColumnAndValueAndKeepsTheOthers) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"a", "b"}}, StackSpec{}), CsvSchema({"a", "b"}),
               MakeSamples({"1,2", "x\x01y,2", "3,nan", "4", "5,", "6,1e99", "7,\"8", "9,10",
                            "1-,2", "+-1,2", "3,inf"}));
  std::vector<std::string> reasons;
  std::vector<int64_t> rows;
  for (const BadSample& bad : result.bad) {
    rows.push_back(bad.row);
    reasons.push_back(bad.reason);
  }
  EXPECT_THAT(rows, ElementsAre(1, 2, 3, 4, 5, 6, 8, 9, 10));
  EXPECT_THAT(
      reasons,
      ElementsAre("column a: 'x\\x01y' is not a number", "column b: 'nan' is not a finite number",
                  "the record has 1 fields, but the dataset has 2 columns", "column b: '' is empty",
                  "column b: '1e99' is out of range", "field 2 of the record is not quoted well",
                  "column a: '1-' is not a number", "column a: '+-1' is not a number",
                  "column b: 'inf' is not a finite number"));
  EXPECT_THAT(Numbers<int64_t>(result.batch, "key"), ElementsAre(100, 107));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 2, 9, 10));
}

TEST(ParseCsv, ReadsWhatIsTooSmallForItsTypeAsTheNearestNumber) {
  const Transformed small =
      RunGraph(Spec(ParseCsvSpec{.columns = {"p"}}, StackSpec{}), CsvSchema({"p"}),
               MakeSamples({"1e-30", "1.2e-48", "1.5e-322", "-1e-400"}));
  EXPECT_THAT(Numbers<float>(small.batch, "input"), ElementsAre(1e-30F, 0, 0, 0));
}

TEST(ParseCsv, ReadsWholeNumbersExactlyAndNothingElse) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"n"}, .dtype = CsvType::kInt64},
                    HashBucketsSpec{.column = "n", .buckets = 1'000'000'007}, StackSpec{}),
               CsvSchema({"n"}), MakeSamples({"9007199254740993", "3.0", "9223372036854775808"}));
  const int64_t number = 9007199254740993;
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(static_cast<float>(XXH3_64bits(&number, 8) % 1'000'000'007)));
  ASSERT_EQ(result.bad.size(), 2);
  EXPECT_THAT(result.bad[0].reason, HasSubstr("'3.0' is not a whole number"));
  EXPECT_THAT(result.bad[1].reason, HasSubstr("is out of range"));
}

TEST(ParseRecord, ReadsFieldsOfBothEndiannessesAtTheirOffsets) {
  const std::string record("\x01\x02\xff\xfe\x00\x00\x80\x3f\x40\x09\x21\xfb\x54\x44\x2d\x18", 16);
  const GraphSpec spec =
      Spec(ParseRecordSpec{.fields = {{.name = "bytes", .offset = 0, .shape = {2}},
                                      {.name = "i16",
                                       .offset = 2,
                                       .dtype = RecordType::kInt16,
                                       .shape = {},
                                       .endianness = Endianness::kBig},
                                      {.name = "u16", .offset = 2, .dtype = RecordType::kUInt16},
                                      {.name = "f32", .offset = 4, .dtype = RecordType::kFloat32},
                                      {.name = "f64",
                                       .offset = 8,
                                       .dtype = RecordType::kFloat64,
                                       .shape = {},
                                       .endianness = Endianness::kBig}}},
           StackSpec{});
  const SampleSchema schema{.payload = PayloadKind::kRecord, .record_bytes = 16};
  const Transformed result = RunGraph(spec, schema, MakeSamples({record, record.substr(0, 15)}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(1, 2, -2, 0xfeff, 1, static_cast<float>(3.141592653589793)));
  ASSERT_EQ(result.bad.size(), 1);
  EXPECT_EQ(result.bad[0].reason, "the record has 15 bytes, but field f64 ends at 16");
}

TEST(ParseRecord, KeepsTheBytesOfImages) {
  std::string image(784, '\0');
  for (int i = 0; i < 784; ++i) image[i] = static_cast<char>(i * 7);
  const GraphSpec spec = Spec(ParseRecordSpec{.fields = {{.name = "image", .shape = {1, 28, 28}}}},
                              NormalizeSpec{.column = "image",
                                            .scale = 1.0 / 255,
                                            .mean = {0.25},
                                            .deviation = {0.5},
                                            .into = "input"});
  const SampleSchema schema{.payload = PayloadKind::kRecord, .record_bytes = 784};
  const Transformed result = RunGraph(spec, schema, MakeSamples({image, image}));
  EXPECT_THAT(result.batch.Find("input")->shape, ElementsAre(1, 28, 28));
  const std::vector<float> numbers = Numbers<float>(result.batch, "input");
  ASSERT_EQ(numbers.size(), 2 * 784);
  for (int i = 0; i < 2 * 784; ++i) {
    const int byte = (i % 784) * 7 % 256;
    ASSERT_EQ(numbers[i], static_cast<float>((byte * (1.0 / 255) - 0.25) / 0.5)) << i;
  }
}

TEST(ParseRecord, RejectsARecordLongerThanItsFieldsWhereNothingElseSaysHowLongItIs) {
  const GraphSpec spec =
      Spec(ParseRecordSpec{.fields = {{.name = "x", .offset = 1}, {.name = "y", .shape = {1}}}},
           StackSpec{});
  const batch::Batch samples = MakeSamples({"\1\2", "\1\2\3", "\4\5"});
  const Transformed result = RunGraph(spec, {.payload = PayloadKind::kRecord}, samples);
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(2, 1, 5, 4));
  ASSERT_EQ(result.bad.size(), 1);
  EXPECT_EQ(result.bad[0].row, 1);
  EXPECT_THAT(result.bad[0].reason,
              ::testing::HasSubstr("has 3 bytes, but its last field ends at 2"));
  // Some bytes of fixed-length records may be of no interest.
  const Transformed part = RunGraph(spec, {.payload = PayloadKind::kRecord, .record_bytes = 3},
                                    MakeSamples({"\1\2\3", "\4\5\6"}));
  EXPECT_EQ(part.batch.num_rows(), 2);
}

TEST(ParseRecord, RejectsNumbersThatAreNotFinite) {
  const float values[] = {1, std::numeric_limits<float>::infinity(), 2,
                          std::numeric_limits<float>::quiet_NaN()};
  std::vector<std::string> records;
  for (const float value : values) {
    records.emplace_back(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  const Transformed result = RunGraph(
      Spec(ParseRecordSpec{.fields = {{.name = "x", .dtype = RecordType::kFloat32}}}, StackSpec{}),
      {.payload = PayloadKind::kRecord}, MakeSamples(records));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 2));
  ASSERT_EQ(result.bad.size(), 2);
  EXPECT_EQ(result.bad[1], (BadSample{3, "column x holds nan, which is not a finite number"}));
}

TEST(Normalize, TakesOneMeanAndStdPerChannel) {
  const GraphSpec spec =
      Spec(ParseRecordSpec{.fields = {{.name = "image", .shape = {3, 1, 2}}}},
           NormalizeSpec{.column = "image", .scale = 2, .mean = {1, 2, 3}, .deviation = {1, 2, 4}},
           StackSpec{});
  const Transformed result = RunGraph(spec, {.payload = PayloadKind::kRecord},
                                      MakeSamples({"\1\2\3\4\5\6", "\6\5\4\3\2\1"}));
  EXPECT_THAT(result.batch.Find("input")->shape, ElementsAre(3, 1, 2));
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(1, 3, 2, 3, 1.75F, 2.25F, 11, 9, 3, 2, 0.25F, -0.25F));
}

TEST(OneHot, PlacesGivenCategories) {
  const auto graph = [](UnknownCategory unknown) {
    return Spec(ParseCsvSpec{.columns = {"sky"}, .dtype = CsvType::kString},
                OneHotSpec{.column = "sky", .categories = {"sun", "", "a,b"}, .unknown = unknown},
                StackSpec{});
  };
  const batch::Batch samples = MakeSamples({"sun,1", "\"a,b\",1", "fog,1", ",1"});
  const Transformed zeros =
      RunGraph(graph(UnknownCategory::kZeros), CsvSchema({"sky", "n"}), samples);
  EXPECT_THAT(Numbers<float>(zeros.batch, "input"),
              ElementsAre(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0));
  const Transformed strict =
      RunGraph(graph(UnknownCategory::kBadSample), CsvSchema({"sky", "n"}), samples);
  EXPECT_THAT(strict.bad, ElementsAre(BadSample{2, "column sky: 'fog' is not a category"}));
  EXPECT_EQ(strict.batch.num_rows(), 3);
}

TEST(OneHot, PlacesWholeNumbersAsClasses) {
  const Transformed result = RunGraph(Spec(ParseCsvSpec{.columns = {"n"}, .dtype = CsvType::kInt64},
                                           OneHotSpec{.column = "n",
                                                      .classes = 3,
                                                      .unknown = UnknownCategory::kBadSample,
                                                      .into = "input"}),
                                      CsvSchema({"n"}), MakeSamples({"2", "3", "-1", "0"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(0, 0, 1, 1, 0, 0));
  ASSERT_EQ(result.bad.size(), 2);
  EXPECT_EQ(result.bad[0].reason, "column n: '3' is not a category");
}

TEST(HashBuckets, AreXxh3OfTheEightBytesOfAWholeNumber) {
  for (const int64_t seed : {int64_t{0}, int64_t{5}, int64_t{0x123456789ABCDEF}}) {
    for (const int64_t number : {int64_t{0}, int64_t{-1}, int64_t{77}, int64_t{9007199254740993}}) {
      const Transformed result = RunGraph(
          Spec(ParseCsvSpec{.columns = {"n"}, .dtype = CsvType::kInt64},
               HashBucketsSpec{.column = "n", .buckets = 8'000'009, .seed = seed}, StackSpec{}),
          CsvSchema({"n"}), MakeSamples({fmt::format("{}", number)}));
      const uint64_t hash = XXH3_64bits_withSeed(&number, 8, static_cast<uint64_t>(seed));
      EXPECT_THAT(Numbers<float>(result.batch, "input"),
                  ElementsAre(static_cast<float>(hash % 8'000'009)))
          << number << " with seed " << seed;
    }
  }
}

TEST(HashBuckets, AreXxh3OfTheText) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"user"}, .dtype = CsvType::kString},
                    HashBucketsSpec{.column = "user", .buckets = 97, .seed = 5, .into = "bucket"},
                    StackSpec{.columns = {"bucket"}}),
               CsvSchema({"user"}), MakeSamples({"ada", "\"b \"\"x\"\"\"", "ada"}));
  const auto expected = [](std::string_view text) {
    return static_cast<float>(XXH3_64bits_withSeed(text.data(), text.size(), 5) % 97);
  };
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(expected("ada"), expected("b \"x\""), expected("ada")));
  EXPECT_THAT(result.batch.Find("input")->shape, ElementsAre(1));
}

TEST(Cast, CutsFractionsAndRejectsWhatDoesNotFit) {
  const Transformed result = RunGraph(
      Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kFloat64},
           CastSpec{.columns = config::ColumnList::All(), .dtype = CastType::kUInt8}, StackSpec{}),
      CsvSchema({"x"}), MakeSamples({"255.9", "256", "-0.9", "-1", "1e300", "7"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(255, 0, 7));
  ASSERT_EQ(result.bad.size(), 3);
  EXPECT_EQ(result.bad[0], (BadSample{1, "column x: 256 does not fit into uint8"}));
}

TEST(Cast, KnowsTheEdgeOfInt64) {
  const Transformed result = RunGraph(
      Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kFloat64},
           CastSpec{.columns = config::ColumnList::All(), .dtype = CastType::kInt64}, StackSpec{}),
      CsvSchema({"x"}),
      MakeSamples({"9223372036854775807", "-9223372036854775808", "9223372036854774784"}));
  EXPECT_EQ(result.bad.size(), 1) << "2^63 - 1 is 2^63 as a double";
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(-0x1p63F, 0x1p63F));
}

TEST(Stack, ConcatenatesRowsAndRejectsWhatFloat32CannotHold) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"a"}, .dtype = CsvType::kFloat64},
                    ParseCsvSpec{.columns = {"b"}, .dtype = CsvType::kInt64},
                    OneHotSpec{.column = "b", .classes = 2, .into = "c"}, StackSpec{}),
               CsvSchema({"a", "b"}), MakeSamples({"1.5,1", "1e200,0", "-2,0"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1.5, 1, 0, 1, -2, 0, 1, 0));
  EXPECT_THAT(result.batch.Find("input")->shape, ElementsAre(4));
  ASSERT_EQ(result.bad.size(), 1);
  EXPECT_EQ(result.bad[0].row, 1);
}

TEST(Reshape, ChangesTheShapeAndNotTheNumbers) {
  const Transformed result =
      RunGraph(Spec(ParseRecordSpec{.fields = {{.name = "x", .shape = {6}}}},
                    ReshapeSpec{.column = "x", .shape = {2, 3}}, StackSpec{}),
               {.payload = PayloadKind::kRecord}, MakeSamples({"\1\2\3\4\5\6"}));
  EXPECT_THAT(result.batch.Find("input")->shape, ElementsAre(2, 3));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Label, RejectsSamplesWithoutALabelOrOutsideTheClasses) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"a"}}, StackSpec{}, LabelSpec{}), CsvSchema({"a"}),
               MakeSamples({"1", "2", "3", "4"}, {9, std::nullopt, 10, 0}));
  EXPECT_THAT(Numbers<int64_t>(result.batch, "target"), ElementsAre(9, 0));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 4));
  EXPECT_THAT(result.bad, ElementsAre(BadSample{1, "the sample has no label"},
                                      BadSample{2, "the label 10 is not one of the 10 classes"}));
}

TEST(Label, MakesRealLabelsFloat32) {
  SampleSchema schema = CsvSchema({"a"});
  schema.label = LabelKind::kReal;
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"a"}}, StackSpec{}, LabelSpec{}), schema,
               MakeRealSamples({"1", "2", "3"}, {0.1, std::nullopt, 1e60}));
  EXPECT_THAT(Numbers<float>(result.batch, "target"), ElementsAre(0.1F));
  ASSERT_EQ(result.bad.size(), 2);
  EXPECT_EQ(result.bad[0].reason, "the sample has no label");
}

}  // namespace
}  // namespace tidemill::transform
