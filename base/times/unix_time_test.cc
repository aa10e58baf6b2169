#include "base/times/unix_time.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::HasSubstr;

std::string Read(const std::string& format, const std::string& text, bool any_year = false) {
  const auto time = ReadUnixTime(text, *UnixUnitOf(format), any_year);
  return time.ok() ? FormatTimestamp(*time) : std::string(time.status().message());
}

TEST(UnixTime, ReadsEveryUnit) {
  EXPECT_EQ(Read("unix", "1609449958"), "2020-12-31T21:25:58Z");
  EXPECT_EQ(Read("unix_ms", "1609449958123"), "2020-12-31T21:25:58.123Z");
  EXPECT_EQ(Read("unix_us", "1609449958123456"), "2020-12-31T21:25:58.123456Z");
  EXPECT_EQ(Read("unix_ns", "1609449958123456789"), "2020-12-31T21:25:58.123456Z");
  EXPECT_EQ(Read("unix_ns", "-1"), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(Read("unix_ns", "1.609449958e18"), "2020-12-31T21:25:58Z");
  EXPECT_EQ(Read("unix", "-62135596"), "1968-01-12T20:06:44Z");
  EXPECT_FALSE(UnixUnitOf("%Y").has_value());
  EXPECT_FALSE(UnixUnitOf("").has_value());
}

TEST(UnixTime, NamesTheUnitOfATimeAMillenniumAway) {
  EXPECT_EQ(Read("unix", "1609449958123"),
            "'1609449958123' seconds since 1970 are '52971-06-10T00:48:43Z'; these are "
            "milliseconds: write format: unix_ms");
  EXPECT_THAT(Read("unix", "1609449958123.5"), HasSubstr("format: unix_ms"));
  EXPECT_THAT(Read("unix_us", "1609449958123456789"), HasSubstr("format: unix_ns"));
  EXPECT_THAT(Read("unix_ms", "1609449958123456"), HasSubstr("format: unix_us"));
  EXPECT_THAT(Read("unix", "1609449958123456789"), HasSubstr("format: unix_ns"));
  EXPECT_THAT(Read("unix", "99999999999"), HasSubstr("any_year: true"));
  EXPECT_THAT(Read("unix", "-62135596800"), HasSubstr("'0001-01-01T00:00:00Z'"));
  EXPECT_EQ(Read("unix", "32503679999"), "2999-12-31T23:59:59Z");
  EXPECT_EQ(Read("unix", "-30610224000"), "1000-01-01T00:00:00Z");
}

TEST(UnixTime, TakesAnyYearThatIsMeant) {
  EXPECT_EQ(Read("unix", "1609449958123", true), "52971-06-10T00:48:43Z");
  EXPECT_EQ(Read("unix", "-62135596800", true), "0001-01-01T00:00:00Z");
  EXPECT_THAT(Read("unix", "-999999999999", true), HasSubstr("out of range"));
  EXPECT_THAT(Read("unix", "nan", true), HasSubstr("out of range"));
}

TEST(UnixTime, KnowsOneUnitForANumberAtMost) {
  const auto likely = [](std::string_view text) {
    const auto unit = LikelyUnixUnit(text);
    return unit ? unit->format : "";
  };
  EXPECT_EQ(likely("1609449958"), "unix");
  EXPECT_EQ(likely("315532800000"), "unix_ms");
  EXPECT_EQ(likely("7258118399000000"), "unix_us");
  EXPECT_EQ(likely("1609449958123456789"), "unix_ns");
  for (const char* const text : {"", "x", "1", "20201231", "202012312125", "20201231212500", "nan",
                                 "inf", "-1609449958", "1609449958 "}) {
    EXPECT_EQ(likely(text), "") << text;
  }
}

}  // namespace
}  // namespace tidemill
