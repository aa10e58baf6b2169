#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/detectors/adwin.h"
#include "supervisor/statistics/detectors/ddm.h"
#include "supervisor/statistics/detectors/eddm.h"
#include "supervisor/statistics/detectors/page_hinkley.h"
#include "supervisor/statistics/sealed_state.h"
#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::Stream;
using testing::Vectors;

// The places at which a detector reports drift. Between any two values it is sealed and restored.
template <typename Detector, typename Config>
std::vector<int64_t> Drifts(const Config& config, const std::vector<double>& values) {
  std::vector<int64_t> drifts;
  using State = std::remove_cvref_t<decltype(Detector(config).state())>;
  State state;
  for (size_t i = 0; i < values.size(); ++i) {
    Detector detector(config, state);
    if (detector.Update(values[i]) == DetectorSignal::kDrift) {
      drifts.push_back(static_cast<int64_t>(i));
    }
    const auto restored =
        RestoreState<State>(nlohmann::json::parse(SealState(detector.state()).dump()));
    EXPECT_TRUE(restored.ok()) << restored.status();
    EXPECT_EQ(*restored, detector.state());
    state = *restored;
  }
  return drifts;
}

template <typename Detector, typename Config>
void ExpectKnown(const std::string& name, const Config& config) {
  const auto& known = Vectors().at("streams").at(name);
  for (const std::string stream : {"A", "B", "C"}) {
    const std::vector<int64_t> expected = known.at(stream);
    EXPECT_EQ(Drifts<Detector>(config, Stream(stream)), expected) << name << " on " << stream;
  }
}

TEST(Detectors, AgreeWithTheirVectors) {
  ExpectKnown<Ddm>("ddm_river", DdmConfig{});
  ExpectKnown<Ddm>("ddm_skmultiflow", DdmConfig{.warm_up = 28});
  ExpectKnown<Eddm>("eddm", EddmConfig{});
  ExpectKnown<PageHinkley>("ph_clipped", PageHinkleyConfig{});
  ExpectKnown<PageHinkley>("ph_clipped_lambda20", PageHinkleyConfig{.threshold = 20});
  ExpectKnown<Adwin>("adwin_all_cuts", AdwinConfig{});
  ExpectKnown<Adwin>("adwin_skmultiflow", AdwinConfig{.cuts = AdwinVariant::kSkipLastAndVariance});
}

TEST(PageHinkley, SeesBothSides) {
  const PageHinkleyConfig config = {.sides = PageHinkleySides::kBoth};
  EXPECT_EQ(Drifts<PageHinkley>(config, Stream("A")), (std::vector<int64_t>{1051}));
  EXPECT_EQ(Drifts<PageHinkley>(config, Stream("B")), (std::vector<int64_t>{1134}));
  EXPECT_EQ(Drifts<PageHinkley>(config, Stream("C")), (std::vector<int64_t>{1658}));
  std::vector<double> falling = Stream("A");
  for (double& value : falling) value = 1 - value;
  EXPECT_EQ(Drifts<PageHinkley>(config, falling), (std::vector<int64_t>{1051}));
  EXPECT_TRUE(Drifts<PageHinkley>(PageHinkleyConfig{}, falling).empty());
}

TEST(PageHinkley, FiresWhereTheSumSaysAfterAStep) {
  // 0 for n values, then 1: the first t at which sum (1 - i / (n + i) - tolerance) > threshold.
  constexpr int kZeros = 1000;
  double sum = 0;
  int64_t expected = kZeros - 1;
  for (int i = 1; sum <= 50; ++i, ++expected) {
    sum += 1 - static_cast<double>(i) / (kZeros + i) - 0.005;
  }
  EXPECT_EQ(expected, 1051);
  EXPECT_EQ(Drifts<PageHinkley>(PageHinkleyConfig{.fading = 1}, Stream("A")),
            (std::vector<int64_t>{expected}));
}

TEST(Ddm, WarnsBeforeItFires) {
  Ddm ddm({});
  int64_t first_warning = -1;
  const auto values = Stream("B");
  for (size_t i = 0; i < 1048; ++i) {
    const DetectorSignal signal = ddm.Update(values[i]);
    ASSERT_NE(signal, DetectorSignal::kDrift);
    if (signal == DetectorSignal::kWarning && first_warning < 0) {
      first_warning = static_cast<int64_t>(i);
    }
  }
  EXPECT_EQ(first_warning, 1022);
}

TEST(Eddm, KeepsItsWarningUntilTheNextError) {
  Eddm eddm({.warning = 0.95, .drift = 0.1});
  for (int i = 0; i < 1000; ++i) eddm.Update(i % 10 == 9);
  EXPECT_EQ(eddm.Update(false), DetectorSignal::kStable);
  int num_errors = 0;
  while (eddm.Update(true) != DetectorSignal::kWarning && num_errors < 1000) ++num_errors;
  EXPECT_LT(num_errors, 1000);
  EXPECT_EQ(eddm.Update(false), DetectorSignal::kWarning);
}

TEST(Detectors, BeginAnewWithTheValueAfterADrift) {
  Ddm ddm({});
  for (int i = 0; i < 1000; ++i) ddm.Update(0);
  ASSERT_EQ(ddm.Update(1), DetectorSignal::kDrift);
  EXPECT_TRUE(ddm.state().drifted);
  ddm.Update(0);
  EXPECT_EQ(ddm.state().num_values, 1);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
