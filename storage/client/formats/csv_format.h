// CSV and TSV files.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "storage/client/formats/file_format.h"

namespace tidemill::storage {

struct CsvFormat {
  static constexpr std::string_view kType = "csv";
  static constexpr std::string_view kDoc =
      "Delimited text as in RFC 4180. Each record is a sample.";
  static constexpr SampleUnit kUnit = SampleUnit::kRecord;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kCsv;
  static constexpr bool kHasFields = true;
  static constexpr bool kHasRows = true;

  std::string delimiter = ",";
  std::string quote = "\"";
  bool header = true;
  std::vector<std::string> columns;
  config::ByteSize max_record{1 << 20};

  void Fields(auto&& field) {
    field("delimiter", delimiter, "One character between fields; \"\\t\" for TSV.");
    field("quote", quote, "One character around fields; empty if quotes have no meaning.");
    field("header", header, "The first record of each file names the columns.");
    field("columns", columns,
          "Names of the columns. With a header: the names that it must have, or empty.");
    field("max_record", max_record, "Longest record. A longer one is quarantined.", {.min = 16});
  }
  void Check(config::Problems& problems) const {
    if (delimiter.size() != 1 || delimiter == "\n") {
      problems.Add("delimiter", "is not one character", "write \",\" or \"\\t\"");
    }
    if (quote.size() > 1) problems.Add("quote", "is not one character", "write '\"' or ''");
    if (!quote.empty() && quote == delimiter) {
      problems.Add("quote", "is also the delimiter", "choose another character");
    }
    if (!header && columns.empty()) {
      problems.Add("columns", "is missing", "name the columns of files without a header");
    }
  }

  DelimitedText Delimited() const {
    return {.delimiter = delimiter.empty() ? ',' : delimiter.front(),
            .quote = quote.empty() ? std::nullopt : std::optional<char>(quote.front()),
            .header = header,
            .max_record_bytes = max_record.bytes};
  }
  std::span<const std::string> Columns() const { return columns; }
  bool LeavesColumnsOpen() const { return columns.empty(); }
  void SetColumns(std::span<const std::string> names) {
    columns.assign(names.begin(), names.end());
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const CsvFormat& format, const DatasetSpec& spec,
                                                   UnpackedCache& files);

// Returns the column names in the first record of a file. INVALID_ARGUMENT unless they are UTF-8
// texts, all different.
absl::StatusOr<std::vector<std::string>> ReadColumns(const CsvFormat& format, const OpenFile& file);

}  // namespace tidemill::storage
