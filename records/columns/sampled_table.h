// The sampled records, as columns of texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemill {

struct SampledColumn {
  std::string name = {};
  std::vector<std::string> values = {};  // One for each record; "" where a field is missing.
};

// Rows that follow each other in a file.
struct TablePart {
  size_t first_row = 0;
  size_t file = 0;  // Its place in SeenData::seen.
};

// Records of the files that were seen, in the order of their paths.
struct SampledTable {
  std::vector<SampledColumn> columns = {};
  std::vector<TablePart> parts = {};  // In the order of their rows.
  int64_t num_rows = 0;
  // Records that could not be read, or that have another number of fields.
  int64_t num_bad = 0;
  std::string first_bad = {};  // "record 7: 5 fields where 6 are expected".
  // Whether fields are left out because they are nested too deeply to be named.
  bool has_deeper = false;
  // Whether there are more fields than those that are named.
  bool has_more = false;
  // The bytes of the rows, to estimate the number of all records.
  int64_t num_bytes = 0;
  // Whether the table has every record of the data.
  bool whole = false;
  // The estimated number of all records; for packed files, in the part whose size is known.
  int64_t num_rows_in_all = 0;

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const SampledColumn& column : columns) names.push_back(column.name);
    return names;
  }
  // The place of a column; std::nullopt when there is none of this name.
  std::optional<size_t> Find(const std::string& name) const {
    for (size_t place = 0; place < columns.size(); ++place) {
      if (columns[place].name == name) return place;
    }
    return std::nullopt;
  }
};

}  // namespace tidemill
