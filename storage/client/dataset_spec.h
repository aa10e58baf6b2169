// What a user says about a dataset: where its files are, what is in them, which field is the time
// and which the label. The `datasets:` section of a pipeline.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/config.h"
#include "base/time.h"

namespace tidemill::storage {

struct CsvFormat {
  static constexpr std::string_view kType = "csv";
  static constexpr std::string_view kDoc = "Delimited text after RFC 4180; one record a sample.";
  std::string delimiter = ",";
  std::string quote = "\"";
  bool header = true;
  std::vector<std::string> columns;
  config::ByteSize max_record{1 << 20};
  void Fields(auto&& field) {
    field("delimiter", delimiter, "One character between fields; \"\\t\" for TSV.");
    field("quote", quote, "One character around fields; empty where quotes mean nothing.");
    field("header", header, "The first record of each file names the columns.");
    field("columns", columns, "Names of the columns. With a header: what it must be, or empty.");
    field("max_record", max_record, "Longest record; a longer one is quarantined.", {.min = 16});
  }
  void Check(config::Problems& problems) const {
    if (delimiter.size() != 1 || delimiter == "\n") {
      problems.Add("delimiter", "is not one character", "write \",\" or \"\\t\"");
    }
    if (quote.size() > 1) problems.Add("quote", "is not one character", "write '\"' or ''");
    if (!quote.empty() && quote == delimiter) {
      problems.Add("quote", "is the delimiter as well", "choose another character");
    }
    if (!header && columns.empty()) {
      problems.Add("columns", "is missing", "name the columns of files without a header");
    }
  }
};

struct BinaryFormat {
  static constexpr std::string_view kType = "binary";
  static constexpr std::string_view kDoc = "Records of a fixed size after a header.";
  int64_t header_bytes = 0;
  int64_t record_bytes = 1;
  bool idx = false;
  void Fields(auto&& field) {
    field("header_bytes", header_bytes, "Bytes before the first record.", {.min = 0});
    field("record_bytes", record_bytes, "Bytes of a record, a label in it included.",
          {.min = 1, .max = 1 << 30, .required = true});
    field("idx", idx, "Check magic and dimensions of IDX files (MNIST and its kin).");
  }
};

struct SingleFileFormat {
  static constexpr std::string_view kType = "single_file";
  static constexpr std::string_view kDoc = "One file a sample, such as an image.";
  config::ByteSize max_file{256 << 20};
  void Fields(auto&& field) {
    field("max_file", max_file, "Largest file; a larger one is quarantined.", {.min = 1});
  }
};

using FormatSpec = std::variant<CsvFormat, BinaryFormat, SingleFileFormat>;

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
  }
};

enum class LabelKind { kClass, kReal };
enum class NumberEncoding { kUnsigned, kSigned, kFloat };
enum class Endianness { kLittle, kBig };

}  // namespace tidemill::storage

template <>
struct tidemill::config::EnumNames<tidemill::storage::LabelKind> {
  using E = tidemill::storage::LabelKind;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kClass, "class"},
                                                              {E::kReal, "real"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::storage::NumberEncoding> {
  using E = tidemill::storage::NumberEncoding;
  static constexpr std::pair<E, std::string_view> kNames[] = {
      {E::kUnsigned, "unsigned"}, {E::kSigned, "signed"}, {E::kFloat, "float"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::storage::Endianness> {
  using E = tidemill::storage::Endianness;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kLittle, "little"},
                                                              {E::kBig, "big"}};
};

namespace tidemill::storage {

// How a number lies in bytes.
struct NumberLayout {
  int64_t width = 1;
  NumberEncoding encoding = NumberEncoding::kUnsigned;
  Endianness endianness = Endianness::kLittle;
  void Fields(auto&& field) {
    field("width", width, "Bytes of the number: 1, 2, 4 or 8.", {.min = 1, .max = 8});
    field("encoding", encoding, "What the bytes are.");
    field("endianness", endianness, "Which byte comes first.");
  }
  void Check(config::Problems& problems) const {
    if (width != 1 && width != 2 && width != 4 && width != 8) {
      problems.Add("width", "is not the width of a number", "use 1, 2, 4 or 8");
    }
    if (encoding == NumberEncoding::kFloat && width < 4) {
      problems.Add("width", "is not the width of a float", "use 4 or 8");
    }
  }
};

// A label within each binary record.
struct RecordLabel : NumberLayout {
  int64_t offset = 0;
  void Fields(auto&& field) {
    field("offset", offset, "Bytes of the record before the label.", {.min = 0, .required = true});
    NumberLayout::Fields(field);
  }
};

// Labels of a file's records, in order, in a second file beside it.
struct LabelFile : NumberLayout {
  std::string pattern;
  std::string replacement;
  int64_t header_bytes = 0;
  void Fields(auto&& field) {
    field("pattern", pattern, "Part of the sample file's name that is replaced.",
          {.required = true, .example = "images-idx3"});
    field("replacement", replacement, "What it is replaced with to name the label file.",
          {.required = true, .example = "labels-idx1"});
    field("header_bytes", header_bytes, "Bytes before the first label.", {.min = 0});
    NumberLayout::Fields(field);
  }
};

// What is to be learnt of a sample: at most one source. None: samples have no label.
struct LabelSpec {
  std::optional<std::string> column;
  std::optional<RecordLabel> record;
  std::optional<LabelFile> file;
  std::optional<std::string> sidecar;
  bool folder = false;
  LabelKind kind = LabelKind::kClass;
  std::vector<std::string> classes;
  void Fields(auto&& field) {
    field("column", column, "Column of a CSV file.", {.example = "class"});
    field("record", record, "Bytes of a binary record; they are not part of the sample.");
    field("file", file, "A second file with one label a binary record.");
    field("sidecar", sidecar, "Extension of a text file beside the sample's.",
          {.example = ".label"});
    field("folder", folder, "The name of the folder that the sample's file lies in.");
    field("kind", kind, "A class, or a real number.");
    field("classes", classes,
          "Names of the classes; a class is its place here. Empty: labels are numbers.",
          {.example = "[DOWN, UP]"});
  }
  void Check(config::Problems& problems) const {
    const int sources = column.has_value() + record.has_value() + file.has_value() +
                        sidecar.has_value() + static_cast<int>(folder);
    if (sources > 1) {
      problems.Add("", "names several sources",
                   "keep one of column, record, file, sidecar and folder");
    }
    if (kind == LabelKind::kReal && !classes.empty()) {
      problems.Add("classes", "is given for a real label", "remove it or set kind: class");
    }
    if (folder && classes.empty()) {
      problems.Add("classes", "is missing", "name the folders that are classes");
    }
  }
};

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
