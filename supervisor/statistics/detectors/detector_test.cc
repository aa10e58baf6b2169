#include "supervisor/statistics/detectors/detector.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/statistics/detectors/adwin.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::HasSubstr;
using testing::Stream;
using ::tidemill::testing::StatusIs;

// Each with different settings.
const std::vector<std::string> kDetectors = {
    "{type: adwin, delta: 0.01, clock: 8}", "{type: ddm, drift: 2.5}",
    "{type: eddm, warm_up: 20, drift: 0.85}", "{type: page_hinkley, threshold: 20, sides: both}"};

DetectorSpec Named(const std::string& text) {
  return config::Read<DetectorSpec>(text, "detector.yaml").value();
}

TEST(StreamDetector, ContinuesExactlyWhereItWasSealed) {
  for (const std::string& text : kDetectors) {
    const auto whole = Named(text)->Start();
    auto cut = Named(text)->Start();
    int64_t drifts = 0;
    for (const double value : Stream("C")) {
      const DetectorSignal signal = whole->Update(value);
      ASSERT_EQ(cut->Update(value), signal) << text;
      const nlohmann::json sealed = nlohmann::json::parse(cut->Seal().dump());
      cut = Named(text)->Start();
      ASSERT_TRUE(cut->Restore(sealed).ok());
      drifts += signal == DetectorSignal::kDrift ? 1 : 0;
    }
    EXPECT_GT(drifts, 0) << text;
    EXPECT_EQ(whole->Seal(), cut->Seal()) << text;
  }
}

TEST(StreamDetector, RefusesTheStateOfAnother) {
  for (const std::string& text : kDetectors) {
    for (const std::string& other : kDetectors) {
      const auto detector = Named(text)->Start();
      detector->Update(1);
      const nlohmann::json before = detector->Seal();
      if (text != other) {
        EXPECT_THAT(detector->Restore(Named(other)->Start()->Seal()),
                    StatusIs(absl::StatusCode::kDataLoss, HasSubstr("sealed state")));
      }
      EXPECT_EQ(detector->Seal(), before);
    }
  }
}

TEST(StreamDetector, IsReadStrictly) {
  EXPECT_EQ(*Named("adwin").As<AdwinConfig>(), AdwinConfig{});
  EXPECT_THAT(config::Read<DetectorSpec>("{type: adwin, delta: 2}", "d.yaml"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("delta")));
  EXPECT_EQ(Named("{type: adwin, cuts: skip_last}").As<AdwinConfig>()->cuts,
            AdwinVariant::kSkipLast);
  EXPECT_EQ(Named(config::Print(Named(kDetectors[3]))), Named(kDetectors[3]));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
