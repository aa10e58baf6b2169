// CSV and TSV files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "storage/spec/formats/file_format.h"

namespace tidemill::storage {

struct CsvFormat {
  static constexpr std::string_view kType = "csv";
  static constexpr std::string_view kDoc =
      "Delimited text as in RFC 4180, in UTF-8. Each record is a sample. Lines end with \\n, "
      "\\r\\n or \\r. Empty lines are not records. Lines of delimiters alone are left out.";
  static constexpr SampleUnit kUnit = SampleUnit::kRecord;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kCsv;
  static constexpr bool kHasFields = true;
  static constexpr bool kHasRows = true;
  static constexpr bool kNamesColumns = true;
  static constexpr size_t kMaxDelimiterBytes = 8;

  std::string delimiter = ",";
  std::string quote = "\"";
  bool header = true;
  std::vector<std::string> columns;
  bool trim = false;
  std::string decimal = ".";
  std::string thousands;
  std::map<std::string, std::string> units;
  int64_t skip = 0;
  config::ByteSize max_record{1 << 20};

  void Fields(auto&& field) {
    field("delimiter", delimiter,
          "The separator of fields: one to eight bytes, such as \";\", \"\\t\" (TSV) or \"::\".");
    field("quote", quote, "One character around fields; empty if quotes have no meaning.");
    field("header", header, "The first record of each file names the columns.");
    field(
        "columns", columns,
        "Names of the columns. With a header: the names that it must have, or empty. Names at the "
        "end may be empty: such columns are not read.");
    field(
        "trim", trim,
        "Blanks around a field do not belong to it: the `sun` in `rain, sun ,snow` has none. This "
        "holds for the header, times, labels and texts. Blanks within quotes stay.");
    field("decimal", decimal,
          "The separator before the fraction of a number: \".\" or \",\". This holds for numbers "
          "that are labels, times or read by parse_csv.");
    field("thousands", thousands,
          "The separator of groups of three digits in a number: \",\", \".\", \"'\" or a blank. "
          "Empty: digits are not grouped. A number may also have no groups. One whose groups have "
          "another size is not a number.",
          config::Limits{.example = "\".\""});
    field("units", units,
          "By column, a text that may be before or after its numbers, such as kg, $ or %. It is "
          "left out: \"12 %\" is 12. A number with another unit is not a number.",
          config::Limits{.example = "{weight: kg, price: \"$\"}"});
    field("skip", skip,
          "The number of lines at the beginning of each file that are left out, such as comments "
          "before the header.",
          {.min = 0, .max = 10'000});
    field("max_record", max_record, "Longest record. A longer one is quarantined.", {.min = 16});
  }
  void Check(config::Problems& problems) const {
    if (delimiter.empty() || delimiter.size() > kMaxDelimiterBytes ||
        delimiter.find_first_of("\r\n") != std::string::npos) {
      problems.Add("delimiter", "is not one to eight bytes of a line",
                   "write \",\" or \";\" or \"\\t\" or \"::\"");
    }
    if (quote == "\n" || quote == "\r") {
      problems.Add("quote", "is a line end", "write '\"' or ''");
    }
    if (quote.size() > 1) problems.Add("quote", "is not one character", "write '\"' or ''");
    if (quote.size() == 1 && delimiter.find(quote) != std::string::npos) {
      problems.Add("quote", "is also in the delimiter", "choose another character");
    }
    if (trim && delimiter.starts_with(' ')) {
      problems.Add("trim", "cannot tell blanks from the delimiter", "remove it");
    }
    if (decimal != "." && decimal != ",") {
      problems.Add("decimal", "is neither a point nor a comma", "write \".\" or \",\"");
    } else if (decimal == "," && delimiter == "," && quote.empty()) {
      problems.Add("decimal", "is also the delimiter", "write the delimiter, such as \";\"");
    }
    CheckNumbers(problems);
    if (!header && columns.empty()) {
      problems.Add("columns", "is missing", "name the columns of files without a header");
    }
  }

  void CheckNumbers(config::Problems& problems) const {
    if (thousands.size() > 1 ||
        std::string_view(",.' ").find(thousands) == std::string_view::npos) {
      problems.Add("thousands", "is not a comma, a point, an apostrophe or a blank",
                   "write \",\", \".\", \"'\" or \" \"");
    } else if (thousands == decimal) {
      problems.Add("thousands", "is also before the fraction of a number",
                   decimal == "." ? "write decimal: \",\"" : "write thousands: \".\"");
    }
    for (const auto& [column, unit] : units) {
      if (unit.empty() || unit.find_first_of("0123456789+-.,") != std::string::npos) {
        problems.Add("units", "has a unit that is empty, or may be a part of a number",
                     "write what is beside the digits, such as kg");
      }
    }
  }

  DelimitedText Delimited() const {
    return {.dialect = {.delimiter = delimiter.empty() ? "," : delimiter,
                        .quote = quote.empty() ? std::nullopt : std::optional<char>(quote.front()),
                        .trim = trim,
                        .numbers = {.decimal = decimal.empty() ? '.' : decimal.front(),
                                    .thousands = thousands.empty() ? '\0' : thousands.front(),
                                    .units = {units.begin(), units.end()}}},
            .header = header,
            .skip = skip,
            .max_record_bytes = max_record.bytes};
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const CsvFormat& format, const DatasetSpec& spec,
                                                   UnpackedCache& files);

// Returns the column names in the first record of a file. INVALID_ARGUMENT unless they are UTF-8
// texts, all different.
absl::StatusOr<std::vector<std::string>> ReadColumns(const CsvFormat& format, const OpenFile& file);

template <>
class FileFormatOf<CsvFormat> final : public FileFormatBase<CsvFormat> {
 public:
  std::optional<DelimitedText> Delimited() const override { return spec_.Delimited(); }
  std::span<const std::string> Columns() const override { return spec_.columns; }
  bool LeavesColumnsOpen() const override { return spec_.columns.empty(); }
  void SetColumns(std::span<const std::string> columns) override {
    spec_.columns.assign(columns.begin(), columns.end());
  }
  void SkipNoLines() override { spec_.skip = 0; }
};

}  // namespace tidemill::storage
