// How to find the event times of a dataset's samples.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/times/time_format.h"
#include "base/times/unix_time.h"
#include "config/config.h"

template <>
struct tidemill::config::EnumNames<tidemill::AmbiguousTime> {
  using E = tidemill::AmbiguousTime;
  static constexpr std::pair<E, std::string_view> kNames[] = {
      {E::kFirst, "first"}, {E::kSecond, "second"}, {E::kBad, "bad"}};
};

namespace tidemill::storage {

struct RowTime {
  ClockTime start;
  Duration step;
  void Fields(auto&& field) {
    field("start", start, "Time of a file's first record.", {.required = true});
    field("step", step, "Time from one record to the next.", {.required = true});
  }
};

// The source of event times. There is exactly one: the file's mtime when none is named.
struct EventTimeSpec {
  std::optional<std::string> column;
  std::vector<std::string> columns;
  std::optional<std::string> expression;
  std::optional<std::string> member;
  std::string format;
  std::string time_zone = "UTC";
  AmbiguousTime ambiguous = AmbiguousTime::kFirst;
  bool any_year = false;
  std::optional<std::string> path;
  std::optional<std::string> sidecar;
  std::optional<RowTime> row;
  bool exif = false;
  bool mtime = false;
  bool from_format = false;

  // Returns the fields of a record that hold the time, in order. Empty when the time is elsewhere.
  std::vector<std::string> TimeFields() const {
    return column ? std::vector<std::string>{*column} : columns;
  }
  // Returns how the time is written, in a record or in a path.
  TimeFormat Format() const { return {path ? *path : format, time_zone, ambiguous, any_year}; }
  bool in_fields() const { return column.has_value() || !columns.empty(); }

  void Fields(auto&& field) {
    field("column", column,
          "Column of a CSV file, field of a JSON line (`a.b`: field b of the object a) or feature "
          "of a tf.train.Example that holds the time.",
          {.example = "timestamp"});
    field("columns", columns, "Several such columns. Their texts are joined with one space.",
          {.example = "[year, month, day]"});
    field("expression", expression,
          "Computes the time from the fields of a record; docs/guides/columns.md describes the "
          "language. Null makes a bad record.",
          {.example = "\"time(concat(year, '-', month, '-', day), '%Y-%m-%d')\""});
    field("member", member,
          "Extension of the member of a tar sample that holds the time as text. With `column`, the "
          "member is a JSON object, and the time is a field of it.",
          {.example = "json"});
    field("format", format,
          "How the time is written: strptime's %Y %m %d %H %M %S %f %y %j %b %a %I %p %z %Z %%, or "
          "`unix`, `unix_ms`, `unix_us`, `unix_ns`. Empty: RFC 3339, a plain date, or another of "
          "the ways that docs/guides/times.md lists.",
          {.example = "%Y-%m-%dT%H:%M"});
    field("time_zone", time_zone,
          "Zone of times that do not name one: UTC, Asia/Shanghai, +08:00. A local time that does "
          "not exist, because clocks are set forward, makes a bad record. It is the clock of the "
          "whole pipeline: of times in expressions, tables, bounds, windows and calendars, unless "
          "they name another zone.");
    field(
        "ambiguous", ambiguous,
        "The meaning of a time that occurs twice in `time_zone`, because clocks are set back: the "
        "`first`, the `second`, or a `bad` record.");
    field("any_year", any_year,
          "Accept numbers whose time is before the year 1000 or from 3000 on. Otherwise they make "
          "bad records, because they most likely have another unit.");
    field("path", path,
          "Pattern of the path below the dataset's folder, with the codes of `format`; * is any "
          "text.",
          {.example = "%Y/%m/%d/*.png"});
    field("sidecar", sidecar,
          "Extension of a file next to the sample's file. That file holds the time.",
          {.example = ".time"});
    field("row", row, "The time follows from the record's position in its file.");
    field("exif", exif,
          "The time is when the photograph was taken, by the Exif data of its file (JPEG or PNG): "
          "DateTimeOriginal, with OffsetTimeOriginal or else in `time_zone`.");
    field("mtime", mtime, "The time is the file's last modification.");
    field("from_format", from_format, "The time comes from the format's plug-in.");
  }
  void Check(config::Problems& problems) const {
    const int sources = static_cast<int>(in_fields() || member) + expression.has_value() +
                        path.has_value() + sidecar.has_value() + row.has_value() +
                        static_cast<int>(exif) + static_cast<int>(mtime) +
                        static_cast<int>(from_format);
    if (sources > 1 || (column && !columns.empty())) {
      problems.Add(
          "", "names several sources",
          "keep one of column, columns, expression, member, path, sidecar, row, exif, mtime and "
          "from_format");
    }
    if (!columns.empty() && format.empty()) {
      problems.Add("format", "is missing", "say how the joined columns are written: \"%Y %m %d\"");
    }
    if (exif && !format.empty()) {
      problems.Add("format", "does nothing with exif", "remove it");
    }
    if (expression && !format.empty()) {
      problems.Add("format", "does nothing with expression",
                   "write it in the expression: time(x, '%d.%m.%Y')");
    }
    if (any_year && !UnixUnitOf(format)) {
      problems.Add("any_year", "does nothing without a format such as unix", "remove it");
    }
    const bool fixed_clock = time_zone == "UTC" || time_zone.starts_with('+') ||
                             time_zone.starts_with('-') || UnixUnitOf(format);
    if (ambiguous != AmbiguousTime::kFirst && fixed_clock) {
      problems.Add("ambiguous", "does nothing without a zone that changes its clock",
                   "name the zone in time_zone, such as Europe/Zurich");
    }
    if (sidecar && sidecar->find('/') != std::string::npos) {
      problems.Add("sidecar", "names a file outside the sample's folder",
                   "write an extension such as .time");
    }
  }
};

}  // namespace tidemill::storage
