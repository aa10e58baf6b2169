// Trainings that downsample by a user's score.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/plugin/test_plugins.h"
#include "trainer_server/testing/downsampling_room.h"

namespace tidemill::trainer_server {
namespace {

using testing::DownsampledTraining;
using ::testing::HasSubstr;
using testing::MemorySet;
using testing::Outcome;

class PluginScoreTraining : public DownsampledTraining,
                            public ::testing::WithParamInterface<std::string> {
 protected:
  static models::DownsamplingSpec Method(const std::string& settings) {
    auto spec = tests::SubmittedPart<models::DownsamplingSpec>("{" + settings + "}");
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    return spec.ok() ? *std::move(spec) : models::DownsamplingSpec();
  }
  models::DownsamplingSpec Plugin(const std::string& name, const std::string& settings) const {
    return Method("type: plugin, use: '" + GetParam() + ":" + name + "', fraction: 0.3" + settings);
  }
};

INSTANTIATE_TEST_SUITE_P(Plugins, PluginScoreTraining,
                         ::testing::Values("scores.py", "libscores.so"), [](const auto& tested) {
                           return std::string(tested.param == "scores.py" ? "Python" : "Cpp");
                         });

TEST_P(PluginScoreTraining, EqualsTheBuiltInLossToTheLastBit) {
  // Some samples cannot be read, and some have no finite loss.
  const MemorySet::Options options = {
      .class_of = [](int64_t ordinal) { return ordinal % 11 == 4 ? -1 : ordinal % 3; },
      .is_broken = [](int64_t ordinal) { return ordinal % 31 == 7; }};
  for (const std::string settings :
       {"", ", sampling: poisson, period: 2", ", balance: true, period: 0",
        ", when: batch_then_sample", ", sampling: systematic, smoothing: 0.5"}) {
    const Outcome built_in = Train(Method("type: loss, fraction: 0.3" + settings), options);
    const Outcome own = Train(Plugin("Losses", settings), options);
    EXPECT_EQ(own.digest, built_in.digest) << settings;
    EXPECT_EQ(own.batches, built_in.batches) << settings;
    EXPECT_EQ(own.tally.num_not_finite, built_in.tally.num_not_finite) << settings;
  }
}

TEST_P(PluginScoreTraining, ResumedAtAnyBatchEndsWithTheSameBits) {
  for (const std::string settings : {", period: 2", ", when: batch_then_sample"}) {
    MemorySet set({});
    const DownsamplingSetup downsampling = Downsampling(Plugin("Losses", settings), set);
    const Outcome whole = Train(Setup(), downsampling);
    ASSERT_TRUE(whole.status.ok()) << whole.status.ToString();
    for (size_t i = 0; i < whole.checkpoints.size(); i += 5) {
      EXPECT_EQ(Train(Setup(), downsampling, whole.checkpoints[i]).digest, whole.digest);
    }
  }
}

TEST_P(PluginScoreTraining, IsGivenTheTimesOfItsSamples) {
  MemorySet set({});
  DownsamplingSetup downsampling = Downsampling(Plugin("WrongScore", ", with: {how: well}"), set);
  int num_asked = 0;
  downsampling.find_times = [&num_asked]() -> absl::StatusOr<SampleTimes> {
    ++num_asked;
    return SampleTimes{.event_times = std::vector<int64_t>(100, 5), .newest = 7};
  };
  const Outcome outcome = Train(Setup(), downsampling);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  EXPECT_EQ(num_asked, 1);
}

TEST_P(PluginScoreTraining, FailsWhereTheTimesOfItsSamplesCannotBeFound) {
  MemorySet set({});
  DownsamplingSetup downsampling = Downsampling(Plugin("WrongScore", ", with: {how: well}"), set);
  downsampling.find_times = nullptr;
  EXPECT_THAT(Train(Setup(), downsampling).status.message(), HasSubstr("times of samples"));
  downsampling.find_times = []() -> absl::StatusOr<SampleTimes> {
    return Unavailable("storage is away");
  };
  EXPECT_THAT(Train(Setup(), downsampling).status.message(), HasSubstr("storage is away"));
}

}  // namespace
}  // namespace tidemill::trainer_server
