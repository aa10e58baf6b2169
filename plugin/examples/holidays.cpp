// Retrains when a holiday is over, since people behave otherwise on holidays: holidays.py in C++.
//
//   g++ -std=c++20 -O2 -shared -fPIC holidays.cpp -o holidays.so
//   trigger: {type: plugin, use: "holidays.so:Holidays", with: {days: [12-25, 01-01]}}
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "tidemill/plugin.hpp"

namespace {

std::string DayOf(unsigned month, unsigned day) {
  char text[8];
  std::snprintf(text, sizeof text, "%02u-%02u", month % 100, day % 100);
  return text;
}

class Holidays : public tidemill::plugin::Trigger {
 public:
  static constexpr const char* kDoc = "Fires at the end of each holiday that has samples.";
  static constexpr const char* kVersion = "1.0";

  Texts days{*this, "days", "Days of the year: MM-DD.", {"01-01", "12-25"}};

  void Start() override {
    for (const std::string& day : *days) {
      unsigned month = 0, of_month = 0;
      const bool is_read = std::sscanf(day.c_str(), "%2u-%2u", &month, &of_month) == 2;
      const std::chrono::month_day read{std::chrono::month(month), std::chrono::day(of_month)};
      if (!is_read || !read.ok()) throw std::invalid_argument(day + " is not a day of the year");
    }
  }

  Points DecidesAt() const override { return EveryCalendar("day"); }

  Observed Observe(const Moment& moment) override {
    namespace time = std::chrono;
    // It decides when the day is over, so the day is the one before.
    const time::sys_time<time::microseconds> instant(time::microseconds(moment.at.event_time - 1));
    const time::sys_days last = time::floor<time::days>(instant);
    const time::year_month_day date(last);
    return {{"month", static_cast<double>(unsigned(date.month()))},
            {"day", static_cast<double>(unsigned(date.day()))},
            {"new", static_cast<double>(moment.num_new)}};
  }

  Verdict Judge(const Observed& seen) const override {
    const std::string day =
        DayOf(static_cast<unsigned>(seen.at("month")), static_cast<unsigned>(seen.at("day")));
    const bool is_holiday = std::ranges::find(*days, day) != (*days).end();
    return {.fired = is_holiday,
            .because = day + (is_holiday ? " is a holiday" : " is not a holiday")};
  }
};
TIDEMILL_PLUGIN(Holidays);

}  // namespace
