#include "cli/init/record_order.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/printable.h"

namespace tidemill::cli {
namespace {

// Whether the label changes much less often from record to record than in a random order.
bool IsSorted(const SampledTable& table, const LabelChoice& label) {
  if (label.task != Task::kClassification || table.num_rows < 20) return false;
  const std::vector<std::string>& values = table.columns[label.column].values;
  double changes = 0, expected = 0;
  for (size_t row = 1; row < values.size(); ++row) changes += values[row] != values[row - 1];
  const double rows = static_cast<double>(values.size());
  for (const std::string& name : label.classes) {
    const auto share = static_cast<double>(std::ranges::count(values, name)) / rows;
    expected += share * (1 - share) * rows;
  }
  return expected >= 5 && changes < expected / 5;
}

Guess DrawnTime(const SampledTable& table, const LabelChoice& label) {
  constexpr size_t kMostColumns = 8;
  std::vector<std::string> columns;
  for (size_t column = 0; column < table.columns.size() && columns.size() < kMostColumns;
       ++column) {
    if (column != label.column) columns.push_back(InExpression(table.columns[column].name));
  }
  const std::string expression =
      fmt::format("time(hash(concat({}), 1000000000))", fmt::join(columns, ", "));
  return {
      .key = "event_time",
      .value = fmt::format("{{expression: {}}}", YamlText(expression)),
      .reason =
          "no column holds times, and the records are sorted by their label; so each gets a time "
          "that is drawn from its contents, and the classes are mixed",
      .unknown =
          "when the records happened: no column holds times, so what the run says about time means "
          "nothing; --time COLUMN names one"};
}

}  // namespace

Guess OrderAsTime(const SeenData& data, const SampledTable& table, const LabelChoice& label) {
  if (IsSorted(table, label)) return DrawnTime(table, label);
  Guess guess{
      .key = "event_time",
      .unknown =
          "when the records happened: no column holds times, so their order in the file was taken; "
          "--time COLUMN names one"};
  if (data.paths.size() == 1) {
    guess.value = "{row: {start: 2000-01-01, step: 1s}}";
    guess.reason =
        "no column holds times; the records are taken in the order of the file, a second apart";
  } else {
    guess.value = "{mtime: true}";
    guess.reason =
        "no column holds times; the files are taken in the order in which they were modified";
  }
  return guess;
}

}  // namespace tidemill::cli
