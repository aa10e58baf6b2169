#include "transform/ops/records/parse_json.h"

#include <cmath>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "transform/graph.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunAtOnce;
using testing::Spec;
using tidemill::testing::IsOk;

const SampleSchema kJsonLines = {.payload = PayloadKind::kJson};

TEST(ParseJson, ReadsFieldsByNameInTheOrderAsked) {
  const Transformed result =
      RunAtOnce(Spec(ParseJsonSpec{.fields = {"c", "deep.a"}}, StackSpec{}), kJsonLines,
                MakeSamples({R"({"deep": {"a": 1}, "b": [1, 2], "c": 3})",
                             R"({"c": "-1e-3", "deep": {"a": " 2.5 "}})",
                             R"({"c": true, "deep": {"a": false}, "b": 9, "b": 8})"}));
  EXPECT_THAT(result.bad, IsEmpty());
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(3, 1, -1e-3F, 2.5F, 1, 0));
}

TEST(ParseJson, RejectsBadRowsWithFieldAndValueAndKeepsTheOthers) {
  const Transformed result =
      RunAtOnce(Spec(ParseJsonSpec{.fields = {"a"}}, StackSpec{}), kJsonLines,
                MakeSamples({R"({"a": 1})", R"({"b": 1})", R"({"a": null})", R"({"a": [1]})",
                             R"({"a": "one"})", R"({"a": 1e99})", R"([1])", R"({"a": 1)",
                             R"({"a": NaN})", R"({"a": 1, "a": 3})", R"({"a": 2})"}));
  std::vector<std::string> reasons;
  for (const BadSample& bad : result.bad) reasons.push_back(bad.reason);
  EXPECT_THAT(
      reasons,
      ElementsAre("there is no field a", "field a is null", "field a is a list or an object",
                  "field a: 'one' is not a number", "field a: '1e99' is out of range",
                  HasSubstr("is not a JSON object"), HasSubstr("is not a JSON object"),
                  "field a is NaN", "the sample has field a twice, with different values"));
  EXPECT_THAT(Numbers<int64_t>(result.batch, "key"), ElementsAre(100, 110));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 2));
}

// What a run leaves in a column before anything rejects what is not finite.
TEST(ParseJson, WhatIsMissingBecomesNotANumberOrAnEmptyText) {
  const batch::Batch samples = MakeSamples(
      {R"({"x": 1, "t": "a"})", R"({"x": null, "t": null})", R"({"x": "NA", "t": "NA"})", R"({})"});
  SampleSchema schema = kJsonLines;
  OpBuilder builder(schema);
  builder.BeginOp(0);
  const ParseJsonSpec numbers{.fields = {"x"}, .missing = {"null", "NA"}};
  const ParseJsonSpec texts{.fields = {"t"}, .dtype = CsvType::kString, .missing = {"null"}};
  const auto read_numbers = numbers.Build(builder);
  const auto read_texts = texts.Build(builder);
  ASSERT_THAT(builder.problems(), IsEmpty());
  Frame frame(samples, builder.num_slots());
  ASSERT_THAT(read_numbers->Run({}, frame), IsOk());
  ASSERT_THAT(read_texts->Run({}, frame), IsOk());
  EXPECT_EQ(frame.num_bad(), 0);
  const auto values = frame.Get(0).Values<float>();
  EXPECT_EQ(values[0], 1);
  for (size_t i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(values[i])) << i;
  EXPECT_EQ(frame.Get(1).Bytes(0), "a");
  EXPECT_EQ(frame.Get(1).Bytes(1), "");
  EXPECT_EQ(frame.Get(1).Bytes(2), "NA");
  EXPECT_EQ(frame.Get(1).Bytes(3), "");
}

TEST(ParseJson, TakesTheRowsOfASeries) {
  SampleSchema schema = kJsonLines;
  schema.history = 3;
  const auto samples = MakeSamples({"{\"a\":1}\r\n{\"a\":2}\n\n{\"a\":3}", "{\"a\":1}\n{\"a\":2}"});
  const Transformed all = RunAtOnce(
      Spec(ParseJsonSpec{.fields = {"a"}, .rows = Rows::kAll}, StackSpec{}), schema, samples);
  EXPECT_THAT(Numbers<float>(all.batch, "input"), ElementsAre(1, 2, 3));
  ASSERT_EQ(all.bad.size(), 1U);
  EXPECT_THAT(all.bad[0].reason, HasSubstr("2 lines, but the series has 3 rows"));
  const Transformed two =
      RunAtOnce(Spec(ParseJsonSpec{.fields = {"a"}},
                     ParseJsonSpec{.fields = {"a"}, .rows = Rows::kPrevious, .suffix = "_before"},
                     StackSpec{}),
                schema, samples);
  EXPECT_THAT(Numbers<float>(two.batch, "input"), ElementsAre(3, 2));
}

TEST(ParseJson, NeedsObjectsAndFloatsForWhatIsMissing) {
  const auto problems =
      Graph::Check(Spec(ParseJsonSpec{.fields = {"a"}, .dtype = CsvType::kInt64, .missing = {"NA"}},
                        StackSpec{}),
                   {.payload = PayloadKind::kRecord});
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_THAT(problems[0].message, HasSubstr("needs a dataset of JSON objects"));
  EXPECT_EQ(problems[1].field, "missing");
}

}  // namespace
}  // namespace tidemill::transform
