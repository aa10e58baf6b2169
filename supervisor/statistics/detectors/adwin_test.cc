#include "supervisor/statistics/detectors/adwin.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::Stream;

std::vector<int64_t> Drifts(Adwin& adwin, const std::vector<double>& values) {
  std::vector<int64_t> drifts;
  for (size_t i = 0; i < values.size(); ++i) {
    if (adwin.Update(values[i]) == DetectorSignal::kDrift) {
      drifts.push_back(static_cast<int64_t>(i));
    }
  }
  return drifts;
}

TEST(Adwin, EndsWithAWindowOfTheNewMean) {
  struct Known {
    const char* stream;
    int64_t width;
    double mean;
  };
  for (const Known& known :
       {Known{"A", 1000, 1}, Known{"B", 1072, .472948}, Known{"C", 1528, .399869}}) {
    Adwin adwin({});
    Drifts(adwin, Stream(known.stream));
    EXPECT_EQ(adwin.state().width, known.width) << known.stream;
    EXPECT_NEAR(adwin.state().mean(), known.mean, 5e-7) << known.stream;
  }
}

TEST(Adwin, SeesDriftSoonerWhenItLooksAtEachValue) {
  for (const auto& [stream, first] :
       {std::pair{"A", 1009}, std::pair{"B", 1038}, std::pair{"C", 1545}}) {
    Adwin adwin({.clock = 1});
    EXPECT_EQ(Drifts(adwin, Stream(stream)).front(), first) << stream;
  }
}

TEST(Adwin, MissesCutsWhenItSkipsTheLastBucketOfEachSize) {
  const AdwinConfig config = {.cuts = AdwinVariant::kSkipLast};
  Adwin on_a(config), on_b(config), on_c(config);
  EXPECT_EQ(Drifts(on_a, Stream("A")), (std::vector<int64_t>{1023, 1055, 1087}));
  EXPECT_EQ(Drifts(on_b, Stream("B")), (std::vector<int64_t>{1119, 1151, 1183, 1279, 1343}));
  EXPECT_EQ(Drifts(on_c, Stream("C")), (std::vector<int64_t>{1631, 1663, 1791}));
}

TEST(Adwin, HoldsWhatItsWindowSays) {
  Adwin adwin({});
  const auto values = Stream("C");
  for (size_t i = 0; i < values.size(); ++i) {
    adwin.Update(values[i]);
    const AdwinState& state = adwin.state();
    ASSERT_TRUE(state.Check().ok()) << state.Check();
    double sum = 0;
    for (int64_t back = 0; back < state.width; ++back) sum += values[i - static_cast<size_t>(back)];
    ASSERT_EQ(state.total, sum);
    ASSERT_NEAR(state.variance, sum - sum * sum / static_cast<double>(state.width), 1e-6);
  }
}

TEST(Adwin, TakesLittleMemory) {
  Adwin adwin({});
  for (const double value : testing::Normals(100'000, 3)) adwin.Update(value);
  EXPECT_EQ(adwin.state().width, 100'000);
  EXPECT_LE(adwin.state().totals.size(), 5U * 17);
}

TEST(Adwin, SeldomFiresOnAStationaryStream) {
  int64_t drifts = 0, checks = 0;
  for (int64_t seed = 0; seed < 20; ++seed) {
    auto values = testing::Uniforms(5000, seed);
    for (double& value : values) value = value < 0.3 ? 1 : 0;
    Adwin adwin({});
    drifts += static_cast<int64_t>(Drifts(adwin, values).size());
    checks += 5000 / 32;
  }
  EXPECT_LE(static_cast<double>(drifts) / static_cast<double>(checks), 0.002);
}

TEST(Adwin, RefusesAStateThatDoesNotAddUp) {
  Adwin adwin({});
  Drifts(adwin, Stream("A"));
  AdwinState state = adwin.state();
  state.width += 1;
  EXPECT_EQ(RestoreState<AdwinState>(SealState(state)).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
