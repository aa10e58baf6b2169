#include "cli/init/look/csv_look.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "base/numbers/thousands.h"
#include "base/printable.h"
#include "cli/init/look/csv_preamble.h"
#include "cli/init/look/csv_shape.h"
#include "records/columns/column_facts.h"
#include "records/columns/number_guess.h"
#include "records/text.h"

// The order of the guesses. The first file decides the shape; each guess uses those before it.
//
//   comments --> delimiter --> title --> quotes --> header and names     the shape
//                                                         |
//   the other files, but those with another header -------+--> table
//                                                               |
//                             format <-- blanks around fields <-- notation of numbers

namespace tidemill::cli {
namespace {

// The most records that tell whether the first one is a header.
constexpr size_t kMostForHeader = 20'000;

std::string_view WithoutMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::string_view FrontOf(const SeenFile& file) { return WithoutMark(file.front); }

bool EndsInFront(const SeenFile& file) { return file.end.empty() && !file.is_cut; }

// The records at the end of a file, without the first line, which may be a part of one.
CsvRows EndOf(const SeenFile& file, const batch::CsvDialect& dialect) {
  const size_t line = file.end.find('\n');
  if (line == std::string::npos) return {};
  return ReadCsvRows(std::string_view(file.end).substr(line + 1), dialect, /*last=*/true,
                     kMaxEndRows);
}

std::vector<std::string> NumberedNames(size_t width) {
  std::vector<std::string> names;
  for (size_t column = 1; column <= width; ++column) names.push_back(fmt::format("c{}", column));
  return names;
}

// Puts rows together to a table. Rows of another width are bad.
class TableMaker {
 public:
  explicit TableMaker(std::vector<std::string> names) {
    // Names at the end may be empty, because these columns are not read.
    width_ = names.size();
    while (!names.empty() && names.back().empty()) names.pop_back();
    for (std::string& name : names) table_.columns.push_back({std::move(name), {}});
  }

  void Add(CsvRows&& read, size_t from) {
    table_.num_bad += read.num_bad;
    table_.num_bytes += read.num_bytes;
    for (size_t row = from; row < read.rows.size(); ++row)
      AddRow(std::move(read.rows[row]), row + 1);
  }

  // The next addition follows the previous one in a file, or in a part of it.
  void Begin(size_t file) {
    const auto row = static_cast<size_t>(table_.num_rows);
    if (!table_.parts.empty() && table_.parts.back().first_row == row) table_.parts.pop_back();
    table_.parts.push_back({.first_row = row, .file = file});
  }

  SampledTable Take() { return std::move(table_); }

 private:
  void AddRow(CsvRow row, size_t number) {
    if (row.size() != width_) {
      if (table_.num_bad++ == 0) {
        table_.first_bad =
            fmt::format("record {}: {} fields where {} are expected", number, row.size(), width_);
      }
      return;
    }
    ++table_.num_rows;
    for (size_t column = 0; column < table_.columns.size(); ++column) {
      table_.columns[column].values.push_back(std::move(row[column]));
    }
  }

  SampledTable table_;
  size_t width_ = 0;
};

bool HasBlanks(const SampledTable& table) {
  return std::ranges::any_of(table.columns, [](const SampledColumn& column) {
    const auto is_blank = [](const std::string& text) {
      return !text.empty() && (text.front() == ' ' || text.back() == ' ');
    };
    return is_blank(column.name) ||
           std::ranges::any_of(column.values, [&](const std::string& value) {
             return is_blank(value) && !IsNumber(value, {}) && !IsNumber(value, {.decimal = ','});
           });
  });
}

absl::Status CheckEncoding(const SeenFile& file) {
  std::string_view text = FrontOf(file);
  // The front may end within a character.
  if (!EndsInFront(file)) text = text.substr(0, text.rfind('\n') + 1);
  if (IsText(text)) return absl::OkStatus();
  if (text.find('\0') != std::string_view::npos) {
    return InvalidArgument("{} holds zero bytes, which no CSV text has; name a text file",
                           file.path);
  }
  return InvalidArgument(
      "{} is not in UTF-8; it is most likely in Windows-1252 or Latin-1. Convert it: "
      "iconv -f WINDOWS-1252 -t UTF-8 {} > utf8.csv, or let --convert write a copy beside it",
      file.path, file.path);
}

// Estimates the records of all files from the bytes of those that were read.
int64_t NumRowsInAll(const SeenData& data, const SampledTable& table) {
  if (table.whole || table.num_bytes == 0) return table.num_rows;
  int64_t bytes = 0;
  for (const SeenFile& file : data.seen) bytes += file.size;
  // Packed files are larger than on disk: by how much is known of those that were seen.
  if (data.paths.size() > data.seen.size()) {
    bytes =
        bytes / static_cast<int64_t>(data.seen.size()) * static_cast<int64_t>(data.paths.size());
  }
  const double per_row = static_cast<double>(table.num_bytes) / static_cast<double>(table.num_rows);
  return static_cast<int64_t>(static_cast<double>(bytes) / per_row);
}

struct Shape {
  GuessedDelimiter delimiter = {};
  GuessedHeader header = {};
  batch::CsvDialect dialect = {};
  std::vector<std::string> names = {};
  int64_t skip = 0;
  std::string skipped = {};  // What is skipped, for people.
};

// "{weight: kg}"
std::string UnitsOf(const NumberNotations& numbers) {
  std::vector<std::string> parts;
  for (const auto& [column, unit] : numbers.units) {
    parts.push_back(YamlText(column) + ": " + YamlText(unit));
  }
  return parts.empty() ? "" : "units: " + YamlMap(parts);
}

std::string NumbersReason(const GuessedNumbers& guessed) {
  const NumberNotations& numbers = guessed.numbers;
  std::string reason;
  if (!guessed.thousands_example.empty()) {
    reason +=
        fmt::format("; numbers have {} between thousands, such as {}",
                    Quoted(std::string(1, numbers.thousands)), Quoted(guessed.thousands_example));
  } else if (numbers.decimal == ',') {
    reason += fmt::format(
        "; numbers have a decimal comma{}",
        guessed.decimal_example.empty() ? "" : ", such as " + Quoted(guessed.decimal_example));
  }
  if (!numbers.units.empty()) reason += "; units beside numbers are left out";
  return reason;
}

std::string FormatValue(const Shape& shape, const NumberNotations& numbers, bool trim) {
  const std::string& delimiter = shape.dialect.delimiter;
  const bool header = shape.header.header;
  return YamlMap(
      {"type: csv", delimiter == "," ? "" : "delimiter: " + YamlText(delimiter),
       shape.skip == 0 ? "" : fmt::format("skip: {}", shape.skip),
       numbers.decimal == ',' ? "decimal: \",\"" : "",
       numbers.thousands == '\0' ? "" : "thousands: " + YamlText(std::string(1, numbers.thousands)),
       UnitsOf(numbers), shape.dialect.quote ? "" : "quote: \"\"", trim ? "trim: true" : "",
       header ? "" : "header: false", header ? "" : "columns: " + YamlList(shape.names)});
}

Guess FormatGuess(const Shape& shape, const SampledTable& table, const GuessedNumbers& guessed,
                  bool trim) {
  Guess guess{.key = "format",
              .value = FormatValue(shape, guessed.numbers, trim),
              .reason = shape.delimiter.reason + "; " + shape.header.reason,
              .unknown = shape.delimiter.unknown};
  for (const std::string& more : {shape.header.unknown, guessed.unknown}) {
    if (!more.empty()) guess.unknown += (guess.unknown.empty() ? "" : "; ") + more;
  }
  guess.reason += shape.skipped + NumbersReason(guessed);
  if (!shape.dialect.quote) guess.reason += "; fields are not quoted";
  if (trim) guess.reason += "; there are blanks around fields";
  if (table.num_bad > 0) {
    guess.reason +=
        fmt::format("; {} of {} records have another number of fields and will be left out",
                    WithThousands(table.num_bad), WithThousands(table.num_bad + table.num_rows));
  }
  return guess;
}

// Records that are bad or of another width than most.
int64_t NumMisfits(const CsvRows& read) {
  const size_t width = UsualWidth(read.rows);
  return read.num_bad +
         std::ranges::count_if(read.rows, [&](const CsvRow& row) { return row.size() != width; });
}

// Takes quotes for characters like any other where this makes more records whole, as in files whose
// texts have quotes and none around them.
void TryWithoutQuotes(std::string_view text, bool last, Shape& shape, CsvRows& rows) {
  const int64_t misfits = NumMisfits(rows);
  if (misfits == 0) return;
  batch::CsvDialect plain = shape.dialect;
  plain.quote = std::nullopt;
  CsvRows read = ReadCsvRows(text, plain, last, kMaxFrontRows);
  if (NumMisfits(read) >= misfits) return;
  shape.dialect = std::move(plain);
  rows = std::move(read);
}

void Skip(const Preamble& preamble, Shape& shape) {
  if (preamble.num_lines == 0) return;
  shape.skip += preamble.num_lines;
  shape.skipped = fmt::format("; {} before the table {} skipped, such as {}",
                              shape.skip == 1 ? "a line" : fmt::format("{} lines", shape.skip),
                              shape.skip == 1 ? "is" : "are", Quoted(preamble.example));
}

void TakeDelimiter(const SeenFile& file, const CsvWishes& wishes, Shape& shape) {
  const Preamble comments = FindComments(FrontOf(file));
  Skip(comments, shape);
  const std::string_view text = WithoutLines(FrontOf(file), shape.skip);
  if (wishes.delimiter) {
    shape.delimiter = {*wishes.delimiter, "the delimiter is as given", {}};
  } else if (comments.delimiter) {
    shape.delimiter = {*comments.delimiter, "the first line says the delimiter", {}};
  } else {
    shape.delimiter = GuessDelimiter(text, EndsInFront(file));
  }
  shape.dialect.delimiter = shape.delimiter.delimiter;
  Skip(FindTitle(text, shape.dialect, EndsInFront(file)), shape);
}

// Takes the names of the first record, if it names the columns.
void TakeNames(std::string_view text, const CsvWishes& wishes, Shape& shape, CsvRows& rows) {
  const size_t width = UsualWidth(rows.rows);
  std::vector<CsvRow> usual;
  for (const CsvRow& row : rows.rows) {
    if (row.size() == width) usual.push_back(row);
    if (usual.size() == kMostForHeader) break;
  }
  shape.header = wishes.header ? GuessedHeader{*wishes.header, "the header is as given", {}}
                               : GuessHeader(usual);
  if (rows.rows.empty()) return;
  if (!wishes.header) {
    if (auto own = NameColumns(text, rows.rows, width, shape.dialect)) {
      shape.header = {.header = false, .reason = own->reason, .unknown = {}};
      shape.header.unknown = fmt::format(
          "how the columns are called: {}; correct the file, or "
          "`columns` and what names them",
          own->reason);
      shape.skip += own->num_lines;
      shape.names = std::move(own->names);
      rows.rows.erase(rows.rows.begin());
      return;
    }
  }
  // A header of another width than the records is nothing that storage reads.
  if (rows.rows.front().size() != width && !wishes.header) shape.header.header = false;
  shape.names = shape.header.header ? rows.rows.front() : NumberedNames(width);
}

Shape ShapeOf(const SeenFile& file, const CsvWishes& wishes, CsvRows& rows) {
  Shape shape;
  TakeDelimiter(file, wishes, shape);
  const std::string_view text = WithoutLines(FrontOf(file), shape.skip);
  rows = ReadCsvRows(text, shape.dialect, EndsInFront(file), kMaxFrontRows);
  if (text.find('"') != std::string_view::npos) {
    TryWithoutQuotes(text, EndsInFront(file), shape, rows);
  }
  TakeNames(text, wishes, shape, rows);
  return shape;
}

// Adds the records that were seen of a file to a table. Returns whether these are all it has.
bool AddFile(const SeenFile& file, size_t place, const Shape& shape, CsvRows&& front, size_t most,
             TableMaker& maker) {
  const bool whole = EndsInFront(file) && front.rows.size() < most;
  maker.Begin(place);
  maker.Add(std::move(front), shape.header.header ? 1 : 0);
  maker.Begin(place);
  maker.Add(EndOf(file, shape.dialect), 0);
  return whole;
}

// Puts together what was seen of the files. `front` holds the records of the first one. Storage
// leaves out a file whose header is not that of the first one; so do we, and name it in `others`.
SampledTable TableOf(const SeenData& data, const Shape& shape, CsvRows front,
                     std::vector<std::string>& others) {
  TableMaker maker(shape.names);
  bool whole = AddFile(data.seen.front(), 0, shape, std::move(front), kMaxFrontRows, maker);
  for (size_t place = 1; place < data.seen.size(); ++place) {
    const SeenFile& file = data.seen[place];
    CsvRows rows = ReadCsvRows(WithoutLines(FrontOf(file), shape.skip), shape.dialect,
                               EndsInFront(file), kMaxEndRows);
    if (shape.header.header && !rows.rows.empty() && rows.rows.front() != shape.names) {
      others.push_back(file.path);
      continue;
    }
    whole &= AddFile(file, place, shape, std::move(rows), kMaxEndRows, maker);
  }
  SampledTable table = maker.Take();
  table.whole = whole && data.seen.size() == data.paths.size();
  return table;
}

void SayOtherHeaders(const SeenData& data, const std::vector<std::string>& others, Guess& format) {
  if (others.empty()) return;
  if (!format.unknown.empty()) format.unknown += "; ";
  format.unknown += fmt::format(
      "what to do with files such as {}, whose header is not that of {}: {} of the {} files that "
      "were looked at are so, and will be left out; give each header its own pipeline",
      NamesForPeople(others), Quoted(data.seen.front().path), others.size(), data.seen.size());
}

// Trims the names, as storage does.
void TrimNames(SampledTable& table) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  for (SampledColumn& column : table.columns) {
    std::string& name = column.name;
    while (!name.empty() && is_blank(name.front())) name.erase(0, 1);
    while (!name.empty() && is_blank(name.back())) name.pop_back();
  }
}

}  // namespace

absl::StatusOr<CsvLook> LookAtCsv(const SeenData& data, const CsvWishes& wishes) {
  for (const SeenFile& file : data.seen) RETURN_IF_ERROR(CheckEncoding(file));
  CsvRows front;
  const Shape shape = ShapeOf(data.seen.front(), wishes, front);
  std::vector<std::string> others;
  CsvLook look{.table = TableOf(data, shape, std::move(front), others)};
  if (look.table.num_rows == 0) {
    return InvalidArgument("{} holds no records below its header; give a file with data",
                           data.seen.front().path);
  }
  look.table.num_rows_in_all = NumRowsInAll(data, look.table);
  const auto decimal = wishes.decimal ? std::optional(wishes.decimal->front()) : std::nullopt;
  const GuessedNumbers guessed = GuessNumbers(look.table, decimal);
  look.numbers = guessed.numbers;
  look.header_lines = shape.skip + (shape.header.header ? 1 : 0);
  const bool trim = HasBlanks(look.table) && !shape.dialect.delimiter.starts_with(' ');
  look.format = FormatGuess(shape, look.table, guessed, trim);
  SayOtherHeaders(data, others, look.format);
  if (trim) TrimNames(look.table);
  return look;
}

}  // namespace tidemill::cli
