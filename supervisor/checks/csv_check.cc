#include "supervisor/checks/csv_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/config.h"
#include "records/text.h"
#include "supervisor/checks/expression_check.h"
#include "supervisor/checks/layout_check.h"
#include "supervisor/checks/value_check.h"

namespace tidemill::supervisor {
namespace {

// A label that this share of the records has is not a mistake in the data but in the spec.
constexpr double kNotedShare = 0.05;

// The columns that a spec names, each with the path of its key.
std::map<std::string, std::string> NamedKeys(const storage::DatasetSpec& spec) {
  std::map<std::string, std::string> named;
  if (spec.event_time.column) named["event_time.column"] = *spec.event_time.column;
  for (size_t i = 0; i < spec.event_time.columns.size(); ++i) {
    named[fmt::format("event_time.columns[{}]", i)] = spec.event_time.columns[i];
  }
  if (spec.label.column) named["label.column"] = *spec.label.column;
  if (spec.series && spec.series->group) named["series.group"] = *spec.series->group;
  if (spec.series && spec.series->target) named["series.target"] = *spec.series->target;
  return named;
}

std::vector<config::Remark> FindMissingColumns(const FirstRecords& records,
                                               const storage::DatasetSpec& spec) {
  std::vector<config::Remark> missing;
  for (const auto& [path, column] : NamedKeys(spec)) {
    if (std::ranges::find(records.columns, column) != records.columns.end()) continue;
    missing.push_back({.path = path,
                       .message = fmt::format("{} has no column '{}'", records.file, column),
                       .hint = HintForColumn(column, records.columns)});
  }
  return missing;
}

// The class that a value was meant for. Short words are all close to each other, so only one letter
// may be wrong in them.
std::optional<std::string> MeantBy(const std::string& value,
                                   const std::vector<std::string>& classes) {
  auto close = config::ClosestTo(value, classes);
  if (!close || value.size() > 3) return close;
  const bool same_length = close->size() == value.size();
  const auto differ = [](char a, char b) { return a != b; };
  const int num_wrong = same_length ? std::inner_product(value.begin(), value.end(), close->begin(),
                                                         0, std::plus<>(), differ)
                                    : 2;
  return num_wrong <= 1 ? close : std::nullopt;
}

std::string HintForClass(const std::string& value, const std::vector<std::string>& classes) {
  std::string_view trimmed = value;
  trimmed.remove_prefix(std::min(trimmed.size(), trimmed.find_first_not_of(" \t")));
  trimmed = trimmed.substr(0, trimmed.find_last_not_of(" \t") + 1);
  if (trimmed.size() < value.size() && std::ranges::count(classes, trimmed) > 0) {
    return "there are blanks around the class: write trim: true in the format";
  }
  if (const auto close = MeantBy(value, classes)) {
    return fmt::format("write {} for '{}'", Quoted(value), *close);
  }
  return fmt::format("add {}, or name it in label.missing if it is not a label", Quoted(value));
}

// Labels that are not among the classes.
std::vector<config::Remark> FindUnknownClasses(const FirstRecords& records,
                                               const storage::LabelSpec& label) {
  std::vector<config::Remark> remarks;
  if (!label.column || label.classes.empty()) return remarks;
  const auto place = static_cast<size_t>(std::ranges::find(records.columns, *label.column) -
                                         records.columns.begin());
  std::map<std::string, size_t> unknown;
  for (const FirstRecord& record : records.records) {
    if (record.fields.size() != records.columns.size()) continue;
    const std::string& value = record.fields[place];
    const bool is_class = std::ranges::find(label.classes, value) != label.classes.end();
    if (!is_class && !label.SaysMissing(value)) ++unknown[value];
  }
  for (const auto& [value, count] : unknown) {
    if (static_cast<double>(count) < kNotedShare * static_cast<double>(records.records.size())) {
      continue;
    }
    remarks.push_back({.path = "label.classes",
                       .message = fmt::format("{} has the label {}, which is not among the classes",
                                              records.file, Quoted(value)),
                       .hint = HintForClass(value, label.classes)});
  }
  return remarks;
}

// Labels that are whole numbers, if the spec names no classes.
std::vector<NumberedClass> FindNumberedClasses(const FirstRecords& records,
                                               const storage::LabelSpec& label) {
  constexpr size_t kMaxClasses = 10'000;
  std::vector<NumberedClass> found;
  if (!label.column || !label.classes.empty()) return found;
  const auto place = static_cast<size_t>(std::ranges::find(records.columns, *label.column) -
                                         records.columns.begin());
  std::set<int64_t> seen;
  for (const FirstRecord& record : records.records) {
    int64_t number = 0;
    if (record.fields.size() != records.columns.size()) continue;
    if (label.SaysMissing(record.fields[place])) continue;
    if (!absl::SimpleAtoi(record.fields[place], &number) || seen.size() >= kMaxClasses) continue;
    if (!seen.insert(number).second) continue;
    found.push_back({number, fmt::format("{}, line {}", records.file, record.line)});
  }
  return found;
}

void Append(std::vector<config::Remark> more, std::vector<config::Remark>& remarks) {
  std::ranges::move(more, std::back_inserter(remarks));
}

}  // namespace

CsvFindings CheckCsv(const FileStart& start, const storage::DatasetSpec& spec, bool live) {
  const storage::DelimitedText text = spec.format->Delimited().value_or(storage::DelimitedText());
  const std::span<const std::string> columns = spec.format->Columns();
  CsvFindings found;
  if (auto problem = FindLayoutProblem(start, text)) {
    // The header of a live run's file may be still to come.
    problem->is_error = !live || start.bytes.find_first_of("\r\n") != std::string::npos;
    found.remarks.push_back(*std::move(problem));
    return found;
  }
  FirstRecords records = CutRecords(start, text, columns);
  if (text.header && !records.has_header) return found;
  if (text.header && !columns.empty() && !std::ranges::equal(columns, records.columns)) {
    found.remarks.push_back({.path = "format.columns",
                             .message = fmt::format("are not the columns of {}: {}", records.file,
                                                    fmt::join(records.columns, ", ")),
                             .hint = "leave `columns` out to use those of the header"});
    return found;
  }
  if (auto cause = ExplainMissingColumns(start, records, spec)) {
    found.remarks.push_back(*std::move(cause));
    return found;
  }
  found.columns = records.columns;
  found.remarks = FindMissingColumns(records, spec);
  Append(CheckExpressions(records.file, records.columns, spec), found.remarks);
  if (!found.remarks.empty()) return found;
  if (spec.where) {
    // It is not known here which records remain: the records that are tried as samples show it.
    records.records.clear();
    found.records = std::move(records);
    return found;
  }
  const bool all_seen = start.whole && spec.files.find_first_of("*?") == std::string::npos;
  if (all_seen && records.records.empty() && !live) {
    found.remarks.push_back({.path = "files",
                             .message = fmt::format("{} has no records", records.file),
                             .hint = "name a file that has records"});
  }
  std::vector<config::Remark> unknown = FindUnknownClasses(records, spec.label);
  TriedValues tried = TryValues(records, spec);
  // Said already, of each value.
  if (!unknown.empty()) {
    std::erase_if(tried.remarks, [&](const config::Remark& remark) {
      return remark.path == unknown.front().path;
    });
  }
  Append(std::move(unknown), found.remarks);
  Append(std::move(tried.remarks), found.remarks);
  found.facts.times = std::move(tried.times);
  if (all_seen) found.facts.num_samples = std::ssize(records.records);
  found.facts.classes = FindNumberedClasses(records, spec.label);
  found.records = std::move(records);
  return found;
}

}  // namespace tidemill::supervisor
