#include "transform/engine/graph_op.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "transform/ops/op_list.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GraphOp, IsRandomWhereItDrawsAnewInEveryEpoch) {
  std::vector<std::string_view> random;
  for (const auto& op : GraphOp::Alternatives()) {
    if (op.make()->IsRandom()) random.push_back(op.type().tag);
  }
  EXPECT_THAT(random, ElementsAre("random_crop", "random_flip", "colour_jitter", "random_erasing"));
}

TEST(GraphOp, SaysWhatATargetIsThatItMakes) {
  const struct {
    OpSpec op;
    TargetMade target;
  } expected[] = {{LabelSpec{}, TargetMade::kLabel},
                  {LabelSpec{.into = "input"}, TargetMade::kOther},
                  {StandardizeSpec{.columns = {"wind", "target"}}, TargetMade::kStandardized},
                  {StandardizeSpec{.columns = {"wind"}}, TargetMade::kOther},
                  // Targets are left out of `all`.
                  {StandardizeSpec{}, TargetMade::kOther},
                  {Log1pSpec{.columns = {"target"}}, TargetMade::kOther},
                  {StackSpec{.into = "target"}, TargetMade::kOther}};
  for (const auto& [op, target] : expected) EXPECT_EQ(op->Target(), target) << op.type();
}

TEST(GraphOp, OfTextWithFieldsSaysWhichFieldsItReads) {
  const OpSpec csv = ParseCsvSpec{.columns = {"wind", "rain"}};
  EXPECT_EQ(csv->Reads().key, "columns");
  EXPECT_THAT(csv->Reads().names, ElementsAre("wind", "rain"));
  const OpSpec json = ParseJsonSpec{.fields = {"wind.speed", "rain"}};
  EXPECT_EQ(json->Reads().key, "fields");
  EXPECT_THAT(json->Reads().names, ElementsAre("wind.speed", "rain"));
  const OpSpec others[] = {ParseRecordSpec{}, ParseExampleSpec{}, StackSpec{.columns = {"wind"}}};
  for (const OpSpec& other : others) {
    EXPECT_EQ(other->Reads().key, "") << other.type();
    EXPECT_THAT(other->Reads().names, IsEmpty()) << other.type();
    EXPECT_FALSE(other->TryField("x", "no number", {}).has_value()) << other.type();
  }
}

TEST(GraphOp, OfParseCsvSaysWhatKeepsAFieldFromBeingWhatItTakes) {
  const struct {
    OpSpec op;
    std::string field;
    std::string_view problem;  // Empty: none.
  } expected[] = {{ParseCsvSpec{}, " 1.5 ", ""},
                  {ParseCsvSpec{}, "high", "is not a number"},
                  {ParseCsvSpec{}, "", "is empty"},
                  {ParseCsvSpec{}, "1e99", "is out of range"},
                  {ParseCsvSpec{}, "1e-99", ""},
                  {ParseCsvSpec{.missing = {"NA"}}, " NA ", ""},
                  {ParseCsvSpec{.dtype = CsvType::kFloat64}, "1e99", ""},
                  {ParseCsvSpec{.dtype = CsvType::kInt64}, "1.5", "is not a whole number"},
                  {ParseCsvSpec{.dtype = CsvType::kString}, "high", ""}};
  for (const auto& [op, field, problem] : expected) {
    const std::optional<BadField> bad = op->TryField("x", field, {});
    EXPECT_EQ(bad ? bad->problem : "", problem) << field;
    EXPECT_FALSE(bad && bad->hint.empty()) << field;
  }
}

TEST(GraphOp, OfParseCsvAdvisesATypeForWhatIsTooLarge) {
  const auto hint = [](std::string_view text) {
    return OpSpec(ParseCsvSpec{})->TryField("x", std::string(text), {})->hint;
  };
  EXPECT_EQ(hint("1e99"),
            "write dtype: float64, and make it smaller for the model, with log1p or clip");
  EXPECT_EQ(hint("1e400"), "no type holds it: correct the file, or write missing: [\"1e400\"]");
  EXPECT_EQ(hint("high"), "this is text: read it with dtype: string, then one_hot or hash_buckets");
}

}  // namespace
}  // namespace tidemill::transform
