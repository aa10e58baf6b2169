#include "config/values/clock.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/times/clock_time.h"
#include "config/config.h"

namespace tidemill::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Visit {
  std::optional<ClockTime> from;
  std::vector<ClockTime> at;
  std::string time_zone;

  void Fields(auto&& field) {
    field("from", from, "When it begins.");
    field("at", at, "When it continues.");
    field("time_zone", time_zone, "Its clock.");
  }
  void TakeClock(const std::string& zone) {
    if (time_zone.empty()) time_zone = zone;
  }
};

struct Season {
  std::vector<Visit> visits;
  void Fields(auto&& field) { field("visits", visits, "All of them."); }
};

TEST(PutOnClock, GivesTimesWithoutAZoneThatOfTheClock) {
  auto season = Read<Season>(
      "visits:\n"
      "- {from: 2026-01-05, at: [2026-07-05T08:00:00, 2026-07-05T08:00:00Z]}\n"
      "- {time_zone: UTC}\n",
      "season");
  ASSERT_THAT(season, tidemill::testing::IsOk());
  EXPECT_THAT(Print(*season), HasSubstr("from: 2026-01-05T00:00:00\n"));
  Problems problems;
  PutOnClock(*season, "America/New_York", problems);
  EXPECT_TRUE(problems.empty());
  const Visit& visit = season->visits[0];
  EXPECT_EQ(FormatTimestamp(*visit.from), "2026-01-05T05:00:00Z");
  EXPECT_EQ(FormatTimestamp(visit.at[0]), "2026-07-05T12:00:00Z");
  EXPECT_EQ(FormatTimestamp(visit.at[1]), "2026-07-05T08:00:00Z");
  EXPECT_EQ(visit.time_zone, "America/New_York");
  EXPECT_EQ(season->visits[1].time_zone, "UTC");
  EXPECT_THAT(Print(*season), HasSubstr("from: 2026-01-05T05:00:00Z\n"));
}

TEST(PutOnClock, NotesTimesThatTheClockDoesNotShow) {
  auto season = Read<Season>("visits: [{at: [2026-01-05, 2026-03-08T02:30:00]}]\n", "season");
  ASSERT_THAT(season, tidemill::testing::IsOk());
  Problems problems;
  PutOnClock(*season, "America/New_York", problems);
  std::vector<std::string> paths;
  for (const Problem& problem : problems.items()) paths.push_back(problem.path);
  EXPECT_THAT(paths, ElementsAre("visits[0].at[1]"));
}

}  // namespace
}  // namespace tidemill::config
