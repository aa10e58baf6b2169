// The format of a dataset's files as its spec defines it: everything that the platform must know
// about a format.
//
//   format: {type: csv, delimiter: ";"}
//
// To add a format, write a header `<name>_format.h` beside this one with its spec, and its two
// lines in format_list.h. Where a default of FileFormat does not fit, the header specialises
// FileFormatOf for the spec and overrides it there. It declares the format's MakeFormat(), too;
// storage/formats/<name>_format.cc implements it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/csv_dialect.h"
#include "batch/payload_kind.h"
#include "config/choice.h"
#include "config/config.h"
#include "config/named_files.h"

namespace tidemill::storage {

// The headers of formats declare their MakeFormat() with it; see storage/formats/format.h.
class Format;  // NOLINT(bugprone-forward-declaration-namespace): plug-ins have one, too.
class OpenFile;
class UnpackedCache;
struct DatasetSpec;

// How samples and files relate.
enum class SampleUnit {
  kWholeFile,
  kRecord,   // One of many records that follow one another, so that a file can grow.
  kMembers,  // Some members of an archive. Label and time can be members, too.
};

// How text is divided into records, and records into fields.
struct DelimitedText {
  batch::CsvDialect dialect = {};
  bool header = true;  // The first record of each file names the columns.
  int64_t skip = 0;    // The number of lines before it that are left out.
  int64_t max_record_bytes = 1 << 20;
};

// A format and its settings. Thread-compatible.
class FileFormat : public config::PartWithFiles<FileFormat> {
 public:
  // Lists every format.
  static std::span<const config::Alternative<FileFormat>> Alternatives();

  virtual SampleUnit Unit() const = 0;

  // Returns the kind of a sample's bytes. In a series, it is the kind of each row.
  virtual batch::PayloadKind Payload() const = 0;

  // Whether records have named fields, in which times and labels can be found.
  virtual bool HasFields() const = 0;

  // Whether records are rows that can form a series.
  virtual bool HasRows() const = 0;

  // Returns the bytes of a record, including a label in it, when all records have the same size.
  virtual std::optional<int64_t> RecordBytes() const { return std::nullopt; }

  // Returns the most bytes of a record, where records can have any number.
  virtual std::optional<int64_t> MaxRecordBytes() const { return std::nullopt; }

  // Returns how the text is delimited, or std::nullopt when the files are not such text. It is used
  // to try the beginning of a file before a pipeline runs.
  virtual std::optional<DelimitedText> Delimited() const { return std::nullopt; }

  // Returns the names of a record's fields, in order, as far as they are known. It is empty when
  // records may have different fields, and until a file has been read.
  virtual std::span<const std::string> Columns() const { return {}; }
  // Whether the columns must be read from the first file.
  virtual bool LeavesColumnsOpen() const { return false; }
  // Sets the columns. Call it only when LeavesColumnsOpen().
  virtual void SetColumns(std::span<const std::string> /*columns*/) {}

  // Makes the format read files without lines that it would skip.
  virtual void SkipNoLines() {}

  // Whether the format itself supplies the labels and times of records.
  virtual bool SaysLabels() const { return false; }
  // Whether files can be read. A plug-in has to be taken first.
  virtual bool CanRead() const { return true; }
};

using FormatSpec = config::Choice<FileFormat>;

template <typename Spec>
class FileFormatOf;

// The constants that every spec has: kUnit, kPayload, kHasFields and kHasRows. A format whose files
// name the columns also has kNamesColumns, and ReadColumns().
template <typename Spec>
class FileFormatBase : public config::PartOf<FileFormatOf<Spec>, FileFormat, Spec> {
 public:
  SampleUnit Unit() const override { return Spec::kUnit; }
  batch::PayloadKind Payload() const override { return Spec::kPayload; }
  bool HasFields() const override { return Spec::kHasFields; }
  bool HasRows() const override { return Spec::kHasRows; }
  std::optional<int64_t> MaxRecordBytes() const override {
    if constexpr (requires { this->spec_.max_record.bytes; }) return this->spec_.max_record.bytes;
    return std::nullopt;
  }
};

// The format of a spec, with the defaults.
template <typename Spec>
class FileFormatOf final : public FileFormatBase<Spec> {};

}  // namespace tidemill::storage

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::storage::FormatSpec);
