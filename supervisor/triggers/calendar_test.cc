#include "supervisor/triggers/calendar.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::StatusIs;

// "from to" of the period that holds a time.
std::string Show(CalendarUnit unit, int64_t every, const std::string& zone,
                 const std::string& time) {
  const auto calendar = Calendar::Create(unit, every, zone);
  if (!calendar.ok()) return calendar.status().ToString();
  const Period period = calendar->PeriodOf(*ParseTimestamp(time));
  return FormatTimestampShort(period.from) + " " + FormatTimestampShort(period.to);
}

TEST(Calendar, KnowsTheLengthsOfMonthsAndYears) {
  EXPECT_EQ(Show(CalendarUnit::kMonth, 1, "UTC", "2024-02-29T23:59:59.999999Z"),
            "2024-02-01 2024-03-01");
  EXPECT_EQ(Show(CalendarUnit::kMonth, 1, "UTC", "2024-03-01"), "2024-03-01 2024-04-01");
  EXPECT_EQ(Show(CalendarUnit::kYear, 1, "UTC", "1969-07-20"), "1969-01-01 1970-01-01");
  EXPECT_EQ(Show(CalendarUnit::kYear, 10, "UTC", "2019-12-31"), "2010-01-01 2020-01-01");
  EXPECT_EQ(Show(CalendarUnit::kMonth, 3, "UTC", "2026-05-17"), "2026-04-01 2026-07-01");
}

TEST(Calendar, BeginsWeeksOnMondays) {
  EXPECT_EQ(Show(CalendarUnit::kWeek, 1, "UTC", "2026-01-04"), "2025-12-29 2026-01-05");
  EXPECT_EQ(Show(CalendarUnit::kWeek, 1, "UTC", "2026-01-05"), "2026-01-05 2026-01-12");
  EXPECT_EQ(Show(CalendarUnit::kWeek, 1, "UTC", "1970-01-01"), "1969-12-29 1970-01-05");
  EXPECT_EQ(Show(CalendarUnit::kDay, 2, "UTC", "1969-12-31"), "1969-12-30 1970-01-01");
}

TEST(Calendar, FollowsTheClocksOfItsZone) {
  EXPECT_EQ(Show(CalendarUnit::kDay, 1, "+08:00", "2026-01-31T16:00:00Z"),
            "2026-01-31T16:00:00Z 2026-02-01T16:00:00Z");
  for (const char* zone : {"+08", "+0800"}) {
    EXPECT_EQ(Show(CalendarUnit::kDay, 1, zone, "2026-01-31T16:00:00Z"),
              "2026-01-31T16:00:00Z 2026-02-01T16:00:00Z");
  }
  // 23 hours long.
  EXPECT_EQ(Show(CalendarUnit::kDay, 1, "Europe/Zurich", "2026-03-29T12:00:00Z"),
            "2026-03-28T23:00:00Z 2026-03-29T22:00:00Z");
  // In Beirut the clocks skip the hour after this midnight.
  EXPECT_EQ(Show(CalendarUnit::kDay, 1, "Asia/Beirut", "2022-03-27T12:00:00Z"),
            "2022-03-26T22:00:00Z 2022-03-27T21:00:00Z");
}

TEST(Calendar, RefusesWhatIsNotAPeriod) {
  EXPECT_THAT(Calendar::Create(CalendarUnit::kDay, 1, "Europe/Atlantis").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Europe/Atlantis")));
  EXPECT_THAT(Calendar::Create(CalendarUnit::kDay, 1, "/usr/share/zoneinfo/UTC").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is unknown")));
  EXPECT_THAT(Calendar::Create(CalendarUnit::kDay, 0, "UTC").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("0 units")));
}

}  // namespace
}  // namespace tidemill::supervisor
