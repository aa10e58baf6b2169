// Cuts CSV text into records and fields after RFC 4180.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/csv_dialect.h"
#include "records/csv_punctuation.h"

namespace tidemill {

struct CsvField {
  std::string_view text;  // Without the quotes around it.
  bool quoted = false;    // If so, a doubled quote in `text` stands for one.
};

// The first record of a text.
struct CsvRecord {
  enum class Kind {
    kRecord,
    kBlank,       // An empty line, which is not a record.
    kBad,         // See `reason`. The line must be skipped.
    kIncomplete,  // The text ends before the record does.
  };
  Kind kind = Kind::kIncomplete;
  size_t content = 0;  // The bytes of the record without its line end.
  size_t size = 0;     // The bytes with it.
  // For kBad only: no line end was found, so what follows up to the next one belongs to it as well.
  bool runs_on = false;
  // Whether a field of it is quoted. Such a record may span lines. It is also true when the record
  // is incomplete because a quote is open.
  bool quoted = false;
  const char* reason = "";
  std::vector<CsvField> fields;
};

// Thread-safe.
class CsvSplitter {
 public:
  CsvSplitter(const batch::CsvDialect& dialect, size_t max_record)
      : punctuation_(dialect), max_record_(max_record) {}

  // Cuts off the first record of `text`, which must not be empty. `last` says that nothing follows
  // the text, so that its end is the end of a record. Views in `record` point into `text`. A record
  // with bad quotes, or longer than twice the limit, ends at its first line end, so that a stray
  // quote costs a line and not the file. A record that is only too long ends where it does.
  void First(std::string_view text, bool last, CsvRecord& record) const;

 private:
  enum class FieldEnd { kDelimiter, kRecord, kIncomplete, kBad };
  FieldEnd TakeQuoted(std::string_view text, bool last, size_t& at, CsvRecord& record) const;
  FieldEnd TakePlain(std::string_view text, bool last, size_t& at, CsvRecord& record) const;
  static FieldEnd EndRecord(std::string_view text, size_t at, CsvRecord& record);
  void SkipLine(std::string_view text, bool last, CsvRecord& record) const;

  const CsvPunctuation punctuation_;
  const size_t max_record_;
};

// Whether a record has several fields and nothing in them. It is a line of delimiters alone, as
// spreadsheets write them below a table.
bool IsEmpty(const CsvRecord& record);

// Returns the meaning of the field: doubled quotes become one.
std::string Unquote(const CsvField& field, std::optional<char> quote);

}  // namespace tidemill
