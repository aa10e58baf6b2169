#include "storage/foreign/input_layout.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/ranges.h"

#include "records/csv_splitter.h"
#include "records/file_kind.h"
#include "records/json_fields.h"
#include "records/text.h"
#include "storage/spec/dataset_expressions.h"

namespace tidemill::storage {
namespace {

constexpr size_t kMaxHeader = size_t{1} << 20;

std::optional<std::string_view> PackedWith(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return "zcat";
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return "zstdcat";
  if (bytes.starts_with(std::string_view("\xfd\x37zXZ", 5))) return "xzcat";
  return std::nullopt;
}

std::string_view FirstLine(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

bool IsText(batch::PayloadKind kind) {
  return kind == batch::PayloadKind::kCsv || kind == batch::PayloadKind::kJson;
}

std::vector<std::string> NamesOfColumns(const DatasetSpec& spec) {
  return {spec.format->Columns().begin(), spec.format->Columns().end()};
}

// The choice for one input, step by step.
class LayoutChoice {
 public:
  LayoutChoice(DatasetSpec spec, const std::string& path, std::optional<bool> header,
               std::string& bytes)
      : spec_(std::move(spec)), path_(path), header_(header), bytes_(bytes) {}

  absl::Status Choose();
  InputLayout Take() {
    return {.spec = std::move(spec_),
            .converter = std::move(converter_),
            .missing_columns = std::move(missing_columns_),
            .notes = std::move(notes_)};
  }

 private:
  absl::Status ChooseForCsv();
  // Removes the parts of the spec that need missing columns.
  void ForgetMissing();
  void Forget(const std::string& what);

  DatasetSpec spec_;
  const std::string& path_;
  const std::optional<bool> header_;
  std::string& bytes_;
  std::unique_ptr<RowConverter> converter_;
  std::vector<std::string> missing_columns_;
  std::vector<std::string> notes_;
};

absl::Status LayoutChoice::Choose() {
  if (bytes_.empty()) return InvalidArgument("{} is empty: it has no records", path_);
  if (const auto tool = PackedWith(bytes_)) {
    return InvalidArgument("{} is compressed; pipe the output of `{} {}` to --input -", path_,
                           *tool, path_);
  }
  if (!IsText(spec_.format->Payload())) return absl::OkStatus();
  if (const auto kind = KindOfFile(bytes_)) {
    return InvalidArgument("{} is not text with records: {}", path_, kind->Explain());
  }
  if (bytes_.starts_with(kByteOrderMark)) bytes_.erase(0, kByteOrderMark.size());
  const size_t first = bytes_.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return InvalidArgument("{} has no records", path_);
  if (bytes_[first] != '{') return ChooseForCsv();
  if (spec_.format->Payload() == batch::PayloadKind::kJson) return absl::OkStatus();
  if (!spec_.format->Delimited()) return absl::OkStatus();
  notes_.push_back("the input is JSON Lines; its fields are read as the dataset's columns");
  const std::vector<std::string> names = JsonFieldNames(FirstLine(bytes_.c_str() + first));
  for (const std::string& column : NamesOfColumns(spec_)) {
    if (std::ranges::find(names, column) == names.end()) missing_columns_.push_back(column);
  }
  ForgetMissing();
  converter_ = ConvertJson(spec_);
  return absl::OkStatus();
}

absl::Status LayoutChoice::ChooseForCsv() {
  const bool is_json = spec_.format->Payload() == batch::PayloadKind::kJson;
  const std::optional<DelimitedText> own = spec_.format->Delimited();
  if (!is_json && !own) return absl::OkStatus();  // A plug-in reads it.
  const std::vector<std::string> columns = NamesOfColumns(spec_);
  const std::string_view line = FirstLine(bytes_);
  RowLayout layout{.delimiter = DelimiterOf(line, columns)};
  const auto count_known = [&](const std::vector<std::string>& names) {
    return std::ranges::count_if(names, [&](const std::string& name) {
      return !name.empty() && std::ranges::find(columns, name) != columns.end();
    });
  };
  std::vector<std::string> fields = FieldsOf(line, layout);
  if (own) {
    const RowLayout as_dataset{.delimiter = own->dialect.delimiter, .quote = own->dialect.quote};
    const std::vector<std::string> other = FieldsOf(line, as_dataset);
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
  const bool has_header = header_.value_or(is_json || count_known(fields) > 0);
  layout.columns = fields;
  if (!has_header) {
    layout.columns = columns;
    if (fields.size() + 1 == columns.size() && spec_.label.column) {
      std::erase(layout.columns, *spec_.label.column);
    }
    if (fields.size() != layout.columns.size()) {
      return InvalidArgument(
          "the first line of {} has {} fields, but none names a column of the model's dataset, "
          "which has {}: {}; write the names of the columns into the first line",
          path_, fields.size(), columns.size(), fmt::join(columns, ", "));
    }
  }
  for (const std::string& column : columns) {
    if (std::ranges::find(layout.columns, column) == layout.columns.end()) {
      missing_columns_.push_back(column);
    }
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
  const auto is_missing = [&](const std::string& column) {
    return std::ranges::find(missing_columns_, column) != missing_columns_.end();
  };
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

absl::StatusOr<InputLayout> ChooseLayout(const DatasetSpec& spec, const std::string& path,
                                         std::optional<bool> header, std::string& bytes) {
  LayoutChoice choice(spec, path, header, bytes);
  RETURN_IF_ERROR(choice.Choose());
  return choice.Take();
}

}  // namespace tidemill::storage
