// Splits a CSV record into its fields.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "records/csv_punctuation.h"

namespace tidemill::transform {

// Splits by RFC 4180: a field that begins with a quote ends with a quote, and may hold delimiters,
// line ends and doubled quotes. Reuses its memory from record to record. Thread-compatible.
class CsvFields {
 public:
  CsvFields(const batch::CsvDialect& dialect, size_t num_fields);

  enum class Result {
    kOk,
    kWrongCount,  // The record has another number of fields.
    kBadQuote,    // A quote is not closed, or text follows where it closes.
  };

  // Splits `record`. After kOk, fields() are views of `record` or of this object. They are valid
  // until the next call.
  Result Split(std::string_view record);

  std::span<const std::string_view> fields() const { return fields_; }
  // The number of fields in the last record. After kBadQuote, it is the number of fields before the
  // bad one.
  size_t num_found() const { return num_found_; }

 private:
  // Appends the quoted field that begins at `begin`. Returns where it ends: at a delimiter or at
  // the end of the record. Returns std::nullopt for a bad quote.
  std::optional<size_t> SplitQuoted(std::string_view record, size_t begin);
  void Append(std::string_view field);

  const CsvPunctuation punctuation_;
  std::vector<std::string_view> fields_;
  size_t num_found_ = 0;
  std::string unquoted_;
};

}  // namespace tidemill::transform
