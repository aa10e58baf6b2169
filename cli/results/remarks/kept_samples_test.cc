#include "cli/results/remarks/kept_samples.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

// The second of two points was chosen.
rpc::v1::PreparedSummary KeptAfterResize() {
  rpc::v1::PreparedSummary prepared;
  prepared.set_kept_after("op 2 (resize)");
  prepared.set_num_found(64'000);
  prepared.set_measured_speedup(5.12);
  prepared.set_chosen(2);
  rpc::v1::PreparedSummary::Point& decoded = *prepared.add_points();
  decoded.set_op("op 1 (decode_image)");
  decoded.set_row_bytes(562'500);
  decoded.set_speedup(2.04);
  decoded.set_saved_seconds(12.5);
  decoded.set_in_memory(0.25);
  decoded.set_on_disk(0.75);
  rpc::v1::PreparedSummary::Point& resized = *prepared.add_points();
  resized.set_op("op 2 (resize)");
  resized.set_row_bytes(261'888);
  resized.set_speedup(5.3);
  resized.set_saved_seconds(40);
  resized.set_in_memory(1);
  return prepared;
}

TEST(KeptSamples, AreDescribedWithThePredictedAndTheMeasuredGain) {
  rpc::v1::PreparedSummary prepared = KeptAfterResize();
  EXPECT_EQ(DescribeKeptSamples(prepared),
            "prepared samples kept after op 2 (resize): 64,000 found, prepared 5.1x as fast "
            "(predicted 5.3x)");
  prepared.set_num_refused(1'200);
  prepared.set_num_damaged(3);
  EXPECT_THAT(DescribeKeptSamples(prepared),
              ::testing::EndsWith("no room for 1,200, 3 were damaged and prepared again"));
}

TEST(KeptSamples, AreDescribedByTheReasonWhenNothingIsKept) {
  rpc::v1::PreparedSummary prepared;
  EXPECT_EQ(DescribeKeptSamples(prepared), "") << "nothing was decided";
  EXPECT_EQ(DescribeComparedPoints(prepared), "");
  prepared.set_reason("no sample is expected to be used again");
  EXPECT_EQ(DescribeKeptSamples(prepared),
            "no prepared samples kept: no sample is expected to be used again");
}

TEST(KeptSamples, HaveATableOfThePointsThatWereCompared) {
  EXPECT_EQ(DescribeComparedPoints(KeptAfterResize()),
            R"(AFTER                BYTES A ROW  PREDICTED  SAVED   IN MEMORY  ON DISK  CHOSEN
op 1 (decode_image)      562,500  2.04x      12.5 s  25 %       75 %
op 2 (resize)            261,888  5.30x      40 s    100 %      0 %      yes
)");
}

TEST(KeptSamples, AreWrittenWithAllNumbersOfTheDecision) {
  const auto json = KeptSamplesToJson(KeptAfterResize());
  EXPECT_EQ(json["kept_after"], "op 2 (resize)");
  EXPECT_EQ(json["measured_speedup"], 5.12);
  EXPECT_EQ(json["points"][0]["op"], "op 1 (decode_image)");
  EXPECT_EQ(json["points"][1]["predicted_speedup"], 5.3);
}

}  // namespace
}  // namespace tidemill::cli
