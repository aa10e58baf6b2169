#include "cli/results/slices_table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "cli/results/matrix.h"
#include "cli/results/run_json.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Trigger 1 was active in the second of two windows.
supervisor::v1::GetRunResponse RunWithSlices() {
  supervisor::v1::GetRunResponse run;
  const auto add = [&](int64_t trigger, int64_t from, const char* slice, double value) {
    results::Row& added = *run.add_results();
    added.set_trigger(trigger);
    added.set_active(trigger == 1 && from == 10);
    added.set_dataset_name("elec2");
    added.mutable_from()->set_event_time(from);
    added.mutable_to()->set_event_time(from + 10);
    added.set_measure("accuracy");
    added.set_slice(slice);
    added.set_value(value);
    added.set_low(value - 0.02);
    added.set_high(value + 0.04);
    added.set_num_samples(*slice == 0 ? 100 : 50);
  };
  for (const int64_t trigger : {1, 2}) {
    for (const int64_t from : {0, 10}) {
      const double value = 0.1 * static_cast<double>(trigger) + 0.01 * static_cast<double>(from);
      add(trigger, from, "", value);
      add(trigger, from, "class=UP", value + 0.05);
    }
  }
  results::Row& matrix = *run.add_results();
  matrix = run.results(0);
  matrix.set_measure("confusion_matrix");
  matrix.clear_value();
  matrix.set_detail(R"({"classes":["A"],"counts":[[3]]})");
  return run;
}

TEST(Slices, AreShownApartFromTheMatrix) {
  const std::string matrix = DrawMatrices(RunWithSlices(), View());
  EXPECT_THAT(matrix, HasSubstr(" 10.0  20.0*\n"));
  EXPECT_THAT(matrix, HasSubstr("0.2000 [0.1800, 0.2400] per sample, over 100 samples"));
  EXPECT_THAT(matrix, Not(HasSubstr("confusion_matrix")));
  const std::string slices = DrawSlices(RunWithSlices());
  EXPECT_THAT(slices, HasSubstr("slices of elec2"));
  EXPECT_THAT(slices, ::testing::ContainsRegex("accuracy +class=UP +50 +0.2500"));
}

TEST(Slices, OfAWholeDatasetAreThoseOfTheLastModel) {
  auto run = RunWithSlices();
  for (auto& row : *run.mutable_results()) row.clear_active();
  EXPECT_THAT(DrawSlices(run), ::testing::ContainsRegex("accuracy +class=UP +100 +0.3000"));
  EXPECT_EQ(DrawSlices({}), "");
}

TEST(Slices, AndIntervalsAndDetailsAreInTheJson) {
  const auto json = RunToJson(RunWithSlices());
  EXPECT_FALSE(json["evaluations"][0].contains("slice"));
  EXPECT_EQ(json["evaluations"][1]["slice"], "class=UP");
  EXPECT_EQ(json["evaluations"][8]["detail"]["counts"][0][0], 3);
  EXPECT_DOUBLE_EQ(json["composite"]["active"][0]["high"].get<double>(), 0.24);
}

}  // namespace
}  // namespace tidemill::cli
