#include "supervisor/pipeline/field_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"

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
    auto found = op.TryField(record.fields[place], records.dialect.decimal);
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

}  // namespace

std::vector<config::Remark> TryFields(const FirstRecords& records,
                                      const transform::GraphSpec& graph, double max_bad_fraction) {
  std::vector<config::Remark> remarks;
  for (size_t i = 0; i < graph.size(); ++i) {
    const transform::OpSpec& op = graph[i].value;
    const transform::ReadFields read = op->Reads();
    for (size_t c = 0; c < read.names.size(); ++c) {
      auto remark = TryColumn(records, *op, read.names[c], max_bad_fraction);
      if (!remark) continue;
      remark->path = fmt::format("[{}].{}.{}[{}]", i, op.type(), read.key, c);
      remarks.push_back(*std::move(remark));
    }
  }
  return remarks;
}

}  // namespace tidemill::supervisor
