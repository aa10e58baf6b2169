#include "transform/ops/records/parse_csv.h"

#include <algorithm>
#include <limits>

#include "fmt/ranges.h"

#include "config/documents/problems.h"
#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/records/csv_fields.h"
#include "transform/ops/records/csv_rows.h"
#include "transform/ops/records/number_text.h"

namespace tidemill::transform {
namespace {

// A column to make and the field that it comes from.
struct CsvTarget {
  size_t field = 0;
  BoundColumn column;
  NumberNotation notation;  // How numbers are written in this field.
};

class ParseCsvOp final : public Op {
 public:
  ParseCsvOp(const SampleSchema& samples, const ParseCsvSpec& spec, std::vector<CsvTarget> targets)
      : samples_(samples),
        dtype_(spec.dtype),
        rows_kind_(spec.rows),
        rows_(RangeOf(spec.rows, samples.history)),
        missing_(spec.missing),
        targets_(std::move(targets)) {}

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

  bool reads_records() const override { return true; }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    OpEffect effect;
    for (const CsvTarget& target : targets_) {
      const batch::DataType type = target.column.schema.type;
      effect.made.push_back(missing_.empty() ? FiniteRangeOfType(type) : RangeOfType(type));
    }
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    for (const CsvTarget& target : targets_) {
      const std::string name =
          samples_.columns.has_value() ? (*samples_.columns)[target.field] : std::string();
      const StepId given = graph.Give(
          target.column, fmt::format("the field `{}` of {}", name, Describe(rows_kind_)));
      const bool is_float = IsFloat(target.column.schema.type);
      if (is_float && missing_.empty()) graph.RejectNonFinite(given);
    }
    return absl::OkStatus();
  }

 private:
  CsvFields NewFields() const { return {samples_.csv, samples_.columns->size()}; }

  // The records of a sample that the op takes; rejects the sample when it has not as many as it
  // should.
  std::span<const std::string_view> RecordsOf(const std::string_view& payload, int64_t row,
                                              CsvRows& records, Frame& frame) const {
    // Without a series the payload is the record, whatever it contains.
    if (samples_.history == 1) return {&payload, 1};
    const std::span<const std::string_view> found = records.Split(payload);
    if (std::ssize(found) != samples_.history) {
      frame.Reject(row, fmt::format("the sample has {} records, but the series has {} rows",
                                    found.size(), samples_.history));
      return {};
    }
    return found.subspan(static_cast<size_t>(rows_.first), static_cast<size_t>(rows_.count));
  }

  // Splits one record; rejects the row and returns false when that fails.
  bool SplitRecord(std::string_view record, int64_t row, CsvFields& fields, Frame& frame) const {
    switch (fields.Split(record)) {
      case CsvFields::Result::kOk:
        return true;
      case CsvFields::Result::kWrongCount:
        frame.Reject(row, fmt::format("the record has {} fields, but the dataset has {} columns",
                                      fields.num_found(), samples_.columns->size()));
        return false;
      case CsvFields::Result::kBadQuote:
        frame.Reject(
            row, fmt::format("field {} of the record is not quoted well", fields.num_found() + 1));
        return false;
    }
    return false;
  }

  bool IsMissing(std::string_view text) const {
    if (missing_.empty()) return false;
    return std::find(missing_.begin(), missing_.end(), Trim(text)) != missing_.end();
  }

  // Parses the fields of one record into place `at` of `columns`; the first that is bad rejects the
  // row.
  template <typename T>
  void ParseRecord(std::span<const std::string_view> fields, std::span<T* const> columns,
                   int64_t at, int64_t row, Frame& frame) const {
    for (size_t i = 0; i < targets_.size(); ++i) {
      const std::string_view text = fields[targets_[i].field];
      if (IsMissing(text)) {
        columns[i][at] = std::numeric_limits<T>::quiet_NaN();
        continue;
      }
      const std::optional<std::string_view> problem =
          ParseWrittenNumber(text, targets_[i].notation, columns[i][at]);
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
    for (const CsvTarget& target : targets_) {
      const ColumnSchema& schema = target.column.schema;
      columns.push_back(NewColumn<T>(schema.name, frame.num_rows(), schema.shape));
      values.push_back(columns.back().data.template MutableAs<T>().data());
    }
    CsvFields fields = NewFields();
    CsvRows records(samples_.csv);
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      const std::string_view bytes = payload.Bytes(row);
      int64_t at = row * rows_.count;
      for (const std::string_view record : RecordsOf(bytes, row, records, frame)) {
        if (!SplitRecord(record, row, fields, frame)) break;
        ParseRecord<T>(fields.fields(), values, at++, row, frame);
      }
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
    CsvRows records(samples_.csv);
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      const std::string_view all = payload.Bytes(row);
      bool good = !frame.IsBad(row);
      if (good) {
        const auto taken = RecordsOf(all, row, records, frame);
        good = !taken.empty() && SplitRecord(taken.front(), row, fields, frame);
      }
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
  const Rows rows_kind_;
  const RowRange rows_;
  const std::vector<std::string> missing_;
  const std::vector<CsvTarget> targets_;
};

// The reason why a field is not a number of this type.
std::optional<std::string_view> ProblemOf(std::string_view text, CsvType type,
                                          const NumberNotation& notation) {
  if (type == CsvType::kInt64) {
    int64_t whole = 0;
    return ParseWrittenNumber(text, notation, whole);
  }
  if (type == CsvType::kFloat32) {
    float real = 0;
    return ParseWrittenNumber(text, notation, real);
  }
  double real = 0;
  return ParseWrittenNumber(text, notation, real);
}

// The setting of the dataset's format that would make the text a number; empty when nothing helps.
std::string HintForNotation(const std::string& column, std::string_view text,
                            const NumberNotations& numbers) {
  const std::optional<std::string_view> unit = UnitOf(text);
  if (!unit) return "";
  for (const auto& [decimal, thousands] : kUsualNotations) {
    const NumberNotation tried{
        .decimal = decimal, .thousands = thousands, .unit = std::string(*unit)};
    if (ProblemOf(text, CsvType::kFloat64, tried)) continue;
    std::vector<std::string> keys;
    if (decimal != numbers.decimal) keys.push_back(fmt::format("decimal: \"{}\"", decimal));
    if (thousands != '\0' && thousands != numbers.thousands) {
      keys.push_back(fmt::format("thousands: \"{}\"", thousands));
    }
    if (!unit->empty()) keys.push_back(fmt::format("units: {{{}: \"{}\"}}", column, *unit));
    return keys.empty() ? ""
                        : fmt::format("if it is a number, write {} in the dataset's format",
                                      fmt::join(keys, " and "));
  }
  return "";
}

std::string HintFor(const std::string& column, std::string_view text, const ParseCsvSpec& spec,
                    const NumberNotations& numbers) {
  const std::string_view trimmed = Trim(text);
  const bool whole = spec.dtype == CsvType::kInt64;
  const char other = numbers.decimal == '.' ? ',' : '.';
  const NumberNotation notation = numbers.Of(column);
  if (trimmed.find(other) != std::string_view::npos &&
      !ProblemOf(trimmed, CsvType::kFloat64, {.decimal = other})) {
    return numbers.decimal == '.'
               ? "this is a decimal comma: write decimal: \",\" in the dataset's format"
               : "this is a decimal point, but the dataset's format has decimal: \",\"";
  }
  const std::optional<std::string_view> of_double = ProblemOf(trimmed, CsvType::kFloat64, notation);
  if (!of_double) {
    return whole ? "write dtype: float32"
                 : "write dtype: float64, and make it smaller for the model, with log1p or clip";
  }
  constexpr std::string_view kWords[] = {"NA",   "N/A",  "na", "n/a", "NaN", "nan",    "null",
                                         "NULL", "None", "?",  "-",   ".",   "missing"};
  if (trimmed.empty() || std::ranges::find(kWords, trimmed) != std::ranges::end(kWords)) {
    std::vector<std::string> missing;
    for (const std::string& word : spec.missing) missing.push_back(fmt::format("\"{}\"", word));
    missing.push_back(fmt::format("\"{}\"", trimmed));
    return fmt::format("write {}missing: [{}], and use fill_missing for missing values",
                       whole ? "dtype: float32, " : "", fmt::join(missing, ", "));
  }
  if (of_double == "is out of range" || of_double == "is not a finite number") {
    return fmt::format("no type holds it: correct the file, or write missing: [\"{}\"]", trimmed);
  }
  if (std::string hint = HintForNotation(column, trimmed, numbers); !hint.empty()) return hint;
  return "this is text: read it with dtype: string, then one_hot or hash_buckets";
}

// The place of a column in a record; 0 while that is not known. Reports one that is not there at
// `key`.
size_t FieldOf(const std::string& name, std::string_view key, OpBuilder& builder) {
  const SampleSchema& samples = builder.samples();
  if (samples.payload != PayloadKind::kCsv || !samples.columns.has_value()) return 0;
  const auto found = std::find(samples.columns->begin(), samples.columns->end(), name);
  if (found == samples.columns->end()) {
    std::string hint = config::DidYouMean(name, *samples.columns);
    if (hint.empty()) hint = fmt::format("its columns are {}", fmt::join(*samples.columns, ", "));
    builder.Problem(key, fmt::format("the dataset has no column {}", name), hint);
  }
  return found - samples.columns->begin();
}

}  // namespace

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

std::unique_ptr<Op> ParseCsvSpec::Build(OpBuilder& builder) const {
  const SampleSchema& samples = builder.samples();
  if (samples.payload != PayloadKind::kCsv) {
    builder.Problem("", "parse_csv needs a dataset of format csv",
                    "use parse_json for JSON lines, parse_record for binary records");
  }
  if (columns.items.empty()) builder.Problem("columns", "is empty", "name at least one column");
  CheckRows(builder, rows, dtype == CsvType::kString);
  std::vector<CsvTarget> targets;
  const std::vector<std::string> names = builder.Fields("columns", columns);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const size_t field =
        FieldOf(name, columns.HasRules() ? "columns" : fmt::format("columns[{}]", i), builder);
    targets.push_back({field,
                       builder.Output("columns", {.name = name + suffix,
                                                  .type = ColumnType(dtype),
                                                  .shape = ShapeOf(rows, samples.history)}),
                       samples.csv.numbers.Of(name)});
  }
  if (!missing.empty() && !IsFloat(ColumnType(dtype))) {
    builder.Problem("missing", fmt::format("has no meaning for {}", Describe(ColumnType(dtype))),
                    "leave it out, or parse floats");
  }
  return std::make_unique<ParseCsvOp>(samples, *this, std::move(targets));
}

ReadFields GraphOpOf<ParseCsvSpec>::Reads() const {
  return {.key = "columns", .names = spec_.columns.Names()};
}

std::optional<BadField> GraphOpOf<ParseCsvSpec>::TryField(const std::string& column,
                                                          const std::string& text,
                                                          const batch::CsvDialect& csv) const {
  if (spec_.dtype == CsvType::kString) return std::nullopt;
  if (std::ranges::find(spec_.missing, Trim(text)) != spec_.missing.end()) return std::nullopt;
  const std::optional<std::string_view> problem =
      ProblemOf(text, spec_.dtype, csv.numbers.Of(column));
  if (!problem) return std::nullopt;
  return BadField{.problem = *problem, .hint = HintFor(column, text, spec_, csv.numbers)};
}

}  // namespace tidemill::transform
