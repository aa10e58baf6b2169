// What a dataset's files hold.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

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

struct JsonlFormat {
  static constexpr std::string_view kType = "jsonl";
  static constexpr std::string_view kDoc = "JSON Lines: one object a line, one line a sample.";
  config::ByteSize max_record{1 << 20};
  void Fields(auto&& field) {
    field("max_record", max_record, "Longest line; a longer one is quarantined.", {.min = 16});
  }
};

struct TarFormat {
  static constexpr std::string_view kType = "tar";
  static constexpr std::string_view kDoc =
      "Tar archives in WebDataset's layout: neighbouring members whose paths agree up to the first "
      "dot of their names are one sample.";
  std::vector<std::string> payload;
  config::ByteSize max_member{256 << 20};
  void Fields(auto&& field) {
    field("payload", payload,
          "Extensions, without the first dot, of the member that is the sample's bytes; the first "
          "of them that a sample has.",
          {.required = true, .example = "[jpg, png]", .min_items = 1});
    field("max_member", max_member, "Largest payload; a sample with a larger one is quarantined.",
          {.min = 1});
  }
  void Check(config::Problems& problems) const {
    for (const std::string& extension : payload) {
      if (extension.empty() || extension.front() == '.') {
        problems.Add("payload", "names an extension that is empty or begins with a dot",
                     "write jpg for .jpg");
      }
    }
  }
};

struct TfrecordFormat {
  static constexpr std::string_view kType = "tfrecord";
  static constexpr std::string_view kDoc =
      "TFRecord: records of any size with checksums; one record a sample. Labels and times are "
      "features of the tf.train.Example that a record then has to be.";
  config::ByteSize max_record{64 << 20};
  void Fields(auto&& field) {
    field("max_record", max_record, "Longest record; a longer one is quarantined.", {.min = 16});
  }
};

using FormatSpec =
    std::variant<CsvFormat, BinaryFormat, SingleFileFormat, JsonlFormat, TarFormat, TfrecordFormat>;

}  // namespace tidemill::storage
