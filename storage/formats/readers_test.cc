#include <string>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "records/text.h"
#include "records/time_reader.h"
#include "storage/filesystems/local.h"
#include "storage/spec/glob.h"
#include "storage/spec/label_reader.h"

namespace tidemill::storage {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

std::string Read(const std::string& format, const std::string& zone, const std::string& text) {
  const auto reader = TimeReader::Create({.format = format, .time_zone = zone});
  if (!reader.ok()) return std::string(reader.status().message());
  const auto time = reader->Read(text);
  return time.ok() ? FormatTimestamp(*time) : "unreadable";
}

TEST(TimeReader, ReadsWhatTheFormatSays) {
  EXPECT_EQ(Read("%Y-%m-%dT%H:%M", "UTC", "1996-05-07T00:30"), "1996-05-07T00:30:00Z");
  EXPECT_EQ(Read("%d %b %y %H:%M:%S.%f", "UTC", "3 Mar 13 4:05:06.25"), "2013-03-03T04:05:06.25Z");
  EXPECT_EQ(Read("%Y%j", "UTC", "2024366"), "2024-12-31T00:00:00Z");
  EXPECT_EQ(Read("%Y-%m-%d %H:%M%z", "UTC", "2020-01-01 00:30+01:00"), "2019-12-31T23:30:00Z");
  EXPECT_EQ(Read("", "UTC", "2012-01-01"), "2012-01-01T00:00:00Z");
  EXPECT_EQ(Read("unix", "UTC", "1362062307"), "2013-02-28T14:38:27Z");
  EXPECT_EQ(Read("unix_ms", "UTC", "1362062307500"), "2013-02-28T14:38:27.5Z");
}

TEST(TimeReader, RefusesTextThatIsNotATime) {
  EXPECT_EQ(Read("%Y-%m-%d", "UTC", "2023-02-29"), "unreadable");
  EXPECT_EQ(Read("%Y-%m-%d", "UTC", "2023-02-28x"), "unreadable");
  EXPECT_EQ(Read("%Y-%m-%d", "UTC", "23-02-28"), "unreadable");
  EXPECT_EQ(Read("%H:%M", "UTC", "24:00"), "unreadable");
  EXPECT_EQ(Read("unix", "UTC", "9e99"), "unreadable");
  EXPECT_EQ(Read("unix", "UTC", ""), "unreadable");
  // Before what a timestamptz can hold: would keep every other sample out as well.
  EXPECT_EQ(Read("unix", "UTC", "-999999999999"), "unreadable");
  EXPECT_EQ(Read("unix_us", "UTC", "-9223372036854775808"), "unreadable");
  EXPECT_EQ(Read("unix", "UTC", "-999999999999.5"), "unreadable");
}

TEST(TimeReader, RoundsNumbersOnce) {
  EXPECT_EQ(Read("unix_us", "UTC", "1602200230702939.5"), "2020-10-08T23:37:10.70294Z");
  EXPECT_EQ(Read("unix_ms", "UTC", "1679619957040.4513"), "2023-03-24T01:05:57.040452Z");
}

TEST(TimeReader, TakesLocalTimesToUtc) {
  EXPECT_EQ(Read("%Y-%m-%d %H:%M", "+08:00", "2013-03-01 00:00"), "2013-02-28T16:00:00Z");
  EXPECT_EQ(Read("%Y-%m-%d %H:%M", "Europe/Berlin", "2017-07-05 09:16"), "2017-07-05T07:16:00Z");
  EXPECT_EQ(Read("", "Europe/Berlin", "2017-12-05T09:16:00"), "2017-12-05T08:16:00Z");
  EXPECT_EQ(Read("", "Europe/Berlin", "2017-12-05T09:16:00Z"), "2017-12-05T09:16:00Z");
}

// The time in UTC, or the reason.
std::string ReadBy(const TimeFormat& format, const std::string& text) {
  const auto reader = TimeReader::Create(format);
  if (!reader.ok()) return std::string(reader.status().message());
  const auto time = reader->Read(text);
  return time.ok() ? FormatTimestamp(*time) : std::string(time.status().message());
}

TEST(TimeReader, TakesATimeThatComesTwiceByTheRule) {
  TimeFormat format{.time_zone = "Europe/Zurich"};
  EXPECT_EQ(ReadBy(format, "2020-10-25 02:30:00.5"), "2020-10-25T00:30:00.5Z");
  format.ambiguous = AmbiguousTime::kSecond;
  EXPECT_EQ(ReadBy(format, "2020-10-25 02:30:00.5"), "2020-10-25T01:30:00.5Z");
  EXPECT_EQ(ReadBy(format, "2020-10-25 01:59:59"), "2020-10-24T23:59:59Z");
  EXPECT_EQ(ReadBy(format, "2020-10-25 03:00:00"), "2020-10-25T02:00:00Z");
  format.ambiguous = AmbiguousTime::kBad;
  EXPECT_EQ(ReadBy(format, "2020-10-25 02:30"),
            "'2020-10-25 02:30' is not a time: it occurs twice in Europe/Zurich, where "
            "clocks are set back");
  EXPECT_EQ(ReadBy(format, "2020-10-25 02:30+02"), "2020-10-25T00:30:00Z");
  EXPECT_EQ(ReadBy({.time_zone = "America/New_York"}, "2021-11-07 01:30"), "2021-11-07T05:30:00Z");
}

TEST(TimeReader, RefusesATimeThatTheClockSkips) {
  for (const std::string format : {"", "%Y-%m-%d %H:%M"}) {
    EXPECT_THAT(ReadBy({.format = format, .time_zone = "Europe/Zurich"}, "2021-03-28 02:30"),
                HasSubstr("'2021-03-28 02:30' is not a time: it does not exist in Europe/Zurich"));
  }
  EXPECT_EQ(ReadBy({.time_zone = "Europe/Zurich"}, "2021-03-28 03:00"), "2021-03-28T01:00:00Z");
  EXPECT_THAT(ReadBy({.time_zone = "Pacific/Apia"}, "2011-12-30 12:00"), HasSubstr("not exist"))
      << "a whole day";
  EXPECT_EQ(ReadBy({.time_zone = "+01:00"}, "2021-03-28 02:30"), "2021-03-28T01:30:00Z");
  EXPECT_THAT(ReadBy({}, "2021-03-28 02:30 Europe/Zurich"), HasSubstr("does not exist"));
}

TEST(TimeReader, TakesAFractionThatMayBeAbsent) {
  const TimeFormat format{.format = "%Y-%m-%d %H:%M:%S.%f%z"};
  EXPECT_EQ(ReadBy(format, "2020-12-31 21:25:00+02"), "2020-12-31T19:25:00Z");
  EXPECT_EQ(ReadBy(format, "2020-12-31 21:25:00.5+02"), "2020-12-31T19:25:00.5Z");
  EXPECT_EQ(ReadBy(format, "2020-12-31 21:25:00,123456789+0200"), "2020-12-31T19:25:00.123456Z");
  EXPECT_EQ(ReadBy({.format = "%d.%m.%Y %H:%M:%S,%f"}, "31.12.2020 21:25:00"),
            "2020-12-31T21:25:00Z");
  EXPECT_THAT(ReadBy(format, "2020-12-31 21:25:00.+02"), HasSubstr("does not read as"));
}

TEST(TimeReader, KnowsHalfDaysWeekdaysAndZonesInAFormat) {
  EXPECT_EQ(ReadBy({.format = "%m/%d/%Y %I:%M %p"}, "12/31/2020 9:25 PM"), "2020-12-31T21:25:00Z");
  EXPECT_EQ(ReadBy({.format = "%m/%d/%Y %I:%M:%S %p"}, "12/31/2020 12:25:00 am"),
            "2020-12-31T00:25:00Z");
  EXPECT_THAT(ReadBy({.format = "%I:%M %p"}, "13:00 PM"), HasSubstr("not 1 to 12"));
  EXPECT_THAT(ReadBy({.format = "%H:%M %p"}, "13:00 PM"), HasSubstr("needs both %I"));
  EXPECT_EQ(ReadBy({.format = "%A %d %B %Y"}, "thursday 31 DECEMBER 2020"), "2020-12-31T00:00:00Z");
  EXPECT_THAT(ReadBy({.format = "%a %d %b %Y"}, "Fri 31 Dec 2020"), HasSubstr("day of the week"));
  EXPECT_EQ(ReadBy({.format = "%d.%m.%Y %H:%M %Z"}, "31.12.2020 21:25 UTC"),
            "2020-12-31T21:25:00Z");
  EXPECT_EQ(ReadBy({.format = "%d.%m.%Y %H:%M %Z"}, "31.12.2020 21:25 Asia/Tokyo"),
            "2020-12-31T12:25:00Z");
  EXPECT_THAT(ReadBy({.format = "%Y-%m-%d"}, "2023-02-29"), HasSubstr("no such day"));
}

TEST(TimeReader, NamesTheUnitOfNumbersThatAreFarAway) {
  EXPECT_THAT(ReadBy({.format = "unix"}, "1609449958123"), HasSubstr("write format: unix_ms"));
  EXPECT_EQ(ReadBy({.format = "unix", .any_year = true}, "1609449958123"), "52971-06-10T00:48:43Z");
  EXPECT_EQ(ReadBy({.format = "unix_ns"}, "1609449958123456789"), "2020-12-31T21:25:58.123456Z");
  EXPECT_THAT(ReadBy({}, "1609449958"), HasSubstr("write format: unix"));
}

TEST(TimeReader, NamesUnknownZonesAndCodes) {
  EXPECT_THAT(TimeReader::Create({.format = "%Y", .time_zone = "Mars/Base"}),
              StatusIs(kInvalid, HasSubstr("Mars/Base")));
  EXPECT_THAT(TimeReader::Create({.format = "%Q"}), StatusIs(kInvalid, HasSubstr("%Q")));
}

TEST(TimeReader, FindsTheTimeInAPath) {
  const auto reader = TimeReader::Create({.format = "*/%Y/%m%d-*.png"});
  ASSERT_THAT(reader, IsOk());
  const auto time = reader->ReadFromPath("2019/cam/2020/0102-3.png");
  ASSERT_THAT(time, IsOk());
  EXPECT_EQ(FormatTimestamp(*time), "2020-01-02T00:00:00Z");
  EXPECT_THAT(reader->ReadFromPath("a/2020/1402-3.png"), StatusIs(kInvalid, HasSubstr("match")));
}

TEST(LabelReader, MapsNamesToPlacesAndRefusesOthers) {
  LabelSpec spec;
  spec.classes = {"DOWN", "UP"};
  const LabelReader reader(spec);
  EXPECT_EQ(reader.FromText("UP")->class_label, 1);
  EXPECT_THAT(reader.FromText("up"), StatusIs(kInvalid, HasSubstr("'up' is not in classes")));
  EXPECT_THAT(reader.FromBytes("\x02", {}),
              StatusIs(kInvalid, HasSubstr("not below the number of classes, 2")));
}

TEST(LabelReader, ReadsNumbersOfEveryLayout) {
  const LabelReader classes{LabelSpec{}};
  LabelSpec real_spec;
  real_spec.kind = LabelKind::kReal;
  const LabelReader reals(real_spec);
  using enum NumberEncoding;
  using enum Endianness;
  EXPECT_EQ(classes.FromBytes("\x01\x02", {2, kUnsigned, kBig})->class_label, 0x0102);
  EXPECT_EQ(classes.FromBytes("\x01\x02", {2, kUnsigned, kLittle})->class_label, 0x0201);
  EXPECT_EQ(reals.FromBytes("\xff\xff\xff\xfe", {4, kSigned, kBig})->real_label, -2.0);
  EXPECT_EQ(reals.FromBytes("\x3f\xc0\x00\x00", {4, kFloat, kBig})->real_label, 1.5);
  EXPECT_THAT(classes.FromBytes("\xff", {1, kSigned, kBig}), StatusIs(kInvalid, HasSubstr("-1")));
  EXPECT_THAT(reals.FromText("1,5"), StatusIs(kInvalid, HasSubstr("not a number")));
  EXPECT_FALSE(reals.FromText("NaN")->real_label.has_value()) << "no label is missing";
  EXPECT_FALSE(reals.FromText("")->real_label.has_value());
  EXPECT_EQ(reals.FromText("-1.5e3")->real_label, -1500.0);
}

TEST(Glob, StarsStopAtFoldersAndDoubleStarsDoNot) {
  EXPECT_TRUE(GlobMatches("*.csv", "a.csv"));
  EXPECT_FALSE(GlobMatches("*.csv", "x/a.csv"));
  EXPECT_TRUE(GlobMatches("**", "x/y/a.csv"));
  EXPECT_TRUE(GlobMatches("**/*.csv", "a.csv"));
  EXPECT_TRUE(GlobMatches("**/*.csv", "x/y/a.csv"));
  EXPECT_TRUE(GlobMatches("x/**/b/*.p?g", "x/1/2/b/3.png"));
  EXPECT_FALSE(GlobMatches("x/**/b/*.p?g", "x/1/2/c/3.png"));
  EXPECT_FALSE(GlobMatches("**/a", "xa"));
  EXPECT_TRUE(GlobMatches("train-*-ubyte.gz", "train-images-idx3-ubyte.gz"));
  EXPECT_FALSE(GlobMatches("", "a"));
}

TEST(Text, ReplacesWhatIsNotUtf8AndKeepsCharactersWhole) {
  EXPECT_TRUE(IsText("gr\xc3\xbc\xc3\x9f"));
  EXPECT_FALSE(IsText(std::string_view("a\0b", 3)));
  EXPECT_FALSE(IsText("\xed\xa0\x80"));
  EXPECT_EQ(AsText("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(AsText("ab\xc3\xbc", 3), "ab");
}

}  // namespace
}  // namespace tidemill::storage
