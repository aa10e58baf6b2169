// time_features: numbers from the clock and the calendar at the time of a sample.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

enum class TimePart { kMinute, kHour, kWeekday, kDay, kMonth, kYearFraction, kYear };

struct TimeFeaturesSpec {
  static constexpr std::string_view kType = "time_features";
  static constexpr std::string_view kDoc =
      "Makes one float32 column from parts of a time: minute (0 to 59), hour (0 to 23), weekday "
      "(Monday 0 to Sunday 6), day of the month (1 to 31), month (1 to 12), year_fraction (0 at "
      "New Year's midnight, growing to 1) and year. With `cyclic`, each part except the year gives "
      "two numbers, the sine and cosine of its angle on a circle, so December is next to January.";
  static constexpr bool kIsRandom = false;
  std::string from = "event_time";
  std::vector<TimePart> parts = {};
  bool cyclic = false;
  std::string time_zone = {};
  std::string into = "time";

  void Fields(auto&& field) {
    field("from", from,
          "`event_time` for the time of the sample, or a column of whole numbers, which are "
          "microseconds since 1970 in UTC.");
    field("parts", parts, "The parts to make, in this order.",
          config::Limits{.required = true, .example = "[hour, weekday]", .min_items = 1});
    field("cyclic", cyclic, "Makes angles on a circle instead of numbers.");
    field("time_zone", time_zone,
          "Time zone of the clock: UTC, Asia/Shanghai, +08:00. Empty: that of the dataset that the "
          "pipeline trains on, `event_time.time_zone`.");
    field("into", into, "Name of the column to make.");
  }
  void Check(config::Problems& problems) const;
  void TakeClock(const std::string& zone) {
    if (time_zone.empty()) time_zone = zone;
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const TimeFeaturesSpec&, const TimeFeaturesSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::TimePart> {
  using Part = tidemill::transform::TimePart;
  static constexpr std::pair<Part, std::string_view> kNames[] = {
      {Part::kMinute, "minute"}, {Part::kHour, "hour"},   {Part::kWeekday, "weekday"},
      {Part::kDay, "day"},       {Part::kMonth, "month"}, {Part::kYearFraction, "year_fraction"},
      {Part::kYear, "year"}};
};
