#include "storage/fields/record_fields.h"

#include <algorithm>
#include <utility>

#include "fmt/ranges.h"

#include "config/documents/problems.h"

namespace tidemill::samples {

namespace {

// A single value as text.
std::optional<std::string> TextOfFeature(const ExampleFeature& feature) {
  if (feature.size() != 1) return std::nullopt;
  if (!feature.bytes.empty()) return std::string(feature.bytes.front());
  if (!feature.ints.empty()) return std::to_string(feature.ints.front());
  return fmt::format("{}", feature.floats.front());
}

std::vector<std::string> ColumnsOf(const storage::DatasetSpec& spec) {
  const std::span<const std::string> columns = spec.format->Columns();
  return {columns.begin(), columns.end()};
}

absl::Status NoSuchColumn(const std::string& name, const std::vector<std::string>& columns) {
  const std::string guess = config::DidYouMean(name, columns);
  return InvalidArgument(
      "there is no column '{}'{}{}; the columns are {}, and @key, @file, @time and @label", name,
      guess.empty() ? "" : "; ", guess, fmt::join(columns, ", "));
}

}  // namespace

RecordFields::RecordFields(const storage::DatasetSpec& spec, std::vector<std::string> names)
    : payload_(spec.format->Payload()),
      names_(std::move(names)),
      columns_(ColumnsOf(spec)),
      delimited_(spec.format->Delimited().value_or(storage::DelimitedText{})),
      splitter_(delimited_.dialect, static_cast<size_t>(delimited_.max_record_bytes)),
      json_(names_),
      example_(names_),
      texts_(names_.size()),
      fields_(names_.size()) {}

absl::StatusOr<RecordFields> RecordFields::Make(const storage::DatasetSpec& spec,
                                                std::vector<std::string> names) {
  RecordFields fields(spec, std::move(names));
  const bool is_csv = fields.payload_ == batch::PayloadKind::kCsv;
  for (const std::string& name : fields.names_) {
    if (!is_csv) break;
    const auto found = std::ranges::find(fields.columns_, name);
    if (found == fields.columns_.end()) return NoSuchColumn(name, fields.columns_);
    fields.places_.push_back(static_cast<size_t>(found - fields.columns_.begin()));
  }
  return fields;
}

void RecordFields::Visit(std::string_view payload, const Visitor& visit) {
  switch (payload_) {
    case batch::PayloadKind::kCsv:
      return VisitCsv(payload, visit);
    case batch::PayloadKind::kJson:
      return VisitJson(payload, visit);
    case batch::PayloadKind::kTfRecord:
      return VisitExample(payload, visit);
    default:
      std::ranges::fill(fields_, std::nullopt);
      visit(fields_);
  }
}

void RecordFields::VisitCsv(std::string_view payload, const Visitor& visit) {
  while (!payload.empty()) {
    splitter_.First(payload, /*last=*/true, record_);
    if (record_.size == 0) return;
    payload.remove_prefix(record_.size);
    if (record_.kind == CsvRecord::Kind::kBlank) continue;
    std::ranges::fill(fields_, std::nullopt);
    const bool is_good = record_.kind == CsvRecord::Kind::kRecord;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!is_good || places_[i] >= record_.fields.size()) continue;
      const CsvField& field = record_.fields[places_[i]];
      if (!field.quoted) {
        fields_[i] = field.text;
        continue;
      }
      texts_[i] = Unquote(field, delimited_.dialect.quote);
      fields_[i] = texts_[i];
    }
    if (!visit(fields_)) return;
  }
}

void RecordFields::VisitJson(std::string_view payload, const Visitor& visit) {
  while (!payload.empty()) {
    const size_t end = std::min(payload.find('\n'), payload.size());
    const std::string_view line = payload.substr(0, end);
    payload.remove_prefix(std::min(end + 1, payload.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::ranges::fill(fields_, std::nullopt);
    if (json_.Read(line).ok()) {
      for (size_t i = 0; i < names_.size(); ++i) {
        const JsonValue& value = json_.values()[i];
        if (IsSingle(value)) fields_[i] = value.text;
      }
    }
    if (!visit(fields_)) return;
  }
}

void RecordFields::VisitExample(std::string_view payload, const Visitor& visit) {
  std::ranges::fill(fields_, std::nullopt);
  if (example_.Read(payload).ok()) {
    for (size_t i = 0; i < names_.size(); ++i) {
      std::optional<std::string> text = TextOfFeature(example_.feature(i));
      if (!text) continue;
      texts_[i] = *std::move(text);
      fields_[i] = texts_[i];
    }
  }
  visit(fields_);
}

std::vector<std::string> RecordFields::NamesIn(std::string_view payload) const {
  if (payload_ != batch::PayloadKind::kJson) return columns_;
  return JsonFieldNames(payload.substr(0, payload.find('\n')));
}

}  // namespace tidemill::samples
