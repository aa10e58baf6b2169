#include "supervisor/pipeline/field_check.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "records/text.h"
#include "transform/ops/number_text.h"

namespace tidemill::supervisor {
namespace {

// What keeps a field from being a number of the op.
std::optional<std::string_view> ProblemOf(const std::string& text, transform::CsvType type) {
  if (type == transform::CsvType::kInt64) {
    int64_t whole = 0;
    return transform::ParseNumber(text, whole);
  }
  if (type == transform::CsvType::kFloat32) {
    float real = 0;
    return transform::ParseNumber(text, real);
  }
  double real = 0;
  return transform::ParseNumber(text, real);
}

std::string HintFor(const std::string& text, const transform::ParseCsvSpec& op) {
  const std::string_view trimmed = transform::Trim(text);
  const bool whole = op.dtype == transform::CsvType::kInt64;
  std::string with_point(trimmed);
  std::ranges::replace(with_point, ',', '.');
  if (trimmed.find(',') != std::string_view::npos &&
      !ProblemOf(with_point, transform::CsvType::kFloat64)) {
    return "a decimal comma: write the file with points";
  }
  double number = 0;
  if (whole && !transform::ParseNumber(trimmed, number)) return "write dtype: float32";
  constexpr std::string_view kWords[] = {"NA",   "N/A",  "na", "n/a", "NaN", "nan",    "null",
                                         "NULL", "None", "?",  "-",   ".",   "missing"};
  if (trimmed.empty() || std::ranges::find(kWords, trimmed) != std::ranges::end(kWords)) {
    std::vector<std::string> missing;
    for (const std::string& word : op.missing) missing.push_back(fmt::format("\"{}\"", word));
    missing.push_back(fmt::format("\"{}\"", trimmed));
    return fmt::format("write {}missing: [{}] and fill_missing for what is not there",
                       whole ? "dtype: float32, " : "", fmt::join(missing, ", "));
  }
  return "text: read it with dtype: string, then one_hot or hash_buckets";
}

std::optional<config::Remark> TryColumn(const FirstRecords& records,
                                        const transform::ParseCsvSpec& op,
                                        const std::string& column, double max_bad_fraction) {
  const auto place =
      static_cast<size_t>(std::ranges::find(records.columns, column) - records.columns.begin());
  if (place == records.columns.size()) return std::nullopt;
  int64_t num_tried = 0, num_bad = 0;
  const FirstRecord* first = nullptr;
  for (const FirstRecord& record : records.records) {
    if (record.fields.size() != records.columns.size()) continue;
    ++num_tried;
    const std::string_view text = transform::Trim(record.fields[place]);
    if (std::ranges::find(op.missing, text) != op.missing.end()) continue;
    if (!ProblemOf(record.fields[place], op.dtype)) continue;
    ++num_bad;
    if (first == nullptr) first = &record;
  }
  if (first == nullptr) return std::nullopt;
  const std::string& text = first->fields[place];
  const bool is_error =
      static_cast<double>(num_bad) > max_bad_fraction * static_cast<double>(num_tried);
  return config::Remark{
      .message =
          fmt::format("{} in line {} of {} {}, as in {} of the first {} records{}", Quoted(text),
                      first->line, records.file, *ProblemOf(text, op.dtype), num_bad, num_tried,
                      is_error ? "" : ", which are left out of trainings"),
      .hint = HintFor(text, op),
      .is_error = is_error};
}

}  // namespace

std::vector<config::Remark> TryFields(const FirstRecords& records,
                                      const transform::GraphSpec& graph, double max_bad_fraction) {
  std::vector<config::Remark> remarks;
  for (size_t i = 0; i < graph.size(); ++i) {
    const auto* op = std::get_if<transform::ParseCsvSpec>(&graph[i].value);
    if (op == nullptr || op->dtype == transform::CsvType::kString) continue;
    for (size_t c = 0; c < op->columns.size(); ++c) {
      auto remark = TryColumn(records, *op, op->columns[c], max_bad_fraction);
      if (!remark) continue;
      remark->path = fmt::format("[{}].parse_csv.columns[{}]", i, c);
      remarks.push_back(*std::move(remark));
    }
  }
  return remarks;
}

}  // namespace tidemill::supervisor
