// The first records of a CSV file, cut as the ingest cuts them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/client/dataset_spec.h"

namespace tidemill::supervisor {

// The beginning of a file.
struct FileStart {
  std::string file;    // Below the dataset's path, for messages.
  std::string bytes;   // Not compressed.
  bool whole = false;  // There is no more of it.
};

// What a peek at a file has shown. std::nullopt for a compressed one.
std::optional<FileStart> StartOf(const std::string& file, const std::string& head);

struct FirstRecord {
  int64_t line = 0;  // Where it begins in the file, from 1.
  std::vector<std::string> fields;
};

struct FirstRecords {
  std::string file;
  std::vector<std::string> columns;  // Of the header, else the spec's.
  std::vector<FirstRecord> records;  // Those that can be cut into fields, of any number.
  bool has_header = false;
};

// Cuts what lies whole in `start`; a byte order mark and blank lines are left out. `columns`: those
// of the spec, for files without a header.
FirstRecords CutRecords(const FileStart& start, const storage::DelimitedText& text,
                        std::span<const std::string> columns = {});

}  // namespace tidemill::supervisor
