// What a dataset's files hold: a format as its spec says it, and all that the platform asks of one.
//
//   format: {type: csv, delimiter: ";"}
//
// To add a format: a header `<name>_format.h` beside this one with its spec, which says what
// FileFormatOf in file_format.cc asks of it and declares its MakeFormat(), which is written in
// storage/formats/<name>_format.cc; and its two lines in format_list.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/payload_kind.h"
#include "config/choice.h"
#include "config/config.h"

namespace tidemill::storage {

// What the headers of formats declare their behaviour with; see storage/formats/format.h.
class Format;
class OpenFile;
class UnpackedCache;
struct DatasetSpec;

// What a sample is of a file.
enum class SampleUnit {
  kWholeFile,
  kRecord,   // One of many that follow one another, so that a file can grow.
  kMembers,  // Of an archive; a sample's label and time can be members, too.
};

// How text is cut into records and these into fields.
struct DelimitedText {
  char delimiter = ',';
  std::optional<char> quote = '"';  // Absent: quotes are ordinary characters.
  bool header = true;               // The first record of each file names the columns.
  int64_t max_record_bytes = 1 << 20;
};

// A format and its settings. Thread-compatible.
class FileFormat : public config::Part<FileFormat> {
 public:
  // Every format there is.
  static std::span<const config::Alternative<FileFormat>> Alternatives();

  virtual SampleUnit Unit() const = 0;

  // What a sample's bytes are; in a series, those of each of its rows.
  virtual batch::PayloadKind Payload() const = 0;

  // Whether records have fields with names, in which times and labels can be found.
  virtual bool HasFields() const = 0;

  // Whether records are rows that can be those of a series.
  virtual bool HasRows() const = 0;

  // Bytes of a record, those of a label in it included, where all have as many.
  virtual std::optional<int64_t> RecordBytes() const = 0;

  // std::nullopt where files are not such text. A file's beginning is tried with it before a
  // pipeline runs.
  virtual std::optional<DelimitedText> Delimited() const = 0;

  // The names of each record's fields, in order, as far as they are known: empty where records need
  // not have the same, and while nobody has looked into a file.
  virtual std::span<const std::string> Columns() const = 0;
  // Whether the first file has to say them.
  virtual bool LeavesColumnsOpen() const = 0;
  // To be called only where they were left open.
  virtual void SetColumns(std::span<const std::string> columns) = 0;
};

using FormatSpec = config::Choice<FileFormat>;

}  // namespace tidemill::storage

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::storage::FormatSpec);
