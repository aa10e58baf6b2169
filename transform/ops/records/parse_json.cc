#include "transform/ops/records/parse_json.h"

#include <algorithm>
#include <limits>

#include "records/json_fields.h"
#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/records/number_text.h"

namespace tidemill::transform {
namespace {

using JsonKind = JsonValue::Kind;
constexpr std::string_view kNull = "null";

// Cuts a payload into its lines, blank ones left out. Views of the payload.
void SplitLines(std::string_view payload, std::vector<std::string_view>& lines) {
  lines.clear();
  while (!payload.empty()) {
    const std::string_view line = payload.substr(0, payload.find('\n'));
    payload.remove_prefix(std::min(payload.size(), line.size() + 1));
    if (!Trim(line).empty()) lines.push_back(line);
  }
}

class ParseJsonOp final : public Op {
 public:
  ParseJsonOp(const ParseJsonSpec& spec, int64_t history, std::vector<BoundColumn> columns)
      : spec_(spec),
        history_(history),
        rows_(RangeOf(spec.rows, history)),
        columns_(std::move(columns)),
        null_is_missing_(std::ranges::find(spec.missing, kNull) != spec.missing.end()) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    ASSIGN_OR_RETURN(const batch::Column* payload,
                     frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary));
    switch (spec_.dtype) {
      case CsvType::kFloat32:
        RunNumbers<float>(*payload, frame);
        break;
      case CsvType::kFloat64:
        RunNumbers<double>(*payload, frame);
        break;
      case CsvType::kInt64:
        RunNumbers<int64_t>(*payload, frame);
        break;
      case CsvType::kString:
        RunText(*payload, frame);
        break;
    }
    return absl::OkStatus();
  }

  bool reads_records() const override { return true; }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const StepId given = graph.Give(
          columns_[i], fmt::format("the field `{}` of {}", spec_.fields[i], Describe(spec_.rows)));
      const bool is_float = IsFloat(columns_[i].schema.type);
      if (is_float && spec_.missing.empty()) graph.RejectNonFinite(given);
    }
    return absl::OkStatus();
  }

 private:
  // Calls take(fields, n) with the n-th of the lines that the op reads of a sample. A problem of a
  // line, or one that take() returns, rejects the row.
  template <typename Take>
  void EachLine(std::string_view payload, int64_t row, std::vector<std::string_view>& lines,
                JsonFields& fields, Frame& frame, const Take& take) const {
    if (history_ == 1) {
      lines.assign(1, payload);
    } else {
      SplitLines(payload, lines);
    }
    if (std::ssize(lines) != history_) {
      frame.Reject(row, fmt::format("the sample has {} lines, but the series has {} rows",
                                    lines.size(), history_));
      return;
    }
    for (int64_t n = 0; n < rows_.count; ++n) {
      const absl::Status status = fields.Read(lines[static_cast<size_t>(rows_.first + n)]);
      if (!status.ok()) {
        frame.Reject(row, fmt::format("the sample {}", std::string(status.message())));
        return;
      }
      if (!take(fields.values(), n)) return;
    }
  }

  bool IsMissing(const JsonValue& value) const {
    if (spec_.missing.empty()) return false;
    const bool is_null = value.kind == JsonKind::kNull || value.kind == JsonKind::kAbsent;
    if (is_null && null_is_missing_) return true;
    if (value.kind == JsonKind::kAbsent) return false;
    if (value.kind == JsonKind::kNested) return false;
    return std::ranges::find(spec_.missing, Trim(value.text)) != spec_.missing.end();
  }

  // Rejects the row unless the field holds a scalar.
  bool IsScalar(const JsonValue& value, size_t field, int64_t row, Frame& frame) const {
    const std::string& name = spec_.fields[field];
    if (value.kind == JsonKind::kAbsent)
      frame.Reject(row, fmt::format("there is no field {}", name));
    if (value.kind == JsonKind::kNull)
      frame.Reject(row, fmt::format("field {} is {}", name, value.text));
    if (value.kind == JsonKind::kNested) {
      frame.Reject(row, fmt::format("field {} is a list or an object", name));
    }
    return value.kind == JsonKind::kText || value.kind == JsonKind::kNumber ||
           value.kind == JsonKind::kBool;
  }

  template <typename T>
  bool Read(const JsonValue& value, size_t field, int64_t row, T& number, Frame& frame) const {
    if (IsMissing(value)) {
      number = std::numeric_limits<T>::quiet_NaN();
      return true;
    }
    if (!IsScalar(value, field, row, frame)) return false;
    if (value.kind == JsonKind::kBool) {
      number = value.text == "true" ? 1 : 0;
      return true;
    }
    const std::optional<std::string_view> problem = ParseNumber(value.text, number);
    if (!problem) return true;
    frame.Reject(row,
                 fmt::format("field {}: {} {}", spec_.fields[field], Quoted(value.text), *problem));
    return false;
  }

  template <typename T>
  void RunNumbers(const batch::Column& payload, Frame& frame) const {
    std::vector<batch::Column> made;
    std::vector<T*> numbers;
    for (const BoundColumn& column : columns_) {
      made.push_back(NewColumn<T>(column.schema.name, frame.num_rows(), column.schema.shape));
      numbers.push_back(made.back().data.template MutableAs<T>().data());
    }
    JsonFields fields(spec_.fields);
    std::vector<std::string_view> lines;
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      const auto take = [&](std::span<const JsonValue> values, int64_t n) {
        for (size_t i = 0; i < values.size(); ++i) {
          if (!Read(values[i], i, row, numbers[i][row * rows_.count + n], frame)) return false;
        }
        return true;
      };
      EachLine(payload.Bytes(row), row, lines, fields, frame, take);
    }
    for (size_t i = 0; i < columns_.size(); ++i) frame.Set(columns_[i].slot, std::move(made[i]));
  }

  void RunText(const batch::Column& payload, Frame& frame) const {
    std::vector<TextColumn> made;
    for (size_t i = 0; i < columns_.size(); ++i) made.emplace_back(frame.num_rows());
    JsonFields fields(spec_.fields);
    std::vector<std::string_view> lines;
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      const auto take = [&](std::span<const JsonValue> values, int64_t) {
        for (size_t i = 0; i < values.size(); ++i) {
          if (IsMissing(values[i])) continue;
          if (!IsScalar(values[i], i, row, frame)) return false;
          made[i].Append(values[i].text);
        }
        return true;
      };
      if (!frame.IsBad(row)) EachLine(payload.Bytes(row), row, lines, fields, frame, take);
      for (TextColumn& column : made) column.EndRow(row);
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      frame.Set(columns_[i].slot, made[i].Finish(columns_[i].schema.name));
    }
  }

  const ParseJsonSpec spec_;
  const int64_t history_;
  const RowRange rows_;
  const std::vector<BoundColumn> columns_;
  const bool null_is_missing_;
};

}  // namespace

std::unique_ptr<Op> ParseJsonSpec::Build(OpBuilder& builder) const {
  const SampleSchema& samples = builder.samples();
  if (samples.payload != PayloadKind::kJson && samples.payload != PayloadKind::kFile) {
    builder.Problem("", "parse_json needs a dataset of JSON objects",
                    "use parse_csv, parse_record or parse_example, or format: {type: jsonl}");
  }
  if (fields.empty()) builder.Problem("fields", "is empty", "name at least one field");
  if (!missing.empty() && dtype == CsvType::kInt64) {
    builder.Problem("missing", "has no meaning for int64", "parse floats, or leave it out");
  }
  CheckRows(builder, rows, dtype == CsvType::kString);
  std::vector<BoundColumn> columns;
  for (const std::string& name : fields) {
    columns.push_back(builder.Output("fields", {.name = name + suffix,
                                                .type = ColumnType(dtype),
                                                .shape = ShapeOf(rows, samples.history)}));
  }
  return std::make_unique<ParseJsonOp>(*this, samples.history, std::move(columns));
}

}  // namespace tidemill::transform
