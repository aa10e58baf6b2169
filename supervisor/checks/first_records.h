// The first records of a CSV file, cut in the same way as by the ingest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/spec/dataset_spec.h"

namespace tidemill::supervisor {

// The beginning of a file.
struct FileStart {
  std::string file;    // The path below the dataset's path, for messages.
  std::string bytes;   // Uncompressed.
  bool whole = false;  // Whether this is the whole file.
};

// Returns what a peek at a file has shown. std::nullopt for a compressed file.
std::optional<FileStart> StartOf(const std::string& file, const std::string& head);

struct FirstRecord {
  int64_t line = 0;  // The line where it begins in the file, from 1.
  std::vector<std::string> fields;
};

struct FirstRecords {
  std::string file;
  std::vector<std::string> columns;  // The columns of the header, else the columns of the spec.
  // The records that can be cut into fields, with any number of fields. Headers, records without
  // any text, and the records after a header with another order of columns are not among them.
  std::vector<FirstRecord> records;
  bool has_header = false;
  batch::CsvDialect dialect = {};
  // The lines of records that are headers, and the first one with the columns in another order.
  std::vector<int64_t> headers = {};
  std::optional<FirstRecord> moved_header = std::nullopt;
};

// Cuts the complete records in `start`. A byte order mark and blank lines are left out. `columns`
// come from the spec, for files without a header.
FirstRecords CutRecords(const FileStart& start, const storage::DelimitedText& text,
                        std::span<const std::string> columns = {});

}  // namespace tidemill::supervisor
