#include "supervisor/checks/field_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "base/numbers/written_number.h"
#include "records/text.h"

namespace tidemill::supervisor {
namespace {

std::optional<config::Remark> TryColumn(const FirstRecords& records, const transform::GraphOp& op,
                                        const std::string& column, double max_bad_fraction) {
  const auto place =
      static_cast<size_t>(std::ranges::find(records.columns, column) - records.columns.begin());
  if (place == records.columns.size()) return std::nullopt;
  int64_t num_tried = 0, num_bad = 0;
  const FirstRecord* first = nullptr;
  transform::BadField problem;
  for (const FirstRecord& record : records.records) {
    if (record.fields.size() != records.columns.size()) continue;
    ++num_tried;
    auto found = op.TryField(column, record.fields[place], records.dialect);
    if (!found) continue;
    ++num_bad;
    if (first != nullptr) continue;
    first = &record;
    problem = *std::move(found);
  }
  if (first == nullptr) return std::nullopt;
  const bool is_error =
      static_cast<double>(num_bad) > max_bad_fraction * static_cast<double>(num_tried);
  return config::Remark{
      .message =
          fmt::format("{} in line {} of {} {}, as in {} of the first {} records{}",
                      Quoted(first->fields[place]), first->line, records.file, problem.problem,
                      num_bad, num_tried, is_error ? "" : ", which are left out of trainings"),
      .hint = std::move(problem.hint),
      .is_error = is_error};
}

// Whether the op makes float32 of the column: it takes 1e9, and nothing beyond 3.4e38.
bool MakesFloat32(const transform::GraphOp& op, const std::string& column,
                  const batch::CsvDialect& csv) {
  return op.TryField(column, "1e39", csv) && !op.TryField(column, "1e9", csv);
}

// Finds two different whole numbers that are one float32, as account numbers are.
std::optional<config::Remark> FindEqualAsFloat32(const FirstRecords& records,
                                                 const std::string& column) {
  constexpr float kAllDifferent = 16'777'216;
  const auto place =
      static_cast<size_t>(std::ranges::find(records.columns, column) - records.columns.begin());
  const NumberNotation notation = records.dialect.numbers.Of(column);
  std::map<float, std::pair<int64_t, const FirstRecord*>> seen;
  for (const FirstRecord& record : records.records) {
    int64_t whole = 0;
    if (record.fields.size() != records.columns.size() || place >= record.fields.size()) continue;
    if (ParseWrittenNumber(record.fields[place], notation, whole)) continue;
    const auto rounded = static_cast<float>(whole);
    if (std::abs(rounded) < kAllDifferent) continue;
    const auto [other, is_new] = seen.emplace(rounded, std::pair(whole, &record));
    if (is_new || other->second.first == whole) continue;
    const auto& [first, first_record] = other->second;
    return config::Remark{
        .message = fmt::format("{} in line {} of {} and {} in line {} are one number as float32",
                               first, first_record->line, records.file, whole, record.line),
        .hint =
            "if these are codes, read them with dtype: string, then one_hot or hash_buckets; "
            "if they are amounts, nothing is lost that a model would see",
        .is_error = false};
  }
  return std::nullopt;
}

}  // namespace

std::vector<config::Remark> TryFields(const FirstRecords& records,
                                      const transform::GraphSpec& graph, double max_bad_fraction) {
  std::vector<config::Remark> remarks;
  for (size_t i = 0; i < graph.size(); ++i) {
    const transform::OpSpec& op = graph[i].value;
    const transform::ReadFields read = op->Reads();
    for (size_t c = 0; c < read.names.size(); ++c) {
      const std::string& column = read.names[c];
      const auto add = [&](std::optional<config::Remark> remark) {
        if (!remark) return;
        remark->path = fmt::format("[{}].{}.{}[{}]", i, op.type(), read.key, c);
        remarks.push_back(*std::move(remark));
      };
      add(TryColumn(records, *op, column, max_bad_fraction));
      if (MakesFloat32(*op, column, records.dialect)) add(FindEqualAsFloat32(records, column));
    }
  }
  return remarks;
}

}  // namespace tidemill::supervisor
