#include "transform/ops/tables/lookup_table.h"

#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/problems.h"
#include "records/csv_header.h"
#include "records/file_kind.h"
#include "records/time_reader.h"
#include "transform/ops/records/number_text.h"
#include "transform/ops/tables/table_records.h"

namespace tidemill::transform {
namespace {

// The names of the columns that are read, each once.
std::vector<std::string> NamesOf(const TableForm& form) {
  std::vector<std::string> names = form.keys;
  names.insert(names.end(), form.values.begin(), form.values.end());
  if (!form.as_of.empty()) names.push_back(form.as_of);
  std::vector<std::string> once;
  for (std::string& name : names) {
    if (std::ranges::find(once, name) == once.end()) once.push_back(std::move(name));
  }
  return once;
}

std::string KeyOf(const TableForm& form, const std::string& column) {
  if (std::ranges::find(form.keys, column) != form.keys.end()) return "on";
  return column == form.as_of ? "as_of" : "columns";
}

// The texts of a column, row by row.
class Texts {
 public:
  void Add(const CsvField& field, std::optional<char> quote) {
    if (field.quoted) {
      bytes_ += Unquote(field, quote);
    } else {
      bytes_ += field.text;
    }
    ends_.push_back(static_cast<int64_t>(bytes_.size()));
  }
  std::string_view At(int64_t row) const {
    const int64_t begin = row == 0 ? 0 : ends_[static_cast<size_t>(row) - 1];
    return std::string_view(bytes_).substr(static_cast<size_t>(begin),
                                           static_cast<size_t>(ends_[row] - begin));
  }
  int64_t num_rows() const { return static_cast<int64_t>(ends_.size()); }

  batch::Column Column(const std::string& name) const {
    batch::Column column{.name = name, .type = batch::DataType::kBinary};
    column.data = batch::Buffer::FromString(bytes_);
    column.offsets = batch::Buffer::Allocate((ends_.size() + 1) * sizeof(int64_t));
    std::ranges::copy(ends_, column.offsets.MutableAs<int64_t>().begin() + 1);
    return column;
  }

 private:
  std::string bytes_;
  std::vector<int64_t> ends_;
};

// Reads one table.
class TableReader {
 public:
  TableReader(std::string_view text, const TableForm& form)
      : text_(text), form_(form), names_(NamesOf(form)), records_(text, form.dialect) {}

  std::variant<LookupTable, TableProblem> Read() {
    table_.types = form_.types;
    table_.text_bytes = static_cast<int64_t>(text_.size());
    if (!ReadHeader() || !ReadRows() || !ReadKeys() || !ReadValues() || !ReadTimes()) {
      problem_.types = std::move(table_.types);
      return std::move(problem_);
    }
    return std::move(table_);
  }

 private:
  bool Refuse(std::string key, std::string message, std::string hint = "") {
    problem_ = {.key = std::move(key), .message = std::move(message), .hint = std::move(hint)};
    return false;
  }
  // Refuses the table because of a line.
  bool RefuseLine(int32_t line, std::string_view message, std::string hint = "") {
    return Refuse("table", fmt::format("{}, line {}: {}", form_.name, line, message),
                  std::move(hint));
  }

  bool ReadHeader() {
    if (const auto kind = KindOfFile(text_.substr(0, kKindBytes))) {
      return Refuse("table", fmt::format("{} is {}", form_.name, kind->name),
                    "write it as a CSV file in UTF-8");
    }
    if (!records_.Next()) {
      if (records_.problem() != nullptr) return RefuseLine(records_.line(), records_.problem());
      return Refuse("table", fmt::format("{} is empty", form_.name),
                    "write a line with the names of its columns, and rows below it");
    }
    const std::vector<std::string> header = records_.Names();
    width_ = header.size();
    if (const auto problem = ProblemOfNames(header)) {
      return RefuseLine(records_.line(), fmt::format("the header {}", *problem));
    }
    for (const std::string& name : names_) {
      const auto found = std::ranges::find(header, name);
      if (found == header.end()) return RefuseHeader(header, name);
      places_.push_back(static_cast<size_t>(found - header.begin()));
    }
    return true;
  }

  bool RefuseHeader(const std::vector<std::string>& header, const std::string& name) {
    const std::string message = fmt::format("{} has no column '{}'", form_.name, name);
    for (const std::string_view other : {";", "\t", "|", ","}) {
      if (header.size() > 1 || header[0].find(other) == std::string::npos) continue;
      return Refuse(KeyOf(form_, name), message,
                    fmt::format("its first line is {}: write delimiter: \"{}\"", Quoted(header[0]),
                                other == "\t" ? "\\t" : other));
    }
    std::string hint = config::DidYouMean(name, header);
    if (hint.empty()) hint = fmt::format("its columns are {}", fmt::join(header, ", "));
    return Refuse(KeyOf(form_, name), message, std::move(hint));
  }

  bool ReadRows() {
    texts_.resize(names_.size());
    while (records_.Next()) {
      const std::vector<CsvField>& fields = records_.fields();
      if (fields.size() != width_) {
        return RefuseLine(
            records_.line(),
            fmt::format("the row has {} fields, but the header has {}", fields.size(), width_));
      }
      for (size_t i = 0; i < names_.size(); ++i) {
        texts_[i].Add(fields[places_[i]], form_.dialect.quote);
      }
      table_.lines.push_back(records_.line());
      if (table_.num_rows() > kMaxTableRows) {
        return RefuseLine(records_.line(),
                          fmt::format("a table has at most {} rows", kMaxTableRows));
      }
    }
    if (records_.problem() != nullptr) return RefuseLine(records_.line(), records_.problem());
    if (!table_.lines.empty()) return true;
    return Refuse("table", fmt::format("{} has a header and no rows", form_.name));
  }

  const Texts& TextsOf(const std::string& name) const {
    return texts_[static_cast<size_t>(std::ranges::find(names_, name) - names_.begin())];
  }

  bool ReadKeys() {
    for (const std::string& name : form_.keys) {
      const Texts& texts = TextsOf(name);
      for (int64_t row = 0; row < texts.num_rows(); ++row) {
        if (!texts.At(row).empty()) continue;
        return RefuseLine(table_.lines[row], fmt::format("the key {} is empty", name),
                          "leave the row out; `default` is for keys that the table does not have");
      }
      table_.keys.push_back(texts.Column(name));
    }
    return true;
  }

  bool ReadValues() {
    for (const std::string& name : form_.values) {
      const Texts& texts = TextsOf(name);
      const bool stated = form_.types.contains(name);
      const CsvType type = stated ? form_.types.at(name) : TypeOf(texts);
      table_.types[name] = type;
      bool read = true;
      if (type == CsvType::kString) table_.values.push_back(texts.Column(name));
      if (type == CsvType::kFloat32) read = ReadNumbers<float>(name, texts, stated);
      if (type == CsvType::kFloat64) read = ReadNumbers<double>(name, texts, stated);
      if (type == CsvType::kInt64) read = ReadNumbers<int64_t>(name, texts, stated);
      if (!read) return false;
    }
    return true;
  }

  CsvType TypeOf(const Texts& texts) const {
    bool is_number = false;
    for (int64_t row = 0; row < texts.num_rows(); ++row) {
      const std::string_view text = Trim(texts.At(row));
      double number = 0;
      if (text.empty()) continue;
      const bool reads = !ParseNumber(text, form_.dialect.decimal, number);
      if (!is_number && !reads) return CsvType::kString;
      is_number = true;
      if (!reads) break;
      // A fraction is rounded in either type. A whole number may be a name of something.
      if (std::trunc(number) == number && static_cast<double>(static_cast<float>(number)) != number)
        return CsvType::kFloat64;
    }
    return is_number ? CsvType::kFloat32 : CsvType::kString;
  }

  template <typename T>
  bool ReadNumbers(const std::string& name, const Texts& texts, bool stated) {
    std::vector<T> numbers(static_cast<size_t>(texts.num_rows()));
    for (int64_t row = 0; row < texts.num_rows(); ++row) {
      const std::string_view text = texts.At(row);
      if (std::is_floating_point_v<T> && Trim(text).empty()) {
        numbers[row] = std::numeric_limits<T>::quiet_NaN();
        continue;
      }
      const auto problem = ParseNumber(text, form_.dialect.decimal, numbers[row]);
      if (!problem) continue;
      return RefuseLine(
          table_.lines[row], fmt::format("{}: {} {}", name, Quoted(text), *problem),
          stated ? "leave a field of a float empty where the number is missing"
                 : fmt::format("leave the field empty where the number is missing, or write "
                               "dtypes: {{{}: string}}",
                               name));
    }
    table_.values.push_back(batch::MakeColumn<T>(name, numbers));
    return true;
  }

  bool ReadTimes() {
    if (form_.as_of.empty()) return true;
    const auto reader = TimeReader::Create(form_.times);
    if (!reader.ok()) {
      const bool of_zone = !TimeZone::Create(form_.times.time_zone).ok();
      return Refuse(of_zone ? "time_zone" : "format", std::string(reader.status().message()));
    }
    const Texts& texts = TextsOf(form_.as_of);
    for (int64_t row = 0; row < texts.num_rows(); ++row) {
      const absl::StatusOr<Timestamp> time = reader->Read(texts.At(row));
      if (!time.ok()) {
        return RefuseLine(table_.lines[row],
                          fmt::format("{}: {}", form_.as_of, std::string(time.status().message())),
                          "say how times are written, as format: \"%d.%m.%Y %H:%M\" does");
      }
      table_.times.push_back(time->micros);
    }
    return true;
  }

  const std::string_view text_;
  const TableForm& form_;
  const std::vector<std::string> names_;
  TableRecords records_;
  size_t width_ = 0;            // Fields of a record.
  std::vector<size_t> places_;  // The places of names_ in a record.
  std::vector<Texts> texts_;    // The texts of names_.
  LookupTable table_;
  TableProblem problem_;
};

void AppendField(std::string_view field, const batch::CsvDialect& dialect, std::string& to) {
  const char quote = *dialect.quote;
  const bool plain = field.find_first_of("\r\n") == std::string_view::npos &&
                     field.find(quote) == std::string_view::npos &&
                     field.find(dialect.delimiter) == std::string_view::npos;
  if (plain) {
    to += field;
    return;
  }
  to += quote;
  for (const char c : field) {
    if (c == quote) to += quote;
    to += c;
  }
  to += quote;
}

}  // namespace

std::variant<LookupTable, TableProblem> ReadTable(std::string_view text, const TableForm& form) {
  return TableReader(text, form).Read();
}

std::string NarrowTable(std::string_view text, const TableForm& form) {
  const std::vector<std::string> names = NamesOf(form);
  std::vector<size_t> places;
  std::string narrow;
  int32_t line = 1;
  for (TableRecords records(text, form.dialect); records.Next();) {
    if (places.empty()) {
      const std::vector<std::string> header = records.Names();
      for (const std::string& name : names) {
        places.push_back(static_cast<size_t>(std::ranges::find(header, name) - header.begin()));
      }
    }
    for (; line < records.line(); ++line) narrow += '\n';
    for (size_t i = 0; i < places.size(); ++i) {
      if (i > 0) narrow += form.dialect.delimiter;
      const std::string field = Unquote(records.fields()[places[i]], form.dialect.quote);
      AppendField(field, form.dialect, narrow);
      line += static_cast<int32_t>(std::ranges::count(field, '\n'));
    }
    narrow += '\n';
    ++line;
  }
  return narrow;
}

std::string StandInTable(const TableForm& form) {
  std::string header, row;
  for (const std::string& name : NamesOf(form)) {
    if (!header.empty()) {
      header += form.dialect.delimiter;
      row += form.dialect.delimiter;
    }
    AppendField(name, form.dialect, header);
    row += '0';
  }
  return fmt::format("{}\n{}\n", header, row);
}

absl::StatusOr<std::string> PackTable(std::string_view text) {
  constexpr int kLevel = 12;
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kLevel);
  if (ZSTD_isError(size) != 0) return Internal("cannot be packed: {}", ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

absl::StatusOr<std::string> UnpackTable(std::string_view bytes) {
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return InvalidArgument("is not a packed table");
  }
  if (size > kMaxTableBytes) {
    return InvalidArgument("has {} bytes when unpacked, but at most {} are allowed", size,
                           kMaxTableBytes);
  }
  std::string text(size, '\0');
  const size_t unpacked = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(unpacked) != 0 || unpacked != size) return InvalidArgument("is damaged");
  return text;
}

}  // namespace tidemill::transform
