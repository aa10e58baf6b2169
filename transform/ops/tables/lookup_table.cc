#include "transform/ops/tables/lookup_table.h"

#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/documents/problems.h"
#include "records/csv_header.h"
#include "records/file_kind.h"
#include "records/time_reader.h"
#include "transform/ops/records/number_text.h"
#include "transform/ops/tables/table_records.h"

// The way of a table from its file to the rows of the op:
//
//   file --> NarrowTable --> PackTable --> `content` --> UnpackTable --> ReadTable
//            only the op's   zstd          of the op,
//            columns                       in base64
//
// NarrowTable() keeps each record at its line, so that later problems name the line in the user's
// file. Pipelines and models keep `content`, and need no file.

namespace tidemill::transform {
namespace {

// The names of the columns that are read, each once.
std::vector<std::string> NamesOf(const TableForm& form) {
  std::vector<std::string> names = form.keys;
  names.insert(names.end(), form.values.begin(), form.values.end());
  if (!form.as_of.empty()) names.push_back(form.as_of);
  if (!form.until.empty()) names.push_back(form.until);
  std::vector<std::string> once;
  for (std::string& name : names) {
    if (std::ranges::find(once, name) == once.end()) once.push_back(std::move(name));
  }
  return once;
}

std::string KeyOf(const TableForm& form, const std::string& column) {
  if (std::ranges::find(form.keys, column) != form.keys.end()) return "on";
  if (column == form.until) return "until";
  return column == form.as_of ? "as_of" : "columns";
}

TableValues EmptyValues(const std::string& name, CsvType type) {
  TableValues made{.name = name, .values = {}};
  switch (type) {
    case CsvType::kFloat32:
      made.values.emplace<std::vector<float>>();
      break;
    case CsvType::kFloat64:
      made.values.emplace<std::vector<double>>();
      break;
    case CsvType::kInt64:
      made.values.emplace<std::vector<int64_t>>();
      break;
    case CsvType::kString:
      made.values.emplace<TableTexts>();
      break;
  }
  return made;
}

// The type of a column as far as its fields were seen.
struct SeenType {
  bool is_known = false;  // A field that is not missing was seen.
  bool is_over = false;   // No later field counts.
  CsvType type = CsvType::kString;
};

// Reads one table: first the types of its columns, then its rows.
class TableReader {
 public:
  TableReader(std::string_view text, const TableForm& form)
      : text_(text), form_(form), names_(NamesOf(form)), fields_(names_.size()) {
    for (const std::string& name : form.keys) key_places_.push_back(PlaceOf(name));
    for (const std::string& name : form.values) value_places_.push_back(PlaceOf(name));
    from_place_ = PlaceOf(form.as_of);
    until_place_ = PlaceOf(form.until);
  }

  // With `keeps`, the rows are kept.
  std::variant<LookupTable, TableProblem> Read(bool keeps) {
    keeps_ = keeps;
    table_.types = form_.types;
    table_.text_bytes = static_cast<int64_t>(text_.size());
    if (!FindTypes() || !PrepareTimes() || !ReadRows()) {
      problem_.types = std::move(table_.types);
      return std::move(problem_);
    }
    return std::move(table_);
  }

  // The line of a row.
  int32_t LineOf(int64_t row) {
    int32_t line = 0;
    ForEachRow([&] {
      line = line_;
      return row-- > 0;
    });
    return line;
  }

 private:
  size_t PlaceOf(const std::string& name) const {
    return static_cast<size_t>(std::ranges::find(names_, name) - names_.begin());
  }
  bool Refuse(std::string key, std::string message, std::string hint = "") {
    problem_ = {.key = std::move(key), .message = std::move(message), .hint = std::move(hint)};
    return false;
  }
  // Refuses the table because of a line.
  bool RefuseLine(int32_t line, std::string_view message, std::string hint = "") {
    return Refuse("table", fmt::format("{}, line {}: {}", form_.name, line, message),
                  std::move(hint));
  }

  bool ReadHeader(TableRecords& records) {
    if (const auto kind = KindOfFile(text_.substr(0, kKindBytes))) {
      return Refuse("table", fmt::format("{} is {}", form_.name, kind->name),
                    "write it as a CSV file in UTF-8");
    }
    if (!records.Next()) {
      if (records.problem() != nullptr) return RefuseLine(records.line(), records.problem());
      return Refuse("table", fmt::format("{} is empty", form_.name),
                    "write a line with the names of its columns, and rows below it");
    }
    const std::vector<std::string> header = records.Names();
    width_ = header.size();
    if (const auto problem = ProblemOfNames(header)) {
      return RefuseLine(records.line(), fmt::format("the header {}", *problem));
    }
    places_.clear();
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

  // Calls body() for each row, whose fields are then in `fields_`, until it returns false. Returns
  // false for what is not a table, and where body() did.
  template <typename Body>
  bool ForEachRow(Body&& body) {
    TableRecords records(text_, form_.dialect);
    if (!ReadHeader(records)) return false;
    int64_t num_rows = 0;
    while (records.Next()) {
      const std::vector<CsvField>& fields = records.fields();
      line_ = records.line();
      if (fields.size() != width_) {
        return RefuseLine(line_, fmt::format("the row has {} fields, but the header has {}",
                                             fields.size(), width_));
      }
      if (++num_rows > kMaxTableRows) {
        return RefuseLine(line_, fmt::format("a table has at most {} rows", kMaxTableRows));
      }
      for (size_t i = 0; i < names_.size(); ++i) TakeField(fields[places_[i]], fields_[i]);
      if (!body()) return false;
    }
    if (records.problem() != nullptr) return RefuseLine(records.line(), records.problem());
    if (num_rows > 0) return true;
    return Refuse("table", fmt::format("{} has a header and no rows", form_.name));
  }

  struct Field {
    std::string_view text;
    std::string unquoted;  // Its memory is reused.
  };

  void TakeField(const CsvField& field, Field& to) const {
    if (!field.quoted) {
      to.text = field.text;
      return;
    }
    to.unquoted = Unquote(field, form_.dialect.quote);
    to.text = to.unquoted;
  }

  // `text` has no blanks around it.
  bool IsMissing(std::string_view text) const {
    return text.empty() || std::ranges::any_of(form_.missing, [&](const std::string& word) {
             return absl::EqualsIgnoreCase(absl::string_view(text.data(), text.size()), word);
           });
  }

  bool FindTypes() {
    std::vector<SeenType> seen(form_.values.size());
    bool all_stated = true;
    for (size_t i = 0; i < seen.size(); ++i) {
      seen[i].is_over = form_.types.contains(form_.values[i]);
      all_stated &= seen[i].is_over;
    }
    if (all_stated) return true;
    const bool read = ForEachRow([&] {
      for (size_t i = 0; i < seen.size(); ++i) {
        if (!seen[i].is_over) Look(fields_[value_places_[i]].text, seen[i]);
      }
      return true;
    });
    for (size_t i = 0; read && i < seen.size(); ++i) {
      table_.types.try_emplace(form_.values[i], seen[i].type);
    }
    return read;
  }

  void Look(std::string_view field, SeenType& seen) const {
    const std::string_view text = Trim(field);
    if (IsMissing(text)) return;
    double number = 0;
    const bool reads = !ParseWrittenNumber(text, form_.dialect.numbers.OfAll(), number);
    if (!reads) {
      seen.is_over = true;
      return;
    }
    if (!seen.is_known) seen.type = CsvType::kFloat32;
    seen.is_known = true;
    // A fraction is rounded in either type. A whole number may be a name of something.
    if (std::trunc(number) != number || static_cast<double>(static_cast<float>(number)) == number) {
      return;
    }
    seen.type = CsvType::kFloat64;
    seen.is_over = true;
  }

  bool PrepareTimes() {
    if (form_.as_of.empty()) return true;
    absl::StatusOr<TimeReader> reader = TimeReader::Create(form_.times);
    if (!reader.ok()) {
      const bool of_zone = !TimeZone::Create(form_.times.time_zone).ok();
      return Refuse(of_zone ? "time_zone" : "format", std::string(reader.status().message()));
    }
    times_ = *std::move(reader);
    return true;
  }

  void Reserve() {
    const auto lines = static_cast<size_t>(std::ranges::count(text_, '\n')) + 1;
    const size_t rows = std::min(lines, static_cast<size_t>(kMaxTableRows));
    for (TableTexts& keys : table_.keys) keys.Reserve(rows, text_.size());
    for (TableValues& column : table_.values) {
      if (auto* texts = std::get_if<TableTexts>(&column.values)) texts->Reserve(rows, text_.size());
      if (auto* floats = std::get_if<std::vector<float>>(&column.values)) floats->reserve(rows);
      if (auto* doubles = std::get_if<std::vector<double>>(&column.values)) doubles->reserve(rows);
      if (auto* wholes = std::get_if<std::vector<int64_t>>(&column.values)) wholes->reserve(rows);
    }
    if (!form_.as_of.empty()) table_.times.reserve(rows);
    if (!form_.until.empty()) table_.ends.reserve(rows);
  }

  bool ReadRows() {
    table_.keys.resize(form_.keys.size());
    for (const std::string& name : form_.values) {
      table_.values.push_back(EmptyValues(name, table_.types.at(name)));
    }
    if (keeps_) Reserve();
    return ForEachRow([&] {
      ++table_.num_rows;
      return ReadKeys() && ReadValues() && ReadTimes();
    });
  }

  bool ReadKeys() {
    for (size_t i = 0; i < key_places_.size(); ++i) {
      const std::string_view text = fields_[key_places_[i]].text;
      if (text.empty()) {
        return RefuseLine(line_, fmt::format("the key {} is empty", form_.keys[i]),
                          "leave the row out; `default` is for keys that the table does not have");
      }
      if (keeps_) table_.keys[i].Add(text);
    }
    return true;
  }

  bool ReadValues() {
    for (size_t i = 0; i < value_places_.size(); ++i) {
      const std::string_view text = fields_[value_places_[i]].text;
      const bool read =
          std::visit([&](auto& values) { return ReadValue(form_.values[i], text, values); },
                     table_.values[i].values);
      if (!read) return false;
    }
    return true;
  }

  bool ReadValue(const std::string& /*name*/, std::string_view text, TableTexts& values) const {
    if (keeps_) values.Add(text);
    return true;
  }

  template <typename T>
  bool ReadValue(const std::string& name, std::string_view text, std::vector<T>& values) {
    T number = 0;
    if (std::is_floating_point_v<T> && IsMissing(Trim(text))) {
      number = std::numeric_limits<T>::quiet_NaN();
    } else if (const auto problem =
                   ParseWrittenNumber(text, form_.dialect.numbers.OfAll(), number)) {
      return RefuseLine(
          line_, fmt::format("{}: {} {}", name, Quoted(text), *problem),
          form_.types.contains(name)
              ? "leave a field of a float empty where the number is missing, or name its word in "
                "missing_words"
              : fmt::format("leave the field empty where the number is missing, name its word in "
                            "missing_words, or write dtypes: {{{}: string}}",
                            name));
    }
    if (keeps_) values.push_back(number);
    return true;
  }

  bool ReadTimes() {
    constexpr auto kEver = std::numeric_limits<int64_t>::min();
    constexpr auto kNever = std::numeric_limits<int64_t>::max();
    if (form_.as_of.empty()) return true;
    if (!ReadTime(from_place_, kEver, "-infinity", table_.times)) return false;
    return form_.until.empty() || ReadTime(until_place_, kNever, "infinity", table_.ends);
  }

  // An empty field, and the word, mean `open`.
  bool ReadTime(size_t place, int64_t open, std::string_view word, std::vector<int64_t>& times) {
    const std::string_view field = fields_[place].text;
    const std::string_view text = Trim(field);
    int64_t micros = open;
    if (!text.empty() && text != word) {
      const absl::StatusOr<Timestamp> time = times_->Read(field);
      if (!time.ok()) {
        return RefuseLine(
            line_, fmt::format("{}: {}", names_[place], std::string(time.status().message())),
            "say how times are written, as format: \"%d.%m.%Y %H:%M\" does");
      }
      micros = time->micros;
    }
    if (keeps_) times.push_back(micros);
    return true;
  }

  const std::string_view text_;
  const TableForm& form_;
  const std::vector<std::string> names_;
  std::vector<Field> fields_;       // The fields of names_ in the row that is read.
  std::vector<size_t> key_places_;  // The places of keys and values in names_.
  std::vector<size_t> value_places_;
  size_t from_place_ = 0;
  size_t until_place_ = 0;
  bool keeps_ = false;
  int32_t line_ = 0;            // The line of the row that is read.
  size_t width_ = 0;            // Fields of a record.
  std::vector<size_t> places_;  // The places of names_ in a record.
  std::optional<TimeReader> times_;
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

absl::StatusOr<std::string> Pack(std::string_view text, int level) {
  const size_t most = ZSTD_compressBound(text.size());
  // Memory that is not written takes no room.
  const auto packed = std::make_unique_for_overwrite<char[]>(most);
  const size_t size = ZSTD_compress(packed.get(), most, text.data(), text.size(), level);
  if (ZSTD_isError(size) != 0) return Internal("cannot be packed: {}", ZSTD_getErrorName(size));
  return std::string(packed.get(), size);
}

}  // namespace

std::variant<LookupTable, TableProblem> ReadTable(std::string_view text, const TableForm& form) {
  return TableReader(text, form).Read(/*keeps=*/true);
}

std::variant<ColumnTypes, TableProblem> CheckTable(std::string_view text, const TableForm& form) {
  auto read = TableReader(text, form).Read(/*keeps=*/false);
  if (auto* problem = std::get_if<TableProblem>(&read)) return std::move(*problem);
  return std::get<LookupTable>(std::move(read)).types;
}

int32_t LineOfRow(std::string_view text, const TableForm& form, int64_t row) {
  return TableReader(text, form).LineOf(row);
}

std::string NarrowTable(std::string_view text, const TableForm& form) {
  const std::vector<std::string> names = NamesOf(form);
  std::vector<size_t> places;
  std::string narrow;
  narrow.reserve(text.size());
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
  constexpr int kSmall = 12, kFast = 3;
  // A large table is packed well within a second, unless it would then be too large to be sent.
  constexpr size_t kLarge = size_t{4} << 20, kMostPacked = size_t{8} << 20;
  if (text.size() < kLarge) return Pack(text, kSmall);
  ASSIGN_OR_RETURN(std::string packed, Pack(text, kFast));
  if (packed.size() <= kMostPacked) return packed;
  return Pack(text, kSmall);
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
