#include "storage/foreign/row_converter.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "records/csv_splitter.h"
#include "records/json_fields.h"
#include "records/text.h"

namespace tidemill::storage {
namespace {

constexpr std::string_view kDelimiters[] = {",", ";", "\t", "|"};

// The limit if the format gives none.
constexpr int64_t kMaxRecord = int64_t{1} << 20;

size_t MaxRecordOf(const DatasetSpec& spec) {
  return static_cast<size_t>(spec.format->MaxRecordBytes().value_or(kMaxRecord));
}

batch::CsvDialect DialectOf(const RowLayout& layout) {
  return {.delimiter = layout.delimiter, .quote = layout.quote};
}

// Writes the record of a dataset of CSV files.
class CsvWriter {
 public:
  explicit CsvWriter(const DatasetSpec& spec) : dialect_(spec.format->Delimited()->dialect) {}

  // Returns what is wrong with the field; empty when it was written.
  std::string Add(std::string_view field) {
    if (!std::exchange(is_first_, false)) line_ += dialect_.delimiter;
    const bool needs_quotes = field.find(dialect_.delimiter) != std::string_view::npos ||
                              field.find_first_of("\r\n") != std::string_view::npos ||
                              (dialect_.quote && field.find(*dialect_.quote) != std::string::npos);
    if (!needs_quotes) {
      line_ += field;
      return "";
    }
    if (!dialect_.quote) return "holds the delimiter of the dataset, which has no quotes";
    line_ += *dialect_.quote;
    for (const char byte : field) {
      if (byte == *dialect_.quote) line_ += byte;
      line_ += byte;
    }
    line_ += *dialect_.quote;
    return "";
  }

  // Returns the record with its line end, and begins the next one. A line without any byte would
  // not be a record.
  std::string Take() {
    is_first_ = true;
    if (line_.empty()) line_ = dialect_.quote ? std::string(2, *dialect_.quote) : " ";
    return std::exchange(line_, {}) + "\n";
  }
  void Drop() { Take(); }

 private:
  const batch::CsvDialect dialect_;
  std::string line_;
  bool is_first_ = true;
};

// Rows of CSV text, whatever they become.
class CsvRows : public RowConverter {
 public:
  CsvRows(const RowLayout& layout, const DatasetSpec& spec)
      : columns_(layout.columns),
        quote_(layout.quote),
        splitter_(DialectOf(layout), MaxRecordOf(spec)) {}

  size_t Convert(std::string_view text, bool last, ConvertedRows& into) override {
    size_t at = 0;
    while (at < text.size()) {
      splitter_.First(text.substr(at), last, record_);
      if (record_.kind == CsvRecord::Kind::kIncomplete) break;
      at += record_.size;
      const bool is_rest = std::exchange(runs_on_, record_.runs_on);
      if (is_rest || record_.kind == CsvRecord::Kind::kBlank) continue;
      TakeRow(into);
    }
    return at;
  }

 protected:
  // Appends the record. Returns what is wrong with the row; empty when nothing is.
  virtual std::string Write(const CsvRecord& record, std::string& to) = 0;

  std::string Field(const CsvField& field) const { return Unquote(field, quote_); }
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  void TakeRow(ConvertedRows& into) {
    const int64_t row = ++num_rows_;
    std::string problem;
    if (record_.kind == CsvRecord::Kind::kBad) {
      problem = record_.reason;
    } else if (record_.fields.size() != columns_.size()) {
      problem = fmt::format("it has {} fields where the header has {}", record_.fields.size(),
                            columns_.size());
    } else {
      problem = Write(record_, into.text);
    }
    if (problem.empty()) {
      into.rows.push_back(row);
    } else {
      into.left_out.push_back({row, std::move(problem)});
    }
  }

  const std::vector<std::string> columns_;
  const std::optional<char> quote_;
  const CsvSplitter splitter_;
  CsvRecord record_;
  bool runs_on_ = false;
  int64_t num_rows_ = 0;
};

class CsvToCsv final : public CsvRows {
 public:
  CsvToCsv(const RowLayout& layout, const DatasetSpec& spec)
      : CsvRows(layout, spec), writer_(spec) {
    std::map<std::string_view, size_t> places;
    for (size_t i = 0; i < layout.columns.size(); ++i) places.emplace(layout.columns[i], i);
    for (const std::string& column : spec.format->Columns()) {
      const auto found = places.find(column);
      places_.push_back(found == places.end() ? std::nullopt : std::optional(found->second));
    }
  }

 private:
  std::string Write(const CsvRecord& record, std::string& to) override {
    for (const std::optional<size_t> place : places_) {
      const std::string problem = writer_.Add(place ? Field(record.fields[*place]) : "");
      if (problem.empty()) continue;
      writer_.Drop();
      return fmt::format("column {} {}", columns()[*place], problem);
    }
    to += writer_.Take();
    return "";
  }

  CsvWriter writer_;
  // The place of each column of the dataset in the rows.
  std::vector<std::optional<size_t>> places_;
};

class CsvToJson final : public CsvRows {
 public:
  using CsvRows::CsvRows;

 private:
  std::string Write(const CsvRecord& record, std::string& to) override {
    std::string object;
    for (size_t i = 0; i < record.fields.size(); ++i) {
      if (columns()[i].empty()) continue;
      const std::string text = Field(record.fields[i]);
      if (!IsText(text)) {
        return fmt::format(
            "column {}: '{}' is not in UTF-8, as JSON has to be; convert the input: "
            "iconv -f ISO-8859-1 -t UTF-8",
            columns()[i], AsText(text, kMaxShownBytes));
      }
      object += object.empty() ? "{" : ",";
      object += nlohmann::json(columns()[i]).dump() + ":" + ValueOf(text);
    }
    to += object.empty() ? "{}\n" : object + "}\n";
    return "";
  }

  static constexpr size_t kMaxShownBytes = 60;

  // A number, as it is written, where the text is one in JSON; null when it is empty.
  static std::string ValueOf(const std::string& text) {
    if (text.empty()) return "null";
    const bool may_be_number = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
    if (may_be_number && nlohmann::json::accept(text)) return text;
    return nlohmann::json(text).dump();
  }
};

class JsonToCsv final : public RowConverter {
 public:
  explicit JsonToCsv(const DatasetSpec& spec)
      : columns_(spec.format->Columns().begin(), spec.format->Columns().end()),
        decimal_(spec.format->Delimited()->dialect.numbers.decimal),
        max_record_(MaxRecordOf(spec)),
        fields_(columns_),
        writer_(spec) {}

  size_t Convert(std::string_view text, bool last, ConvertedRows& into) override {
    size_t at = 0;
    if (runs_on_) {
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) return text.size();
      runs_on_ = false;
      at = end + 1;
    }
    while (at < text.size()) {
      const size_t end = text.find('\n', at);
      if (end == std::string_view::npos && !last) {
        if (text.size() - at <= max_record_) break;
        runs_on_ = true;
      }
      const std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
      at += std::min(line.size() + 1, text.size() - at);
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const int64_t row = ++num_rows_;
      if (std::string problem = Write(line, into.text); problem.empty()) {
        into.rows.push_back(row);
      } else {
        into.left_out.push_back({row, std::move(problem)});
      }
    }
    return at;
  }

 private:
  std::string Write(std::string_view line, std::string& to) {
    if (line.size() > max_record_) return fmt::format("it is longer than {} bytes", max_record_);
    if (const absl::Status read = fields_.Read(line); !read.ok()) {
      return "it is not a JSON object: " + std::string(read.message());
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      const JsonValue& value = fields_.values()[i];
      std::string problem = value.kind == JsonValue::Kind::kNested
                                ? "is a list or an object, where the dataset has a single value"
                                : writer_.Add(TextOf(value));
      if (problem.empty()) continue;
      writer_.Drop();
      return fmt::format("field {} {}", columns_[i], problem);
    }
    to += writer_.Take();
    return "";
  }

  // A number of JSON has a point, whatever the dataset has.
  std::string_view TextOf(const JsonValue& value) {
    if (value.kind == JsonValue::Kind::kNull) return "";
    if (value.kind != JsonValue::Kind::kNumber || decimal_ == '.') return value.text;
    number_ = value.text;
    std::ranges::replace(number_, '.', decimal_);
    return number_;
  }

  const std::vector<std::string> columns_;
  const char decimal_;
  const size_t max_record_;
  JsonFields fields_;
  CsvWriter writer_;
  std::string number_;
  bool runs_on_ = false;  // The rest of a row that is too long comes next.
  int64_t num_rows_ = 0;
};

}  // namespace

std::unique_ptr<RowConverter> ConvertCsv(const RowLayout& layout, const DatasetSpec& spec) {
  if (spec.format->Payload() == batch::PayloadKind::kJson) {
    return std::make_unique<CsvToJson>(layout, spec);
  }
  return std::make_unique<CsvToCsv>(layout, spec);
}

std::unique_ptr<RowConverter> ConvertJson(const DatasetSpec& spec) {
  return std::make_unique<JsonToCsv>(spec);
}

bool HasFirstRow(std::string_view text, const std::vector<std::string>& columns) {
  if (text.empty()) return false;
  CsvRecord record;
  CsvSplitter({.delimiter = DelimiterOf(text, columns)}, kMaxHeader)
      .First(text, /*last=*/false, record);
  return record.kind != CsvRecord::Kind::kIncomplete;
}

std::vector<std::string> FieldsOf(std::string_view text, const RowLayout& layout) {
  std::vector<std::string> fields;
  CsvRecord record;
  if (text.empty()) return fields;
  CsvSplitter(DialectOf(layout), kMaxHeader).First(text, /*last=*/true, record);
  for (const CsvField& field : record.fields) fields.push_back(Unquote(field, layout.quote));
  return fields;
}

std::string DelimiterOf(std::string_view text, const std::vector<std::string>& columns) {
  const std::set<std::string_view> known(columns.begin(), columns.end());
  std::string best = ",";
  std::pair<int64_t, size_t> best_score = {-1, 0};
  for (const std::string_view delimiter : kDelimiters) {
    const std::vector<std::string> fields = FieldsOf(text, {.delimiter = std::string(delimiter)});
    const auto num_known = std::ranges::count_if(
        fields, [&](const std::string& field) { return !field.empty() && known.contains(field); });
    const std::pair<int64_t, size_t> score = {num_known, fields.size()};
    if (score <= best_score) continue;
    best_score = score;
    best = delimiter;
  }
  return best;
}

}  // namespace tidemill::storage
