#include "evaluator/windows/slice_columns.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "fmt/ranges.h"

#include "base/digest.h"
#include "base/numbers/written_number.h"
#include "base/time.h"

namespace tidemill::evaluator {
namespace {

constexpr size_t kMaxValues = 10'000;
constexpr size_t kMaxLabelBytes = 80;
constexpr size_t kMaxKeyBytes = 256;
constexpr char kOtherLabel[] = "other";

// Bytes of the well-formed UTF-8 character that `text` begins with; 0 when there is none.
size_t CharacterBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t bytes = first < 0x80   ? 1
                       : first < 0xC2 ? 0
                       : first < 0xE0 ? 2
                       : first < 0xF0 ? 3
                                      : 4;
  if (bytes == 0 || first > 0xF4 || bytes > text.size()) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  if (bytes < 3) return bytes;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : bytes;
}

// A value as messages, tables and databases take it.
std::string Cleaned(std::string_view value) {
  std::string label;
  while (!value.empty()) {
    const size_t bytes = CharacterBytes(value);
    const bool control = bytes == 1 && (value.front() < ' ' || value.front() == '\x7f');
    const size_t taken = std::max<size_t>(bytes, 1);
    if (label.size() + taken > kMaxLabelBytes) break;
    label += bytes == 0 || control ? std::string_view("?") : value.substr(0, bytes);
    value.remove_prefix(taken);
  }
  return label;
}

std::vector<std::string> BinLabels(const std::vector<double>& bins) {
  std::vector<std::string> labels;
  if (bins.empty()) return labels;
  labels.push_back(fmt::format("<{}", bins.front()));
  for (size_t i = 1; i < bins.size(); ++i) {
    labels.push_back(fmt::format("[{},{})", bins[i - 1], bins[i]));
  }
  labels.push_back(fmt::format(">={}", bins.back()));
  return labels;
}

int32_t BinOf(std::string_view text, const NumberNotation& notation,
              const std::vector<double>& bins) {
  double number = 0;
  // An infinite number is in the last bin, or in the first one.
  const auto problem = ParseWrittenNumber(text, notation, number);
  if (problem && (problem != "is not a finite number" || std::isnan(number))) {
    return SliceColumns::kOther;
  }
  return static_cast<int32_t>(std::upper_bound(bins.begin(), bins.end(), number) - bins.begin());
}

}  // namespace

SliceColumns::SliceColumns(const transform::SampleSchema& samples, std::vector<Column> columns)
    : payload_(samples.payload),
      is_series_(samples.history > 1),
      numbers_(samples.csv.numbers),
      rows_(samples.csv),
      fields_(samples.csv, samples.columns ? samples.columns->size() : 0),
      json_(NamesOf(columns)),
      values_(columns.size()),
      columns_(std::move(columns)) {}

std::vector<std::string> SliceColumns::NamesOf(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

absl::StatusOr<SliceColumns> SliceColumns::Make(std::span<const SliceSpec> slices,
                                                const transform::SampleSchema& samples,
                                                const storage::DatasetSpec* dataset) {
  std::vector<Column> columns;
  for (const SliceSpec& slice : slices) {
    if (const auto* by_column = std::get_if<ColumnSlices>(&slice)) {
      ASSIGN_OR_RETURN(Column column, ColumnOf(*by_column, samples));
      columns.push_back(std::move(column));
    } else if (const auto* by_expression = std::get_if<ExpressionSlices>(&slice)) {
      ASSIGN_OR_RETURN(Column column, ColumnOf(*by_expression, dataset));
      columns.push_back(std::move(column));
    }
  }
  return SliceColumns(samples, std::move(columns));
}

absl::StatusOr<SliceColumns::Column> SliceColumns::ColumnOf(
    const ColumnSlices& spec, const transform::SampleSchema& samples) {
  Column column{.name = spec.name, .bins = spec.bins, .labels = BinLabels(spec.bins)};
  if (samples.payload == transform::PayloadKind::kCsv && samples.columns) {
    const auto found = std::find(samples.columns->begin(), samples.columns->end(), spec.name);
    if (found == samples.columns->end()) {
      return InvalidArgument("there is no column {} for slices; the columns are {}", spec.name,
                             fmt::join(*samples.columns, ", "));
    }
    column.field = static_cast<size_t>(found - samples.columns->begin());
  } else if (samples.payload != transform::PayloadKind::kJson) {
    return FailedPrecondition("slices by the column {} need a dataset with format csv or jsonl",
                              spec.name);
  }
  return column;
}

absl::StatusOr<SliceColumns::Column> SliceColumns::ColumnOf(const ExpressionSlices& spec,
                                                            const storage::DatasetSpec* dataset) {
  if (dataset == nullptr) return Internal("slices by expressions need the spec of the dataset");
  Column column{.name = spec.Name(), .bins = spec.bins, .labels = BinLabels(spec.bins)};
  ASSIGN_OR_RETURN(samples::SampleExpression expression,
                   samples::SampleExpression::Make(*dataset, spec.value, std::nullopt));
  column.expression = std::make_shared<samples::SampleExpression>(std::move(expression));
  return column;
}

absl::Status SliceColumns::Compute(const batch::Batch& samples, Column& column,
                                   std::vector<int32_t>& numbers) {
  const auto add = [&](const auto& values, const auto& write) {
    for (const auto& value : values) {
      numbers.push_back(expressions::IsNull(value) ? kOther : write(value));
    }
  };
  const auto number_of = [&](double value) {
    if (column.bins.empty()) return NumberOf(fmt::format("{}", value), column);
    const auto bin = std::upper_bound(column.bins.begin(), column.bins.end(), value);
    return static_cast<int32_t>(bin - column.bins.begin());
  };
  return column.expression->Run(samples, [&](int64_t, const expressions::Evaluation& results) {
    switch (column.expression->type()) {
      case expressions::Type::kNumber:
        return add(results.Values<double>(), number_of);
      case expressions::Type::kWhole:
        return add(results.Values<int64_t>(), [&](int64_t value) {
          return column.bins.empty() ? NumberOf(std::to_string(value), column)
                                     : number_of(static_cast<double>(value));
        });
      case expressions::Type::kTruth:
        return add(results.Values<expressions::Truth>(), [&](expressions::Truth value) {
          return NumberOf(value == expressions::Truth::kTrue ? "true" : "false", column);
        });
      case expressions::Type::kText:
        return add(results.Values<std::string_view>(),
                   [&](std::string_view value) { return NumberOf(value, column); });
      case expressions::Type::kTime:
        return add(results.Values<int64_t>(),
                   [&](int64_t value) { return NumberOf(FormatTimestampShort({value}), column); });
    }
  });
}

int32_t SliceColumns::NumberOf(std::string_view text, Column& column) {
  if (!column.bins.empty()) return BinOf(text, numbers_.Of(column.name), column.bins);
  // Long values are remembered by their digest. No label shows more of them than their front.
  const std::string digest = text.size() > kMaxKeyBytes ? Cleaned(text) + Sha256(text) : "";
  const std::string_view value = digest.empty() ? text : digest;
  if (const auto known = column.by_value.find(value); known != column.by_value.end()) {
    return known->second;
  }
  if (column.by_value.size() >= kMaxValues) return kOther;
  std::string label = Cleaned(text);
  int32_t number = kOther;
  if (label != kOtherLabel) {
    const auto [at, is_new] =
        column.by_label.try_emplace(label, static_cast<int32_t>(column.labels.size()));
    number = at->second;
    if (is_new) column.labels.push_back(std::move(label));
  }
  column.by_value.emplace(value, number);
  return number;
}

absl::StatusOr<std::vector<std::vector<int32_t>>> SliceColumns::Read(const batch::Batch& samples) {
  std::vector<std::vector<int32_t>> numbers(columns_.size());
  for (auto& column : numbers) column.reserve(static_cast<size_t>(samples.num_rows()));
  std::vector<size_t> plain;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].expression == nullptr) {
      plain.push_back(i);
    } else {
      RETURN_IF_ERROR(Compute(samples, columns_[i], numbers[i]));
    }
  }
  if (plain.empty()) return numbers;
  ASSIGN_OR_RETURN(const batch::Column* payload,
                   samples.Get(batch::kPayloadColumn, batch::DataType::kBinary));
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    ReadRecord(payload->Bytes(row));
    for (const size_t i : plain) {
      numbers[i].push_back(values_[i] ? NumberOf(*values_[i], columns_[i]) : kOther);
    }
  }
  return numbers;
}

void SliceColumns::ReadRecord(std::string_view payload) {
  std::fill(values_.begin(), values_.end(), std::nullopt);
  if (payload_ == transform::PayloadKind::kJson) {
    ReadJson(payload);
  } else {
    ReadCsv(payload);
  }
}

void SliceColumns::ReadCsv(std::string_view payload) {
  if (is_series_) {
    const auto records = rows_.Split(payload);
    if (records.empty()) return;
    payload = records.back();
  }
  if (fields_.Split(payload) != transform::CsvFields::Result::kOk) return;
  for (size_t i = 0; i < columns_.size(); ++i) values_[i] = fields_.fields()[columns_[i].field];
}

void SliceColumns::ReadJson(std::string_view payload) {
  if (is_series_) {
    while (!payload.empty() && (payload.back() == '\n' || payload.back() == '\r')) {
      payload.remove_suffix(1);
    }
    payload.remove_prefix(payload.rfind('\n') + 1);
  }
  if (!json_.Read(payload).ok()) return;
  using Kind = JsonValue::Kind;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const JsonValue& value = json_.values()[i];
    const bool plain =
        value.kind == Kind::kText || value.kind == Kind::kNumber || value.kind == Kind::kBool;
    if (plain) values_[i] = value.text;
  }
}

std::string SliceColumns::Label(size_t column, int32_t value) const {
  const Column& of = columns_[column];
  return of.name + "=" + (value < 0 ? kOtherLabel : of.labels[static_cast<size_t>(value)]);
}

}  // namespace tidemill::evaluator
