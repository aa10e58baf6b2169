// What a user says about a dataset: where its files are, what is in them, which field is the time
// and which the label. The `datasets:` section of a pipeline.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/config.h"
#include "base/time.h"
#include "storage/client/event_time_spec.h"
#include "storage/client/format_spec.h"
#include "storage/client/label_spec.h"

namespace tidemill::storage {

struct DatasetSpec {
  std::string path;
  std::string files = "**";
  FormatSpec format;
  EventTimeSpec event_time;
  LabelSpec label;
  bool append = false;
  std::optional<Duration> settle;
  double max_bad_fraction = 0.5;
  void Fields(auto&& field) {
    field("path", path, "The folder with the files; below one of the allowed data folders.",
          {.required = true, .example = "${TIDEMILL_DATA}/drift_elec2"});
    field("files", files,
          "Which files below it: * is any text but /, ** any text, ? one character. Hidden files "
          "and gzip's suffix: a name must match as it is.",
          {.example = "*.csv"});
    field("format", format, "What the files hold.", {.required = true});
    field("event_time", event_time, "When a sample happened; by default the file's mtime.");
    field("label", label, "What is to be learnt.");
    field("append", append, "Files grow at their end: take whole new records as they come.");
    field(
        "settle", settle,
        "A file is complete once unchanged for so long; by default what the storage section says.");
    field("max_bad_fraction", max_bad_fraction,
          "A file with a greater part of bad records is quarantined as a whole.",
          {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const;
};

inline void DatasetSpec::Check(config::Problems& problems) const {
  const auto* csv = std::get_if<CsvFormat>(&format);
  const auto* binary = std::get_if<BinaryFormat>(&format);
  const auto needs = [&](bool given, bool fits, const char* key, const char* formats) {
    if (given && !fits) problems.Add(key, "does not fit the format", formats);
  };
  needs(event_time.column.has_value(), csv, "event_time.column", "only csv has columns");
  needs(label.column.has_value(), csv, "label.column", "only csv has columns");
  needs(label.record.has_value(), binary, "label.record", "only binary has fixed records");
  needs(label.file.has_value(), binary, "label.file", "only binary takes a file of labels");
  const bool single = std::holds_alternative<SingleFileFormat>(format);
  needs(label.sidecar.has_value(), single, "label.sidecar", "only single_file has sidecar labels");
  needs(append, !single, "append", "a file that is one sample cannot grow");
  if (binary && label.record && label.record->offset + label.record->width > binary->record_bytes) {
    problems.Add("label.record.offset", "lies beyond the record", "see format.record_bytes");
  }
  if (csv && !csv->columns.empty()) {
    const auto known = [&](const std::optional<std::string>& name) {
      if (!name) return true;
      for (const std::string& column : csv->columns) {
        if (column == *name) return true;
      }
      return false;
    };
    if (!known(event_time.column)) {
      problems.Add("event_time.column", "is not among format.columns", "check the name");
    }
    if (!known(label.column)) {
      problems.Add("label.column", "is not among format.columns", "check the name");
    }
  }
}

}  // namespace tidemill::storage
