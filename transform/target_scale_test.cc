#include "transform/target_scale.h"

#include <optional>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Numbers;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr RunContext kToTrain{.training = true, .standardize_target = true};

GraphSpec Standardized() {
  return testing::Spec(ParseCsvSpec{.columns = std::vector<std::string>{"x"}}, StackSpec{},
                       LabelSpec{}, StandardizeSpec{.columns = {"target"}});
}

SampleSchema RealSchema() {
  SampleSchema schema = testing::CsvSchema({"x"});
  schema.label = LabelKind::kReal;
  schema.num_classes = 0;
  return schema;
}

// Labels of mean 15 and deviation 5; the one that is missing counts for neither.
batch::Batch Samples() {
  return testing::MakeRealSamples({"1", "2", "3"}, {10.0, std::nullopt, 20.0});
}

TEST(StandardizedTarget, IsLearntAndTrainedOnInDeviations) {
  const Transformed made = testing::RunGraph(Standardized(), RealSchema(), Samples(), kToTrain);
  EXPECT_THAT(Numbers<float>(made.batch, "target"), ElementsAre(-1, 1));
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(1, 3));
}

TEST(StandardizedTarget, StaysInItsOwnUnitsWhereAModelIsMeasured) {
  const Transformed made = testing::RunGraph(Standardized(), RealSchema(), Samples());
  EXPECT_THAT(Numbers<float>(made.batch, "target"), ElementsAre(10, 20));
}

TEST(StandardizedTarget, IsPutBackIntoItsUnits) {
  const Graph graph = testing::MustBuild(Standardized(), RealSchema());
  const FittedState fitted = testing::MustFit(graph, Samples());
  const auto scale = TargetScaleOf(Standardized(), &fitted);
  ASSERT_THAT(scale, IsOk());
  EXPECT_EQ(*scale, (TargetScale{.mean = 15, .deviation = 5}));
  std::vector<float> said = {-1, 0, 2};
  scale->PutBack(said);
  EXPECT_THAT(said, ElementsAre(10, 15, 25));
}

TEST(StandardizedTarget, HasNoScaleWhereNothingStandardizesIt) {
  const GraphSpec plain = testing::Spec(ParseCsvSpec{.columns = std::vector<std::string>{"x"}},
                                        StandardizeSpec{}, StackSpec{}, LabelSpec{});
  EXPECT_FALSE(StandardizesTarget(plain));
  const auto scale = TargetScaleOf(plain, nullptr);
  ASSERT_THAT(scale, IsOk());
  EXPECT_TRUE(scale->IsNone());
  EXPECT_THAT(TargetScaleOf(Standardized(), nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not fitted yet")));
}

}  // namespace
}  // namespace tidemill::transform
