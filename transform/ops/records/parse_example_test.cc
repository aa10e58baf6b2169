#include "transform/ops/records/parse_example.h"

#include <cstring>
#include <limits>

#include "gmock/gmock.h"

#include "transform/graph.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::Spec;

// Messages by hand: a field of number `number` with the bytes of a message or text.
std::string Part(int number, const std::string& bytes) {
  std::string part(1, static_cast<char>(number << 3 | 2));
  for (size_t size = bytes.size(); part.size() < 2 || size > 0; size >>= 7) {
    part += static_cast<char>((size & 0x7f) | (size > 0x7f ? 0x80 : 0));
  }
  return part + bytes;
}
std::string Entry(const std::string& name, int kind, const std::string& list) {
  return Part(1, Part(1, name) + Part(2, Part(kind, list)));
}
std::string Bytes(const std::string& name, const std::string& value) {
  return Entry(name, 1, Part(1, value));
}
std::string Floats(const std::string& name, const std::vector<float>& values) {
  std::string packed(values.size() * 4, '\0');
  std::memcpy(packed.data(), values.data(), packed.size());
  return Entry(name, 2, Part(1, packed));
}
std::string Ints(const std::string& name, const std::vector<uint8_t>& small) {
  return Entry(name, 3, Part(1, std::string(small.begin(), small.end())));
}
std::string Example(const std::string& entries) { return Part(1, entries); }

const SampleSchema kTfRecords = {.payload = PayloadKind::kTfRecord};

Transformed RunOnExamples(const GraphSpec& spec, const batch::Batch& samples) {
  return testing::RunAtOnce(spec, kTfRecords, samples);
}

TEST(ParseExample, ReadsFeaturesOfEveryKind) {
  const std::string sample =
      Example(Ints("n", {7}) + Floats("x", {1.5F, -2}) + Bytes("raw", "\x01\x02\xff") +
              Ints("more", {3, 4}) + Bytes("word", "ada"));
  const Transformed result = RunOnExamples(
      Spec(ParseExampleSpec{.features = {{.name = "x", .length = 2},
                                         {.name = "n", .dtype = ExampleType::kInt64},
                                         {.name = "raw", .dtype = ExampleType::kUInt8, .length = 3},
                                         {.name = "more", .length = 2, .into = "whole"},
                                         {.name = "word", .dtype = ExampleType::kString}}},
           OneHotSpec{.column = "word", .categories = {"bob", "ada"}}, StackSpec{}),
      MakeSamples({sample}));
  EXPECT_THAT(result.bad, IsEmpty());
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(1.5F, -2, 7, 1, 2, 255, 3, 4, 0, 1));
}

TEST(ParseExample, RejectsBadRowsWithTheFeatureAndKeepsTheOthers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Transformed result = RunOnExamples(
      Spec(ParseExampleSpec{.features = {{.name = "x"}}}, StackSpec{}),
      MakeSamples({Example(Floats("x", {1})), Example(Floats("y", {1})),
                   Example(Floats("x", {1, 2})), Example(Bytes("x", "1")), "no example",
                   Example(Floats("x", {nan})), Example(Floats("x", {5}))}));
  std::vector<std::string> reasons;
  for (const BadSample& bad : result.bad) reasons.push_back(bad.reason);
  EXPECT_THAT(reasons,
              ElementsAre("feature x is missing", "feature x has 2 values, not 1",
                          "feature x is of another kind", "the record is not a tf.train.Example",
                          HasSubstr("not a finite number")));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 5));
}

TEST(ParseExample, NeedsTfRecordsAndOneText) {
  const GraphSpec spec = Spec(
      ParseExampleSpec{.features = {{.name = "a", .dtype = ExampleType::kString, .length = 2}}});
  const auto problems = Graph::Check(spec, {.payload = PayloadKind::kCsv});
  ASSERT_GE(problems.size(), 2U);
  EXPECT_THAT(problems[0].message, HasSubstr("format tfrecord"));
  EXPECT_THAT(problems[1].message, HasSubstr("several texts"));
}

TEST(ParseExample, DecodeImageTakesItsTexts) {
  const GraphSpec spec = Spec(
      ParseExampleSpec{
          .features = {{.name = "image", .dtype = ExampleType::kString, .into = "file"}}},
      DecodeImageSpec{.height = 1, .width = 1, .channels = 1, .column = "file"},
      CastSpec{.columns = {"image"}, .dtype = CastType::kFloat32}, StackSpec{.columns = {"image"}});
  // A grey pixel of 0x80 as PNG.
  const std::string png(
      "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\001"
      "\000\000\000\001\010\000\000\000\000\072\176\233\125\000\000\000\012\111\104\101"
      "\124\170\234\143\150\000\000\000\202\000\201\167\315\162\266\000\000\000\000\111"
      "\105\116\104\256\102\140\202",
      67);
  const Transformed result = RunOnExamples(
      spec, MakeSamples({Example(Bytes("image", png)), Example(Bytes("image", "none"))}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(128));
  ASSERT_EQ(result.bad.size(), 1U);
  EXPECT_THAT(result.bad[0].reason, HasSubstr("image"));
}

}  // namespace
}  // namespace tidemill::transform
