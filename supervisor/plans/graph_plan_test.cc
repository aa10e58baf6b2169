#include "supervisor/plans/graph_plan.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "storage/trials/dataset_trial.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// A sound pipeline and its data, in a folder.
class PlannedPipeline : public ::testing::Test {
 protected:
  PlannedPipeline() {
    std::string folder = ::testing::TempDir() + "plan_XXXXXX";
    folder_ = mkdtemp(folder.data());
    std::filesystem::create_directory(folder_ / "data");
    std::ofstream data(folder_ / "data" / "weather.csv");
    data << "date,precipitation,wind,weather\n";
    for (int i = 0; i < 60; ++i) {
      data << fmt::format("2012-{:02}-{:02},{},{},{}\n", 1 + i / 28, 1 + i % 28, i % 7, i % 9,
                          i % 2 == 0 ? "sun" : "rain");
    }
  }
  ~PlannedPipeline() override { std::filesystem::remove_all(folder_); }

  // `ops` come before the op stack.
  CheckedPipeline CheckWith(const std::string& ops, const PeekAtDataset& peek) const {
    std::ifstream stream(testing::kTestdata / "sound.yaml");
    std::ostringstream text;
    text << stream.rdbuf();
    std::string pipeline = text.str();
    pipeline.insert(pipeline.find("    - stack"), ops);
    CheckedPipeline checked = CheckPipeline(
        {.text = pipeline, .file_name = "pipeline.yaml", .base_folder = folder_, .peek = peek});
    EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
    return checked;
  }

  std::filesystem::path folder_;
};

TEST_F(PlannedPipeline, IsMeasuredOnTheSamplesThatTheCheckHasRead) {
  const CheckedPipeline checked =
      CheckWith("    - clip: {columns: all, max: 5}\n    - clip: {columns: all, max: 6}\n",
                storage::PeekAtDisk);
  const absl::StatusOr<GraphPlan> plan = PlanGraph(checked);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->written.order(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(plan->running.order(), ElementsAre(0, 1, 2, 4, 5));
  EXPECT_THAT(plan->no_costs, IsEmpty());
  ASSERT_TRUE(plan->costs.has_value());
  const transform::CostComparison& costs = *plan->costs;
  EXPECT_EQ(costs.num_samples, 60);
  EXPECT_GE(costs.block_rows, 60);
  EXPECT_GE(costs.num_rounds, 3);
  // Two columns of float32.
  EXPECT_EQ(costs.written.ops[1].bytes_read, 8);
  EXPECT_EQ(costs.written.ops[1].bytes_made, 8);
  // "2012-01-01,1,1,sun": the text of a sample, without its end of line.
  EXPECT_NEAR(costs.written.ops[0].bytes_read, 18.5, 0.1);
  EXPECT_EQ(costs.written.ops[0].bytes_made, 8);
  EXPECT_GT(costs.written.ops[3].microseconds, 0);
  EXPECT_EQ(costs.running.ops[3].microseconds, 0);
  EXPECT_EQ(costs.running.ops[3].bytes_read, 0);
  EXPECT_EQ(costs.running.ops[4].bytes_made, 8);
  EXPECT_GT(costs.written.measured_microseconds, 0);
  EXPECT_GT(costs.running.measured_microseconds, 0);
  double sum = 0;
  for (const transform::OpCost& op : costs.written.ops) sum += op.microseconds;
  EXPECT_DOUBLE_EQ(costs.written.predicted_microseconds, sum);
  EXPECT_DOUBLE_EQ(costs.running.predicted_microseconds, sum - costs.written.ops[3].microseconds);
}

TEST_F(PlannedPipeline, IsExpectedToTakeLessWhereOpsGetFewerSamples) {
  const absl::StatusOr<GraphPlan> plan = PlanGraph(
      CheckWith("    - clip: {columns: [wind], max: 5}\n    - filter: precipitation < 1\n",
                storage::PeekAtDisk));
  ASSERT_THAT(plan, IsOk());
  ASSERT_TRUE(plan->costs.has_value());
  // The filter stays after what learns; so it passes the clip alone.
  EXPECT_THAT(plan->running.order(), ElementsAre(0, 1, 3, 2, 4, 5));
  const double before = plan->costs->written.ops[2].bytes_made;
  const double after = plan->costs->running.ops[2].bytes_made;
  EXPECT_EQ(before, 4);
  EXPECT_LT(after, 4);
  EXPECT_LT(plan->costs->running.predicted_microseconds,
            plan->costs->written.predicted_microseconds);
}

TEST_F(PlannedPipeline, TellsWhyNothingWasMeasured) {
  const absl::StatusOr<GraphPlan> elsewhere = PlanGraph(CheckWith("", nullptr));
  ASSERT_THAT(elsewhere, IsOk());
  EXPECT_FALSE(elsewhere->costs.has_value());
  EXPECT_EQ(elsewhere->no_costs, "it is on another machine");
  CheckedPipeline checked = CheckWith("", storage::PeekAtDisk);
  for (storage::TriedPart& part : checked.trained_on->peek->parts) {
    for (storage::TriedSample& sample : part.samples) sample.bytes = "no record";
  }
  const absl::StatusOr<GraphPlan> failing = PlanGraph(checked);
  ASSERT_THAT(failing, IsOk());
  EXPECT_FALSE(failing->costs.has_value());
  EXPECT_THAT(failing->no_costs, HasSubstr("there is no good sample to learn column"));
}

TEST_F(PlannedPipeline, NeedsTheSpecOfItsDataset) {
  CheckedPipeline checked = CheckWith("", storage::PeekAtDisk);
  checked.trained_on.reset();
  EXPECT_THAT(PlanGraph(checked), StatusIs(absl::StatusCode::kFailedPrecondition,
                                           HasSubstr("'weather' is only named here")));
}

}  // namespace
}  // namespace tidemill::supervisor
