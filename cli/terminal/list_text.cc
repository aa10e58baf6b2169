#include "cli/terminal/list_text.h"

#include <unistd.h>

#include <utility>

#include "cli/terminal/csv.h"
#include "cli/terminal/text.h"
#include "cli/terminal/tone.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

std::string AsTable(const std::vector<ListColumn>& columns, const std::vector<ListEntry>& entries,
                    bool wide) {
  std::vector<size_t> shown;
  std::vector<std::string> header;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].header.empty() || (columns[i].only_wide && !wide)) continue;
    shown.push_back(i);
    header.push_back(columns[i].header);
  }
  Table table(std::move(header));
  for (size_t at = 0; at < shown.size() && TakesColour(STDOUT_FILENO); ++at) {
    if (columns[shown[at]].key == "state") table.Paint(at, ToneOfState);
  }
  for (const ListEntry& entry : entries) {
    std::vector<std::string> row;
    for (const size_t i : shown) row.push_back(entry.cells[i]);
    table.Add(std::move(row));
  }
  return table.ToString();
}

std::string AsCsv(const std::vector<ListColumn>& columns, const std::vector<ListEntry>& entries) {
  std::string text;
  for (const ListColumn& column : columns) text += (text.empty() ? "" : ",") + CsvCell(column.key);
  text += '\n';
  for (const ListEntry& entry : entries) {
    for (size_t i = 0; i < entry.values.size(); ++i) {
      text += (i == 0 ? "" : ",") + CsvCell(entry.values[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

ListFormat FormatNamed(const std::string& name) {
  if (name == "wide") return ListFormat::kWide;
  if (name == "csv") return ListFormat::kCsv;
  return name == "json" ? ListFormat::kJson : ListFormat::kTable;
}

std::string DescribeList(const std::vector<ListColumn>& columns,
                         const std::vector<ListEntry>& entries, ListFormat format) {
  if (format == ListFormat::kCsv) return AsCsv(columns, entries);
  if (format != ListFormat::kJson) return AsTable(columns, entries, format == ListFormat::kWide);
  std::string json;
  for (const ListEntry& entry : entries) json += (json.empty() ? "" : ",") + entry.json;
  return "[" + json + "]\n";
}

std::string DescribeLeftOut(int64_t num_left_out) {
  if (num_left_out == 0) return "";
  return WithThousands(num_left_out) + " more; --limit 0 shows all\n";
}

}  // namespace tidemill::cli
