#include "storage/foreign/input_layout.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "fmt/ranges.h"

#include "records/csv_header.h"
#include "records/csv_splitter.h"
#include "records/file_kind.h"
#include "records/json_fields.h"
#include "records/skipped_lines.h"
#include "records/text.h"
#include "storage/spec/dataset_expressions.h"

// How the layout of an input is chosen.
//
//   empty, compressed, or not text for a dataset of texts --> an error that says what to do
//   a binary dataset, or one that a user's program reads ---> read unchanged
//                         |
//   byte order mark, lines that the dataset skips and blank lines are removed
//                         |
//   begins with a JSON object? --yes--> for a dataset of JSON: read unchanged; else ConvertJson
//                         | no
//   delimiter --> header, or columns by place --> as the dataset has it: read unchanged;
//                                                 else ConvertCsv
//
// Parts of the spec that need a missing column are removed.

namespace tidemill::storage {
namespace {

std::optional<std::string_view> PackedWith(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return "zcat";
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return "zstdcat";
  if (bytes.starts_with(std::string_view("\xfd\x37zXZ", 5))) return "xzcat";
  return std::nullopt;
}

// The text after the blank lines at the beginning.
std::string_view WithoutBlankLines(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  const size_t line_end = text.substr(0, first).find_last_of("\r\n");
  return text.substr(line_end == std::string_view::npos ? 0 : line_end + 1);
}

bool IsJsonObject(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first != std::string_view::npos && text[first] == '{';
}

// How many objects and lists the text leaves open.
int NumOpen(std::string_view text) {
  int num_open = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if (c == '{' || c == '[') ++num_open;
    if (c == '}' || c == ']') --num_open;
  }
  return num_open;
}

bool IsOfTexts(batch::PayloadKind kind) {
  return kind == batch::PayloadKind::kCsv || kind == batch::PayloadKind::kJson;
}

std::vector<std::string> NamesOfColumns(const DatasetSpec& spec) {
  return {spec.format->Columns().begin(), spec.format->Columns().end()};
}

constexpr size_t kMaxShownBytes = 60;

// Whether the first record has the name of a column.
bool NamesColumns(const DatasetSpec& spec, const DelimitedText& own, std::string_view text) {
  const std::vector<std::string> fields = FieldsOf(
      WithoutBlankLines(text), {.delimiter = own.dialect.delimiter, .quote = own.dialect.quote});
  const std::vector<std::string> columns = NamesOfColumns(spec);
  return std::ranges::any_of(fields, [&](const std::string& field) {
    return !field.empty() && std::ranges::find(columns, field) != columns.end();
  });
}

// Whether an input begins with the lines that the dataset skips: with a header, they are before it;
// without one, they are lines that are not like records.
bool BeginsWithSkippedLines(const DatasetSpec& spec, std::string_view text) {
  const DelimitedText own = *spec.format->Delimited();
  if (IsJsonObject(WithoutBlankLines(text))) return false;
  const bool names = NamesColumns(spec, own, text);
  if (own.header) {
    const size_t skipped = SkippedLines(own.skip).Skip(text, /*last=*/true);
    return !names && NamesColumns(spec, own, text.substr(skipped));
  }
  const RowLayout as_dataset{.delimiter = own.dialect.delimiter, .quote = own.dialect.quote};
  return names ||
         FieldsOf(WithoutBlankLines(text), as_dataset).size() != spec.format->Columns().size();
}

// The choice for one input, step by step.
class LayoutChoice {
 public:
  LayoutChoice(DatasetSpec spec, const LayoutOptions& options, std::string& bytes)
      : spec_(std::move(spec)),
        options_(options),
        path_(options.path == "-" ? "standard input" : options.path),
        file_(options.path == "-" ? "" : " " + options.path),
        bytes_(bytes) {}

  absl::Status Choose();
  InputLayout Take() {
    return {.spec = std::move(spec_),
            .converter = std::move(converter_),
            .missing_columns = std::move(missing_columns_),
            .notes = std::move(notes_)};
  }

 private:
  // Removes the lines that the dataset skips, if the input has them.
  void TakeSkippedLines();
  absl::Status ChooseForCsv();
  absl::Status ChooseForJson();
  // Whether JSON is written as one value over several lines, and how to write it instead.
  absl::Status CheckOneObjectALine(std::string_view text) const;
  // Finds the columns that none of the first lines has.
  void FindMissing(std::string_view lines);
  absl::Status CheckHeader(const std::vector<std::string>& fields) const;
  // The columns of rows without a header.
  absl::StatusOr<std::vector<std::string>> NamesByPlace(size_t num_fields) const;
  // The fields that the dataset or the model reads, where its records need not have the same ones.
  std::vector<std::string> KnownFields() const;
  // Removes the parts of the spec that need missing columns.
  void ForgetMissing();
  void Forget(const std::string& what);

  DatasetSpec spec_;
  const LayoutOptions& options_;
  const std::string path_;  // For messages.
  const std::string file_;  // The last word of a command, after a blank.
  std::string& bytes_;
  std::unique_ptr<RowConverter> converter_;
  std::vector<std::string> missing_columns_;
  std::vector<std::string> notes_;
};

absl::Status LayoutChoice::Choose() {
  if (bytes_.empty()) return InvalidArgument("{} is empty: it has no records", path_);
  if (const auto tool = PackedWith(bytes_)) {
    return InvalidArgument("{} is compressed; pipe the output of `{}{}` to --input -", path_, *tool,
                           file_);
  }
  if (!IsOfTexts(spec_.format->Payload())) return absl::OkStatus();
  if (const auto kind = KindOfFile(bytes_)) {
    return InvalidArgument("{} is not text with records: {}", path_, kind->Explain());
  }
  if (bytes_.starts_with(kByteOrderMark)) bytes_.erase(0, kByteOrderMark.size());
  if (spec_.format->SaysLabels()) return absl::OkStatus();  // A program of a user reads it.
  TakeSkippedLines();
  bytes_.erase(0, bytes_.size() - WithoutBlankLines(bytes_).size());
  if (bytes_.empty()) return InvalidArgument("{} has no records", path_);
  RETURN_IF_ERROR(CheckOneObjectALine(bytes_));
  return IsJsonObject(bytes_) ? ChooseForJson() : ChooseForCsv();
}

void LayoutChoice::TakeSkippedLines() {
  const std::optional<DelimitedText> own = spec_.format->Delimited();
  if (!own || own->skip == 0) return;
  if (BeginsWithSkippedLines(spec_, bytes_)) {
    bytes_.erase(0, SkippedLines(own->skip).Skip(bytes_, /*last=*/true));
  }
  spec_.format->SkipNoLines();
}

absl::Status LayoutChoice::CheckOneObjectALine(std::string_view text) const {
  const size_t first = text.find_first_not_of(" \t");
  const size_t second = text.find_first_not_of(" \t\r\n", first + 1);
  const char next = second == std::string_view::npos ? '\0' : text[second];
  if (text[first] == '[' && (next == '{' || next == '[' || next == ']')) {
    return InvalidArgument("{} is one JSON array; write one object a line: jq -c '.[]'{}", path_,
                           file_);
  }
  const size_t line_end = text.find('\n');
  if (text[first] != '{' || line_end == std::string_view::npos) return absl::OkStatus();
  const std::string_view rest = WithoutBlankLines(text.substr(line_end));
  const bool goes_on =
      NumOpen(text.substr(0, line_end)) > 0 && !rest.empty() && !IsJsonObject(rest);
  if (!goes_on) return absl::OkStatus();
  return InvalidArgument(
      "line 1 of {} begins a JSON object that line 2 continues; write each object into one line: "
      "jq -c .{}",
      path_, file_);
}

absl::Status LayoutChoice::ChooseForJson() {
  if (spec_.format->Payload() == batch::PayloadKind::kJson) return absl::OkStatus();
  notes_.push_back("the input is JSON Lines; its fields are read as the dataset's columns");
  FindMissing(bytes_);
  ForgetMissing();
  converter_ = ConvertJson(spec_);
  return absl::OkStatus();
}

void LayoutChoice::FindMissing(std::string_view lines) {
  const std::vector<std::string> columns = NamesOfColumns(spec_);
  JsonFields fields(columns);
  std::vector<bool> is_found(columns.size());
  bool is_any_read = false;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (!fields.Read(line).ok()) continue;
    is_any_read = true;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (fields.values()[i].kind != JsonValue::Kind::kAbsent) is_found[i] = true;
    }
  }
  for (size_t i = 0; is_any_read && i < columns.size(); ++i) {
    if (!is_found[i]) missing_columns_.push_back(columns[i]);
  }
}

std::vector<std::string> LayoutChoice::KnownFields() const {
  std::vector<std::string> known = options_.fields;
  for (const std::string& name : spec_.event_time.TimeFields()) known.push_back(name);
  if (spec_.label.column) known.push_back(*spec_.label.column);
  if (spec_.series && spec_.series->group) known.push_back(*spec_.series->group);
  if (spec_.series && spec_.series->target) known.push_back(*spec_.series->target);
  return known;
}

absl::Status LayoutChoice::CheckHeader(const std::vector<std::string>& fields) const {
  if (const auto problem = ProblemOfNames(fields)) {
    return InvalidArgument(
        "the first line of {} {}; the names of columns have to differ, and to be "
        "in UTF-8: iconv -f ISO-8859-1 -t UTF-8",
        path_, *problem);
  }
  const std::vector<std::string> known = KnownFields();
  const bool names_any = std::ranges::any_of(fields, [&](const std::string& field) {
    return std::ranges::find(known, field) != known.end();
  });
  // If the dataset names its columns, the caller says which of them are missing.
  if (names_any || known.empty() || !NamesOfColumns(spec_).empty()) return absl::OkStatus();
  return InvalidArgument(
      "line 1 of {} is neither a JSON object nor a header of CSV with a field that the model "
      "reads: "
      "'{}'; the model reads {}",
      path_, AsText(fmt::format("{}", fmt::join(fields, ",")), kMaxShownBytes),
      fmt::join(known, ", "));
}

absl::StatusOr<std::vector<std::string>> LayoutChoice::NamesByPlace(size_t num_fields) const {
  const std::vector<std::string> columns = NamesOfColumns(spec_);
  std::vector<std::string> names = columns;
  if (num_fields + 1 == columns.size() && spec_.label.column) {
    std::erase(names, *spec_.label.column);
  }
  if (num_fields == names.size()) return names;
  return InvalidArgument(
      "the first line of {} has {} fields, but none names a column of the model's dataset, which "
      "has "
      "{}: {}; write the names of the columns into the first line",
      path_, num_fields, columns.size(), fmt::join(columns, ", "));
}

absl::Status LayoutChoice::ChooseForCsv() {
  const bool is_json = spec_.format->Payload() == batch::PayloadKind::kJson;
  const std::optional<DelimitedText> own = spec_.format->Delimited();
  const std::vector<std::string> columns = NamesOfColumns(spec_);
  if (bytes_.size() >= MaxFirstRow(spec_) && !HasFirstRow(spec_, bytes_)) {
    return InvalidArgument("the first line of {} does not end within {} bytes", path_,
                           MaxFirstRow(spec_));
  }
  RowLayout layout{.delimiter = DelimiterOf(bytes_, is_json ? KnownFields() : columns)};
  const std::set<std::string_view> known(columns.begin(), columns.end());
  const auto count_known = [&](const std::vector<std::string>& names) {
    return std::ranges::count_if(
        names, [&](const std::string& name) { return !name.empty() && known.contains(name); });
  };
  std::vector<std::string> fields = FieldsOf(bytes_, layout);
  if (own) {
    const RowLayout as_dataset{.delimiter = own->dialect.delimiter, .quote = own->dialect.quote};
    const std::vector<std::string> other = FieldsOf(bytes_, as_dataset);
    const bool fits = count_known(other) >= count_known(fields) &&
                      (count_known(other) > 0 || other.size() == columns.size());
    if (fits) {
      layout = as_dataset;
      fields = other;
    } else {
      notes_.push_back(fmt::format("the delimiter is '{}', not the dataset's '{}'",
                                   layout.delimiter, own->dialect.delimiter));
    }
  }
  const bool has_header = options_.header.value_or(is_json || count_known(fields) > 0);
  if (has_header) {
    RETURN_IF_ERROR(CheckHeader(fields));
    layout.columns = fields;
  } else {
    ASSIGN_OR_RETURN(layout.columns, NamesByPlace(fields.size()));
  }
  const std::set<std::string_view> present(layout.columns.begin(), layout.columns.end());
  for (const std::string& column : columns) {
    if (!present.contains(column)) missing_columns_.push_back(column);
  }
  const bool is_same = own && layout.columns == columns && own->header == has_header &&
                       own->dialect.delimiter == layout.delimiter;
  ForgetMissing();
  if (is_same) return absl::OkStatus();
  if (has_header) {
    CsvRecord header;
    CsvSplitter({.delimiter = layout.delimiter, .quote = layout.quote}, kMaxHeader)
        .First(bytes_, /*last=*/true, header);
    bytes_.erase(0, header.size);
  }
  converter_ = ConvertCsv(layout, spec_);
  return absl::OkStatus();
}

void LayoutChoice::Forget(const std::string& what) {
  notes_.push_back(fmt::format("{}: the input lacks {}", what, fmt::join(missing_columns_, ", ")));
}

void LayoutChoice::ForgetMissing() {
  const std::set<std::string_view> missing(missing_columns_.begin(), missing_columns_.end());
  const auto is_missing = [&](const std::string& column) { return missing.contains(column); };
  if (missing_columns_.empty()) return;
  if (spec_.label.column && is_missing(*spec_.label.column)) {
    spec_.label.column.reset();
    notes_.push_back("the input has no labels, so nothing is scored");
  }
  if (std::ranges::any_of(spec_.event_time.TimeFields(), is_missing)) {
    spec_.event_time = {};
    notes_.push_back("the input has no times, so every record happens now");
  }
  // An expression that reads a missing column says so when it is compiled for those that exist.
  DatasetSpec present = spec_;
  std::vector<std::string> columns = NamesOfColumns(spec_);
  std::erase_if(columns, is_missing);
  present.format->SetColumns(columns);
  for (const DatasetExpression& expression : ExpressionsOf(spec_)) {
    if (expression.Compile(present).ok()) continue;
    switch (expression.role) {
      case DatasetExpression::Role::kWhere:
        spec_.where.reset();
        Forget("`where` of the dataset is not applied");
        break;
      case DatasetExpression::Role::kLabel:
        spec_.label.expression.reset();
        Forget("nothing is scored");
        break;
      case DatasetExpression::Role::kEventTime:
        spec_.event_time = {};
        Forget("every record happens now");
        break;
    }
  }
}

}  // namespace

absl::StatusOr<InputLayout> ChooseLayout(const DatasetSpec& spec, const LayoutOptions& options,
                                         std::string& bytes) {
  LayoutChoice choice(spec, options, bytes);
  RETURN_IF_ERROR(choice.Choose());
  return choice.Take();
}

bool HasFirstRow(const DatasetSpec& spec, std::string_view bytes) {
  std::string_view text = bytes;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::optional<DelimitedText> own = spec.format->Delimited();
  const bool is_json = IsJsonObject(WithoutBlankLines(text));
  if (own && own->skip > 0 && !is_json && !NamesColumns(spec, *own, text)) {
    SkippedLines lines(own->skip);
    const std::string_view rest = text.substr(lines.Skip(text, /*last=*/false));
    if (!lines.IsDone() || WithoutBlankLines(rest).empty()) return false;
    if (BeginsWithSkippedLines(spec, text)) text = rest;
  }
  text = WithoutBlankLines(text);
  if (text.empty()) return false;
  if (IsOfTexts(spec.format->Payload()) && !IsJsonObject(text)) {
    return HasFirstRow(text, NamesOfColumns(spec));
  }
  return text.find('\n') != std::string_view::npos;
}

size_t MaxFirstRow(const DatasetSpec& spec) {
  // Binary formats tell themselves by their first bytes.
  if (!IsOfTexts(spec.format->Payload())) return kKindBytes;
  const auto max_record = static_cast<size_t>(spec.format->MaxRecordBytes().value_or(0));
  return std::max(kMaxHeader, max_record);
}

}  // namespace tidemill::storage
