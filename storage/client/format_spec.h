// What a dataset's files hold.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/config.h"

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

}  // namespace tidemill::storage
