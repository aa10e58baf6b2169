#include "transform/ops/numbers/time_features.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <random>

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;
using tidemill::testing::StatusIs;

constexpr int64_t kMicros = 1'000'000;

batch::Batch SamplesAt(const std::vector<int64_t>& times) {
  batch::Batch samples = MakeSamples(std::vector<std::string>(times.size(), "0"));
  samples.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)).IgnoreError();
  return samples;
}

std::vector<float> Features(const TimeFeaturesSpec& spec, const std::vector<int64_t>& times) {
  const Transformed result = RunGraph(Spec(spec, StackSpec{}), CsvSchema({"x"}), SamplesAt(times));
  EXPECT_THAT(result.bad, IsEmpty());
  return Numbers<float>(result.batch, "input");
}

constexpr TimePart kAllParts[] = {TimePart::kMinute, TimePart::kHour,  TimePart::kWeekday,
                                  TimePart::kDay,    TimePart::kMonth, TimePart::kYearFraction,
                                  TimePart::kYear};

TimeFeaturesSpec AllParts() { return {.parts = {std::begin(kAllParts), std::end(kAllParts)}}; }

// The parts of a time that was moved into its zone, by the calendar of the standard library.
std::vector<float> SlowParts(int64_t micros) {
  using namespace std::chrono;  // NOLINT: a test is about them.
  const sys_time<microseconds> time{microseconds(micros)};
  const auto date = floor<days>(time);
  const year_month_day ymd(date);
  const hh_mm_ss clock(time - date);
  const sys_days begin(ymd.year() / January / 1);
  const sys_days end((ymd.year() + years(1)) / January / 1);
  const double fraction = duration<double>(time - begin) / duration<double>(end - begin);
  return {static_cast<float>(clock.minutes().count()),
          static_cast<float>(clock.hours().count()),
          static_cast<float>(weekday(date).iso_encoding() - 1),
          static_cast<float>(static_cast<unsigned>(ymd.day())),
          static_cast<float>(static_cast<unsigned>(ymd.month())),
          static_cast<float>(fraction),
          static_cast<float>(static_cast<int>(ymd.year()))};
}

std::vector<int64_t> RandomTimes(int count, int64_t from_year, int64_t to_year) {
  std::mt19937_64 random(1);
  const int64_t year = int64_t{31'556'952} * kMicros;
  std::uniform_int_distribution<int64_t> times((from_year - 1970) * year, (to_year - 1970) * year);
  std::vector<int64_t> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(times(random));
  return drawn;
}

TEST(TimeFeatures, AreThoseOfTheCalendar) {
  std::vector<int64_t> times = RandomTimes(1000, 1800, 2300);
  times.insert(times.end(), {0, -1, 951'782'400 * kMicros, 951'868'799 * kMicros});
  const std::vector<float> made = Features(AllParts(), times);
  ASSERT_EQ(made.size(), times.size() * 7);
  for (size_t i = 0; i < times.size(); ++i) {
    const std::vector<float> expected = SlowParts(times[i]);
    for (size_t part = 0; part < 7; ++part) {
      ASSERT_FLOAT_EQ(made[i * 7 + part], expected[part]) << times[i] << " part " << part;
    }
  }
}

TEST(TimeFeatures, OfAKnownEvening) {
  // 2019-12-31 23:59:00 UTC was a Tuesday.
  const std::vector<float> made = Features(AllParts(), {1'577'836'740 * kMicros});
  EXPECT_THAT(made,
              ElementsAre(59, 23, 1, 31, 12, static_cast<float>(1 - 60.0 / (365 * 86400.0)), 2019));
}

TEST(TimeFeatures, FollowTheClockOfTheirZone) {
  // China has had no summer time since 1992.
  TimeFeaturesSpec spec = AllParts();
  spec.time_zone = "Asia/Shanghai";
  const std::vector<int64_t> times = RandomTimes(300, 1993, 2030);
  const std::vector<float> made = Features(spec, times);
  for (size_t i = 0; i < times.size(); ++i) {
    const std::vector<float> expected = SlowParts(times[i] + 8 * 3600 * kMicros);
    for (size_t part = 0; part < 7; ++part) {
      ASSERT_FLOAT_EQ(made[i * 7 + part], expected[part]) << times[i] << " part " << part;
    }
  }
}

TEST(TimeFeatures, FollowAClockThatIsAnOffset) {
  TimeFeaturesSpec spec = AllParts();
  spec.time_zone = "+08:00";
  EXPECT_EQ(Features(spec, {0})[1], 8);
  spec.time_zone = "";
  EXPECT_EQ(Features(spec, {0})[1], 0);
}

TEST(TimeFeatures, AreOnACircleWhereCyclic) {
  TimeFeaturesSpec spec = AllParts();
  spec.cyclic = true;
  const std::vector<int64_t> times = RandomTimes(300, 1970, 2030);
  const std::vector<float> made = Features(spec, times);
  ASSERT_EQ(made.size(), times.size() * 13);
  constexpr double kPeriods[] = {60, 24, 7, 31, 12, 1};
  for (size_t i = 0; i < times.size(); ++i) {
    const std::vector<float> parts = SlowParts(times[i]);
    for (size_t part = 0; part < 6; ++part) {
      const double angle = 2 * std::numbers::pi * parts[part] / kPeriods[part];
      ASSERT_NEAR(made[i * 13 + 2 * part], std::sin(angle), 2e-6);
      ASSERT_NEAR(made[i * 13 + 2 * part + 1], std::cos(angle), 2e-6);
    }
    ASSERT_EQ(made[i * 13 + 12], parts[6]) << "a year does not return";
  }
}

TEST(TimeFeatures, TakeTimesFromAColumn) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"t"}, .dtype = CsvType::kInt64},
                    TimeFeaturesSpec{.from = "t", .parts = {TimePart::kHour}, .into = "input"}),
               CsvSchema({"t"}), MakeSamples({"7200000000", "-1"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(2, 23));
}

TEST(TimeFeatures, SayWhatIsWrong) {
  const auto problems = Graph::Check(
      Spec(ParseCsvSpec{.columns = {"x"}},
           TimeFeaturesSpec{.from = "x", .parts = {TimePart::kHour}, .time_zone = "Atlantis"},
           StackSpec{}),
      CsvSchema({"x"}));
  ASSERT_EQ(problems.size(), 2);
  EXPECT_EQ(problems[0].field, "from");
  EXPECT_EQ(problems[1].message, "time zone 'Atlantis' is unknown");
  const auto of_path = Graph::Check(
      Spec(ParseCsvSpec{.columns = {"x"}},
           TimeFeaturesSpec{.parts = {TimePart::kHour}, .time_zone = "/usr/share/zoneinfo/UTC"},
           StackSpec{}),
      CsvSchema({"x"}));
  ASSERT_EQ(of_path.size(), 1);
  EXPECT_EQ(of_path[0].message, "time zone '/usr/share/zoneinfo/UTC' is unknown");
  EXPECT_THAT(config::Read<GraphSpec>("- time_features: {parts: [hour, hour]}\n", "g"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("names a part twice")));
}

}  // namespace
}  // namespace tidemill::transform
