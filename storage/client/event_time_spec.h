// How to find the event times of a dataset's samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::storage {

struct RowTime {
  Timestamp start;
  Duration step;
  void Fields(auto&& field) {
    field("start", start, "Time of a file's first record.", {.required = true});
    field("step", step, "From one record to the next.", {.required = true});
  }
};

// The source of event times. There is exactly one: the file's mtime when none is named.
struct EventTimeSpec {
  std::optional<std::string> column;
  std::vector<std::string> columns;
  std::optional<std::string> member;
  std::string format;
  std::string time_zone = "UTC";
  std::optional<std::string> path;
  std::optional<std::string> sidecar;
  std::optional<RowTime> row;
  bool mtime = false;

  // Returns the fields of a record that hold the time, in order. Empty when the time is elsewhere.
  std::vector<std::string> TimeFields() const {
    return column ? std::vector<std::string>{*column} : columns;
  }
  bool in_fields() const { return column.has_value() || !columns.empty(); }

  void Fields(auto&& field) {
    field("column", column,
          "Column of a CSV file, field of a JSON line (`a.b`: field b of the object a) or feature "
          "of a tf.train.Example that holds the time.",
          {.example = "timestamp"});
    field("columns", columns, "Several such columns; their texts are joined with one space.",
          {.example = "[year, month, day]"});
    field("member", member,
          "Extension of the member of a tar sample that holds the time as text; with `column`, as "
          "a field of the JSON object in it.",
          {.example = "json"});
    field("format", format,
          "How the text reads: strptime's %Y %m %d %H %M %S %f %y %j %b %z %%, or `unix`, "
          "`unix_ms`, `unix_us`. Empty: RFC 3339 or a plain date.",
          {.example = "%Y-%m-%dT%H:%M"});
    field("time_zone", time_zone, "Zone of times that state none: UTC, Asia/Shanghai, +08:00.");
    field("path", path,
          "Pattern of the path below the dataset's, with the codes of `format`; * is any text.",
          {.example = "%Y/%m/%d/*.png"});
    field("sidecar", sidecar, "Extension of a file beside the sample's that holds the time.",
          {.example = ".time"});
    field("row", row, "The time follows from the record's position in its file.");
    field("mtime", mtime, "The time is when the file was last modified.");
  }
  void Check(config::Problems& problems) const {
    const int sources = static_cast<int>(in_fields() || member) + path.has_value() +
                        sidecar.has_value() + row.has_value() + static_cast<int>(mtime);
    if (sources > 1 || (column && !columns.empty())) {
      problems.Add("", "names several sources",
                   "keep one of column, columns, member, path, sidecar, row and mtime");
    }
    if (!columns.empty() && format.empty()) {
      problems.Add("format", "is missing", "say how the joined columns read: \"%Y %m %d\"");
    }
    if (sidecar && sidecar->find('/') != std::string::npos) {
      problems.Add("sidecar", "leaves the sample's folder", "write an extension such as .time");
    }
  }
};

}  // namespace tidemill::storage
