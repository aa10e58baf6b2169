#include "base/times/civil_time.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::HasSubstr;
using testing::kInvalid;
using testing::StatusIs;

// The time in UTC, or the reason without the text.
std::string Read(const std::string& text) {
  const auto time = ParseTimestamp(text);
  if (time.ok()) return FormatTimestamp(*time);
  std::string message(time.status().message());
  EXPECT_TRUE(message.starts_with("'" + text + "'")) << message;
  return message.substr(text.size() + 2);
}

TEST(CivilTime, TakesAFractionOfAnyLengthAndCutsItToMicroseconds) {
  EXPECT_EQ(Read("2020-12-31 21:25:00.5"), "2020-12-31T21:25:00.5Z");
  EXPECT_EQ(Read("2020-12-31T21:25:00,745"), "2020-12-31T21:25:00.745Z");
  EXPECT_EQ(Read("2020-12-31T21:25:00.745232"), "2020-12-31T21:25:00.745232Z");
  EXPECT_EQ(Read("2020-12-31T21:25:00.7452329Z"), "2020-12-31T21:25:00.745232Z");
  EXPECT_EQ(Read("2020-12-31T21:25:00.123456789+02:00"), "2020-12-31T19:25:00.123456Z");
  EXPECT_EQ(Read("2020-12-31T23:59:59.999999999Z"), "2020-12-31T23:59:59.999999Z");
  EXPECT_EQ(Read("1969-12-31T23:59:59.9999999Z"), "1969-12-31T23:59:59.999999Z");
}

TEST(CivilTime, TakesEveryCommonZone) {
  for (const char* const zone : {"+02", "+0200", "+02:00", "+02:00:00", " +02", " +0200", " +02:00",
                                 " +0200 CEST", "+02:00[Europe/Zurich]", " GMT+0200", " UTC+02:00",
                                 " GMT+0200 (Central European Summer Time)", " Europe/Zurich"}) {
    EXPECT_EQ(Read(std::string("2020-07-31 21:25:00") + zone), "2020-07-31T19:25:00Z") << zone;
  }
  for (const char* const zone : {"", "Z", "z", " Z", "UTC", " UTC", " GMT", " UT", "+00", "-00:00",
                                 " +0000 UTC", " Etc/UTC", "Z[UTC]"}) {
    EXPECT_EQ(Read(std::string("2020-07-31T21:25:00") + zone), "2020-07-31T21:25:00Z") << zone;
  }
  EXPECT_EQ(Read("2020-12-31T21:25:00-0330"), "2021-01-01T00:55:00Z");
  EXPECT_EQ(Read("2020-12-31 21:25:00 America/Argentina/Buenos_Aires"), "2021-01-01T00:25:00Z");
}

TEST(CivilTime, RefusesZonesThatMayMeanSeveral) {
  EXPECT_THAT(Read("2020-12-31 21:25:00 CET"), HasSubstr("may mean several; write UTC"));
  EXPECT_THAT(Read("2020-12-31 21:25:00IST"), HasSubstr("may mean several"));
  EXPECT_THAT(Read("2020-12-31 21:25:00 Mars/Base"), HasSubstr("its time zone is unknown"));
  EXPECT_THAT(Read("2020-12-31 21:25:00 Etc/../Etc/UTC"), HasSubstr("unknown"));
  EXPECT_THAT(Read("2020-12-31 21:25:00+2"), HasSubstr("like +02:00"));
  EXPECT_THAT(Read("2020-12-31 21:25:00+02:"), HasSubstr("like +02:00"));
  EXPECT_THAT(Read("2020-12-31 21:25:00+24:00"), HasSubstr("like +02:00"));
  EXPECT_THAT(Read("0044-03-15 12:00:00+00 BC"), HasSubstr("after the time"));
}

TEST(CivilTime, TakesShorterAndLongerForms) {
  EXPECT_EQ(Read("2020-12-31T21:25Z"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("2020-12-31 21:25"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("2020-12-31 9:25:07"), "2020-12-31T09:25:07Z");
  EXPECT_EQ(Read("20201231T212500Z"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("20201231T212500.25+0100"), "2020-12-31T20:25:00.25Z");
  EXPECT_EQ(Read("20201231T2125"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("20201231 21:25:00"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("20201231"), "2020-12-31T00:00:00Z");
  EXPECT_EQ(Read("2020-12-31"), "2020-12-31T00:00:00Z");
  EXPECT_THAT(Read("2020-12-31T212500"), HasSubstr("does not look like 08:00:00"));
}

TEST(CivilTime, TakesHoursOfHalfADay) {
  EXPECT_EQ(Read("2020-12-31 09:25:00 PM"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("2020-12-31 9:25pm"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("2020-12-31 12:05:00 AM"), "2020-12-31T00:05:00Z");
  EXPECT_EQ(Read("2020-12-31 12:05:00 PM +01:00"), "2020-12-31T11:05:00Z");
  EXPECT_THAT(Read("2020-12-31 21:25:00 PM"), HasSubstr("not 1 to 12"));
  EXPECT_THAT(Read("2020-12-31 00:25:00 AM"), HasSubstr("not 1 to 12"));
}

TEST(CivilTime, TakesTheDatesOfMailAndOfPrograms) {
  EXPECT_EQ(Read("Thu, 31 Dec 2020 21:25:00 +0100"), "2020-12-31T20:25:00Z");
  EXPECT_EQ(Read("Thu, 31 Dec 2020 21:25:00 +0100 (CET)"), "2020-12-31T20:25:00Z");
  EXPECT_EQ(Read("31 Dec 2020 21:25 GMT"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("Fri, 1 Jan 2021 00:00:00 GMT"), "2021-01-01T00:00:00Z");
  EXPECT_EQ(Read("31 December 2020"), "2020-12-31T00:00:00Z");
  EXPECT_EQ(Read("Thu Dec 31 21:25:00 2020"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("Fri Jan  1 21:25:00 2021"), "2021-01-01T21:25:00Z");
  EXPECT_EQ(Read("Thu Dec 31 21:25:00 UTC 2020"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(Read("Wed Oct 10 20:19:24 +0000 2018"), "2018-10-10T20:19:24Z");
  EXPECT_EQ(Read("Thu Dec 31 2020 21:25:00 GMT+0100 (Central European Standard Time)"),
            "2020-12-31T20:25:00Z");
  EXPECT_THAT(Read("Fri, 31 Dec 2020 21:25:00 +0100"), HasSubstr("day of the week"));
  EXPECT_THAT(Read("Thu Dec 31 21:25:00 PST 2020"), HasSubstr("may mean several"));
  EXPECT_THAT(Read("Someday"), HasSubstr("begin with a date"));
  EXPECT_THAT(Read("Thu Dec 31"), HasSubstr("begin with a date"));
}

TEST(CivilTime, TakesALeapSecondForTheNextSecond) {
  EXPECT_EQ(Read("2016-12-31T23:59:60Z"), "2017-01-01T00:00:00Z");
  EXPECT_EQ(Read("2016-12-31T23:59:60.75Z"), "2017-01-01T00:00:00.75Z");
  EXPECT_EQ(Read("2017-01-01 08:59:60+09:00"), "2017-01-01T00:00:00Z");
  EXPECT_EQ(Read("2015-06-30 23:59:60"), "2015-07-01T00:00:00Z");
  for (const char* const text : {"2020-11-30 23:59:60", "2016-12-31T23:58:60Z",
                                 "2016-12-31T23:59:60+01:00", "2016-12-30T23:59:60Z"}) {
    EXPECT_THAT(Read(text), HasSubstr("leap second")) << text;
  }
}

TEST(CivilTime, NamesTheUnitOfANumber) {
  EXPECT_THAT(Read("1609449958"), HasSubstr("seconds since 1970, write format: unix"));
  EXPECT_THAT(Read("1609449958.25"), HasSubstr("format: unix"));
  EXPECT_THAT(Read("1609449958123"), HasSubstr("milliseconds since 1970, write format: unix_ms"));
  EXPECT_THAT(Read("1609449958123456"), HasSubstr("format: unix_us"));
  EXPECT_THAT(Read("1609449958123456789"), HasSubstr("nanoseconds since 1970, write format: "
                                                     "unix_ns"));
  EXPECT_THAT(Read("20201231212500"), HasSubstr("begin with a date"));
  EXPECT_THAT(Read("12"), HasSubstr("begin with a date"));
}

TEST(CivilTime, SurvivesEveryBeginningOfEveryForm) {
  for (const std::string text :
       {"2020-12-31T21:25:00.123456789+02:00[Europe/Zurich]", "20201231T212500.5Z",
        "Thu, 31 Dec 2020 21:25:00 +0100 (CET)", "Thu Dec 31 21:25:00 UTC 2020",
        "Thu Dec 31 2020 21:25:00 GMT+0100 (x)", "2020-12-31 9:25 PM Europe/Zurich"}) {
    for (size_t length = 0; length <= text.size(); ++length) {
      const auto time = ParseTimestamp(text.substr(0, length));
      if (time.ok()) continue;
      EXPECT_THAT(time, StatusIs(kInvalid, HasSubstr("is not a time: ")));
    }
  }
}

}  // namespace
}  // namespace tidemill
