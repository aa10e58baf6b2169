#include "transform/ops/parse_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fmt/ranges.h"

#include "transform/engine/numbers.h"
#include "transform/ops/csv_fields.h"

namespace tidemill::transform {
namespace {

// A column to make and the field that it comes from.
struct Target {
  size_t field = 0;
  BoundColumn column;
};

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// What keeps `text` from being a T; absent when `value` was set.
template <typename T>
std::optional<std::string_view> ParseNumber(std::string_view text, T& value) {
  text = Trim(text);
  if (text.empty()) return "is empty";
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return "is out of range";
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::is_integral_v<T> ? "is not a whole number" : "is not a number";
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return "is not a finite number";
  }
  return std::nullopt;
}

class ParseCsvOp final : public Op {
 public:
  ParseCsvOp(const SampleSchema& samples, CsvType dtype, std::vector<Target> targets)
      : samples_(samples), dtype_(dtype), targets_(std::move(targets)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    if (!samples_.columns.has_value()) {
      return FailedPrecondition("the dataset's column names are not known yet");
    }
    ASSIGN_OR_RETURN(const batch::Column* payload,
                     frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary));
    switch (dtype_) {
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

 private:
  CsvFields NewFields() const {
    return {samples_.delimiter, samples_.quote, samples_.columns->size()};
  }

  // Splits one record; rejects the row and returns false when that fails.
  bool SplitRow(const batch::Column& payload, int64_t row, CsvFields& fields, Frame& frame) const {
    switch (fields.Split(payload.Bytes(row))) {
      case CsvFields::Result::kOk:
        return true;
      case CsvFields::Result::kWrongCount:
        frame.Reject(row, fmt::format("the record has {} fields where the dataset has {} columns",
                                      fields.num_found(), samples_.columns->size()));
        return false;
      case CsvFields::Result::kBadQuote:
        frame.Reject(
            row, fmt::format("field {} of the record is not quoted well", fields.num_found() + 1));
        return false;
    }
    return false;
  }

  // Parses the fields of one row into `columns`; the first that is bad rejects the row.
  template <typename T>
  void ParseRow(std::span<const std::string_view> fields, std::span<T* const> columns, int64_t row,
                Frame& frame) const {
    for (size_t i = 0; i < targets_.size(); ++i) {
      const std::string_view text = fields[targets_[i].field];
      const std::optional<std::string_view> problem = ParseNumber(text, columns[i][row]);
      if (!problem.has_value()) continue;
      frame.Reject(row, fmt::format("column {}: {} {}", targets_[i].column.schema.name,
                                    Quoted(text), *problem));
      return;
    }
  }

  template <typename T>
  void RunNumbers(const batch::Column& payload, Frame& frame) const {
    std::vector<batch::Column> columns;
    std::vector<T*> values;
    for (const Target& target : targets_) {
      columns.push_back(NewColumn<T>(target.column.schema.name, frame.num_rows(), {}));
      values.push_back(columns.back().data.template MutableAs<T>().data());
    }
    CsvFields fields = NewFields();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row) || !SplitRow(payload, row, fields, frame)) continue;
      ParseRow<T>(fields.fields(), values, row, frame);
    }
    for (size_t i = 0; i < targets_.size(); ++i) {
      frame.Set(targets_[i].column.slot, std::move(columns[i]));
    }
  }

  void RunText(const batch::Column& payload, Frame& frame) const {
    std::vector<std::string> bytes(targets_.size());
    std::vector<batch::Buffer> offsets;
    for (size_t i = 0; i < targets_.size(); ++i) {
      offsets.push_back(batch::Buffer::Allocate((frame.num_rows() + 1) * sizeof(int64_t)));
    }
    CsvFields fields = NewFields();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      const bool good = !frame.IsBad(row) && SplitRow(payload, row, fields, frame);
      for (size_t i = 0; i < targets_.size(); ++i) {
        if (good) bytes[i].append(fields.fields()[targets_[i].field]);
        offsets[i].MutableAs<int64_t>()[row + 1] = static_cast<int64_t>(bytes[i].size());
      }
    }
    for (size_t i = 0; i < targets_.size(); ++i) {
      frame.Set(targets_[i].column.slot, {.name = targets_[i].column.schema.name,
                                          .type = batch::DataType::kBinary,
                                          .data = batch::Buffer::FromString(std::move(bytes[i])),
                                          .offsets = std::move(offsets[i])});
    }
  }

  const SampleSchema samples_;
  const CsvType dtype_;
  const std::vector<Target> targets_;
};

batch::DataType ColumnType(CsvType type) {
  switch (type) {
    case CsvType::kFloat32:
      return batch::DataType::kFloat32;
    case CsvType::kFloat64:
      return batch::DataType::kFloat64;
    case CsvType::kInt64:
      return batch::DataType::kInt64;
    case CsvType::kString:
      return batch::DataType::kBinary;
  }
  return batch::DataType::kBinary;
}

// The place of a column in a record; 0 while that is not known. Reports a column that is not there.
size_t FieldOf(const std::string& name, OpBuilder& builder) {
  const SampleSchema& samples = builder.samples();
  if (samples.payload != PayloadKind::kCsv || !samples.columns.has_value()) return 0;
  const auto found = std::find(samples.columns->begin(), samples.columns->end(), name);
  if (found == samples.columns->end()) {
    builder.Problem("columns", fmt::format("the dataset has no column {}", name),
                    fmt::format("its columns are {}", fmt::join(*samples.columns, ", ")));
  }
  return found - samples.columns->begin();
}

}  // namespace

std::unique_ptr<Op> ParseCsvSpec::Build(OpBuilder& builder) const {
  const SampleSchema& samples = builder.samples();
  if (samples.payload != PayloadKind::kCsv) {
    builder.Problem("", "parse_csv needs a dataset of format csv",
                    "use parse_record for binary records, decode_image for image files");
  }
  if (columns.empty()) builder.Problem("columns", "is empty", "name at least one column");
  std::vector<Target> targets;
  for (const std::string& name : columns) {
    const size_t field = FieldOf(name, builder);
    targets.push_back(
        {field, builder.Output("columns", {.name = name, .type = ColumnType(dtype)})});
  }
  return std::make_unique<ParseCsvOp>(samples, dtype, std::move(targets));
}

}  // namespace tidemill::transform
