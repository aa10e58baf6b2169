#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::HasSubstr;
using testing::IsOkAndHolds;
using testing::kInvalid;
using testing::StatusIs;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

TEST(ParseTimestamp, ReadsEveryFormItPromises) {
  const Timestamp eight = {1'769'846'400 * kSecond};  // date -u -d 2026-01-31T08:00:00Z +%s
  EXPECT_THAT(ParseTimestamp("2026-01-31T08:00:00Z"), IsOkAndHolds(eight));
  EXPECT_THAT(ParseTimestamp("2026-01-31t08:00:00z"), IsOkAndHolds(eight));
  EXPECT_THAT(ParseTimestamp("2026-01-31 08:00:00"), IsOkAndHolds(eight));
  EXPECT_THAT(ParseTimestamp("2026-01-31T10:30:00+02:30"), IsOkAndHolds(eight));
  EXPECT_THAT(ParseTimestamp("2026-01-30T20:00:00-12:00"), IsOkAndHolds(eight));
  EXPECT_THAT(ParseTimestamp("2026-01-31T08:00:00.000001Z"),
              IsOkAndHolds(Timestamp{eight.micros + 1}));
  EXPECT_THAT(ParseTimestamp("2026-01-31T08:00:00.25"),
              IsOkAndHolds(Timestamp{eight.micros + 250'000}));
  EXPECT_THAT(ParseTimestamp("2026-01-31"), IsOkAndHolds(Timestamp{eight.micros - kDay / 3}));
}

TEST(ParseTimestamp, KnowsTheCalendar) {
  EXPECT_THAT(ParseTimestamp("1970-01-01"), IsOkAndHolds(Timestamp{0}));
  EXPECT_THAT(ParseTimestamp("1969-12-31T23:59:59.999999Z"), IsOkAndHolds(Timestamp{-1}));
  EXPECT_THAT(ParseTimestamp("2000-02-29"), IsOkAndHolds(Timestamp{11'016 * kDay}));
  EXPECT_THAT(ParseTimestamp("1900-02-29"), StatusIs(kInvalid, HasSubstr("no such day")));
  EXPECT_THAT(ParseTimestamp("2023-02-29"), StatusIs(kInvalid, HasSubstr("no such day")));
  EXPECT_THAT(ParseTimestamp("2024-04-31"), StatusIs(kInvalid, HasSubstr("no such day")));
}

TEST(ParseTimestamp, SaysWhatIsWrong) {
  EXPECT_THAT(ParseTimestamp(""), StatusIs(kInvalid, HasSubstr("2026-01-31")));
  EXPECT_THAT(ParseTimestamp("26-1-1"), StatusIs(kInvalid, HasSubstr("2026-01-31")));
  EXPECT_THAT(ParseTimestamp("2026-13-01"), StatusIs(kInvalid, HasSubstr("month")));
  EXPECT_THAT(ParseTimestamp("2026-01-01T24:00:00"), StatusIs(kInvalid, HasSubstr("hour")));
  EXPECT_THAT(ParseTimestamp("2026-01-01T23:60:00"), StatusIs(kInvalid, HasSubstr("minute")));
  EXPECT_THAT(ParseTimestamp("2026-01-01T23:59:61Z"), StatusIs(kInvalid, HasSubstr("second")));
  EXPECT_THAT(ParseTimestamp("2026-01-01T23"), StatusIs(kInvalid, HasSubstr("08:00:00")));
  EXPECT_THAT(ParseTimestamp("2026-01-01x"),
              StatusIs(kInvalid, HasSubstr("neither T nor a space")));
  EXPECT_THAT(ParseTimestamp("2026-01-01T00:00:00.Z"), StatusIs(kInvalid, HasSubstr("digits")));
  EXPECT_THAT(ParseTimestamp("2026-01-01T00:00:00 ?"), StatusIs(kInvalid, HasSubstr("zone")));
  EXPECT_THAT(ParseTimestamp("2026-01-01T00:00:00Z "),
              StatusIs(kInvalid, HasSubstr("after the time")));
}

TEST(FormatTimestamp, GivesTheTextThatIsReadBack) {
  for (const char* const text :
       {"0000-01-01T00:00:00Z", "1582-10-15T00:00:00.5Z", "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z", "2000-02-29T12:34:56.00001Z", "9999-12-31T23:59:59Z"}) {
    const auto time = ParseTimestamp(text);
    ASSERT_THAT(time, testing::IsOk());
    EXPECT_EQ(FormatTimestamp(*time), text);
  }
  for (int64_t day = -719'528; day < 1'000'000; day += 997) {  // From 0000-01-01.
    const Timestamp time = {day * kDay};
    EXPECT_THAT(ParseTimestamp(FormatTimestamp(time)), IsOkAndHolds(time));
  }
}

TEST(FormatTimestamp, SurvivesTheEndsOfTime) {
  EXPECT_EQ(FormatTimestamp({std::numeric_limits<int64_t>::max()}),
            "294247-01-10T04:00:54.775807Z");
  EXPECT_THAT(FormatTimestamp({std::numeric_limits<int64_t>::min()}), HasSubstr("-290308-12-21T"));
}

TEST(FormatTimestamp, IsADateAtMidnightWhenShort) {
  EXPECT_EQ(FormatTimestampShort({kDay}), "1970-01-02");
  EXPECT_EQ(FormatTimestampShort({kDay + 1}), "1970-01-02T00:00:00.000001Z");
}

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_THAT(ParseDuration("7us"), IsOkAndHolds(Duration{7}));
  EXPECT_THAT(ParseDuration("7ms"), IsOkAndHolds(Duration{7'000}));
  EXPECT_THAT(ParseDuration("90s"), IsOkAndHolds(Duration{90 * kSecond}));
  EXPECT_THAT(ParseDuration("1.5m"), IsOkAndHolds(Duration{90 * kSecond}));
  EXPECT_THAT(ParseDuration("0.25h"), IsOkAndHolds(Duration{900 * kSecond}));
  EXPECT_THAT(ParseDuration("2d"), IsOkAndHolds(Duration{2 * kDay}));
  EXPECT_THAT(ParseDuration("1w"), IsOkAndHolds(Duration{7 * kDay}));
  EXPECT_THAT(ParseDuration("-3s"), IsOkAndHolds(Duration{-3 * kSecond}));
  EXPECT_THAT(ParseDuration("0.1000000s"), IsOkAndHolds(Duration{100'000}));
}

TEST(ParseDuration, SaysWhatIsWrong) {
  for (const char* const text : {"", "s", ".5s", "1.s", "1.2.3s", "+1s", "--1s"}) {
    EXPECT_THAT(ParseDuration(text), StatusIs(kInvalid, HasSubstr("number"))) << text;
  }
  for (const char* const text : {"1", "1 s", "1S", "1min", "1e3s"}) {
    EXPECT_THAT(ParseDuration(text), StatusIs(kInvalid, HasSubstr("unit"))) << text;
  }
  EXPECT_THAT(ParseDuration("0.5us"), StatusIs(kInvalid, HasSubstr("finer")));
  EXPECT_THAT(ParseDuration("999999999d"), StatusIs(kInvalid, HasSubstr("too long")));
  EXPECT_THAT(ParseDuration("99999999999999999999999999999999999999999999s"),
              StatusIs(kInvalid, HasSubstr("too long")));
}

TEST(FormatDuration, GivesWholeNumbersThatAreReadBack) {
  for (const char* const text : {"0s", "1us", "90s", "5m", "36h", "7d", "14d", "-1500ms"}) {
    const auto duration = ParseDuration(text);
    ASSERT_THAT(duration, testing::IsOk());
    EXPECT_EQ(FormatDuration(*duration), text);
  }
}

}  // namespace
}  // namespace tidemill
