// When a dataset's samples happened.
#pragma once

#include <optional>
#include <string>

#include "base/config.h"
#include "base/time.h"

namespace tidemill::storage {

struct RowTime {
  Timestamp start;
  Duration step;
  void Fields(auto&& field) {
    field("start", start, "Time of a file's first record.", {.required = true});
    field("step", step, "From one record to the next.", {.required = true});
  }
};

// When a sample happened: exactly one source, the file's mtime when none is named.
struct EventTimeSpec {
  std::optional<std::string> column;
  std::string format;
  std::string time_zone = "UTC";
  std::optional<std::string> path;
  std::optional<std::string> sidecar;
  std::optional<RowTime> row;
  bool mtime = false;
  void Fields(auto&& field) {
    field("column", column, "Column of a CSV file that holds the time.", {.example = "timestamp"});
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
    const int sources = column.has_value() + path.has_value() + sidecar.has_value() +
                        row.has_value() + static_cast<int>(mtime);
    if (sources > 1) {
      problems.Add("", "names several sources", "keep one of column, path, sidecar, row and mtime");
    }
    if (sidecar && sidecar->find('/') != std::string::npos) {
      problems.Add("sidecar", "leaves the sample's folder", "write an extension such as .time");
    }
  }
};

}  // namespace tidemill::storage
