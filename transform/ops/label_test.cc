#include "transform/ops/label.h"

#include "gmock/gmock.h"

#include "transform/graph_spec.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

GraphSpec Labelled() {
  return testing::Spec(ParseCsvSpec{.columns = std::vector<std::string>{"x"}}, StackSpec{},
                       LabelSpec{});
}

TEST(Label, ASampleWithoutOneIsBad) {
  const Transformed made = testing::RunGraph(Labelled(), testing::CsvSchema({"x"}),
                                             testing::MakeSamples({"1", "2"}, {3, std::nullopt}));
  EXPECT_EQ(made.batch.num_rows(), 1);
  ASSERT_THAT(made.bad, SizeIs(1));
  EXPECT_THAT(made.bad[0].reason, HasSubstr("has no label"));
}

// Storage leaves out a column of labels that none of the samples has.
TEST(Label, SamplesOfWhichNoneHasOneAreAllBadAndFailNothing) {
  batch::Batch samples = testing::MakeSamples({"1", "2"}, {3, 4});
  samples.Drop(batch::kClassLabelColumn);
  const Graph graph = testing::MustBuild(Labelled(), testing::CsvSchema({"x"}));
  const auto made = graph.Run(samples, nullptr);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->batch.num_rows(), 0);
  EXPECT_THAT(made->bad, SizeIs(2));
}

}  // namespace
}  // namespace tidemill::transform
