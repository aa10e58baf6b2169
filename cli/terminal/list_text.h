// Lists of runs and models: for people, as CSV and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemill::cli {

enum class ListFormat { kTable, kWide, kCsv, kJson };

// Returns the format of a name: "table", "wide", "csv" or "json".
ListFormat FormatNamed(const std::string& name);

struct ListColumn {
  std::string key;     // In the header of CSV.
  std::string header;  // In the table; empty for a column of CSV only.
  bool only_wide = false;
};

struct ListEntry {
  std::vector<std::string> cells;   // For people, in the order of the columns.
  std::vector<std::string> values;  // For CSV, in the same order; empty for none.
  std::string json;                 // An object.
};

// Returns the entries with a line feed at the end. CSV and JSON have every column, whatever fits.
std::string DescribeList(const std::vector<ListColumn>& columns,
                         const std::vector<ListEntry>& entries, ListFormat format);

// Returns "12 more; --limit 0 shows all\n"; empty when nothing is left out.
std::string DescribeLeftOut(int64_t num_left_out);

}  // namespace tidemill::cli
