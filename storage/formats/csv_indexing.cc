#include "storage/formats/csv_indexing.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/check.h"
#include "records/csv_punctuation.h"
#include "records/file_kind.h"
#include "records/text.h"

namespace tidemill::storage {

namespace {

constexpr char kStrayQuote[] = "a quote is never closed, because the lines after it are records";
constexpr char kBehindHeader[] = "it follows a second header with other columns";
// The place of an over-long record that is lost, whatever is written after it.
constexpr int64_t kBehindZeros = -1;
constexpr char kZeroBytes[] = "it has zero bytes";
constexpr char kEmptyRecord[] = "all its fields are empty";

std::optional<size_t> PlaceOf(const std::vector<std::string>& names,
                              const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

}  // namespace

CsvReading::CsvReading(const DelimitedText& delimited, const DatasetSpec& of,
                       TimeReader time_reader, std::vector<CompiledExpression> compiled)
    : spec(of),
      columns(of.format->Columns().begin(), of.format->Columns().end()),
      text(delimited),
      splitter(text.dialect, static_cast<size_t>(text.max_record_bytes)),
      header(columns, text.dialect.quote),
      times(std::move(time_reader)),
      labels(of.label, text.dialect.numbers.Of(of.label.column.value_or(""))),
      expressions(std::move(compiled)),
      label_column(PlaceOf(columns, of.label.column)),
      group_column(PlaceOf(columns, of.series ? of.series->group : std::nullopt)),
      times_have_comma(text.dialect.numbers.decimal == ',' &&
                       of.event_time.format.starts_with("unix")) {
  for (const std::string& name : of.event_time.TimeFields()) {
    time_columns.push_back(PlaceOf(columns, name).value_or(0));
  }
}

CsvIndexing::CsvIndexing(const CsvReading& reading, const FileInput& input,
                         std::optional<FileTimes> file_times, std::optional<Label> file_label,
                         RecordExpressions expressions)
    : reading_(reading),
      input_(input),
      file_times_(file_times),
      file_label_(file_label),
      expressions_(std::move(expressions)),
      // A time and something else: few texts have lines of such a form.
      tells_records_((!reading.time_columns.empty() || expressions_.give_time()) &&
                     (reading.label_column || reading.columns.size() > 2)) {
  for (const std::string& name : expressions_.fields()) {
    expression_columns_.push_back(PlaceOf(reading.columns, name).value_or(0));
  }
  found_.bytes_done = input.from_byte;
  found_.records_done = input.from_record;
  found_.columns_moved = input.columns_moved;
  at_start_ = input.from_byte == 0;
  expects_header_ = at_start_ && reading.text.header;
  if (at_start_) skipped_ = SkippedLines(reading.text.skip);
}

absl::StatusOr<size_t> CsvIndexing::Consume(std::string_view window, int64_t offset, bool last) {
  TIDEMILL_CHECK(!is_finished_);
  size_t at = 0;
  if (at_start_) {
    RETURN_IF_ERROR(CheckKind(window));
    if (window.starts_with(kByteOrderMark)) at = kByteOrderMark.size();
    at_start_ = false;
  }
  if (!skipped_.IsDone()) {
    at += skipped_.Skip(window.substr(at), last && !reading_.spec.append);
    // Until all of them are whole a file is read from its beginning.
    if (!skipped_.IsDone()) return at;
  }
  while (at < window.size()) {
    if (runs_on_) {
      SkipRest(window, at);
      continue;
    }
    if (!expects_header_ && TakeZeros(window, at)) continue;
    if (num_zeros_ > 0) {
      if (!TakeZeroedLine(window, last, at)) break;
      continue;
    }
    const std::string_view rest = window.substr(at);
    // A growing file may still grow: only a line end ends its last record.
    reading_.splitter.First(rest, last && !reading_.spec.append, record_);
    if (record_.quoted) CutAtStrayQuote(rest);
    if (record_.kind == CsvRecord::Kind::kIncomplete) break;
    RETURN_IF_ERROR(Take(rest.substr(0, record_.content), offset + static_cast<int64_t>(at)));
    at += record_.size;
    found_.more = !runs_on_ && !expects_header_ &&
                  IsFull(input_, found_.records_done, offset + static_cast<int64_t>(at));
    if (found_.more) {
      found_.bytes_done = offset + static_cast<int64_t>(at);
      return Cancelled("the piece is full");
    }
  }
  // Until its header is whole a file is read from its beginning.
  if (!expects_header_) found_.bytes_done = offset + static_cast<int64_t>(at);
  return at;
}

IndexedFile CsvIndexing::Finish() {
  TIDEMILL_CHECK(!is_finished_);
  is_finished_ = true;
  if (num_zeros_ > 0) {
    found_.AddRemark(fmt::format("the file ends with {} zeros, which are not a record", num_zeros_),
                     /*num_members=*/0);
    // A growing file may continue in their place, or after them.
    if (reading_.spec.append) found_.bytes_done -= num_zeros_;
  }
  // An over-long record that is still being written is read again, from its beginning: what follows
  // of it must not pass for a record.
  if (runs_on_ && reading_.spec.append && long_from_ != kBehindZeros) {
    found_.RemoveLastBad();
    --found_.records_done;
    found_.bytes_done = long_from_;
  }
  found_.tallies = expressions_.Tallies();
  return std::move(found_);
}

absl::Status CsvIndexing::CheckKind(std::string_view start) const {
  const auto kind = KindOfFile(start);
  return kind ? InvalidArgument("this is not a CSV file, {}", kind->Explain()) : absl::OkStatus();
}

void CsvIndexing::SkipRest(std::string_view window, size_t& at) {
  const size_t behind = NextLine(window, at);
  runs_on_ = behind == std::string_view::npos;
  at = runs_on_ ? window.size() : behind;
}

bool CsvIndexing::TakeZeros(std::string_view window, size_t& at) {
  const size_t to = std::min(window.find_first_not_of('\0', at), window.size());
  num_zeros_ += static_cast<int64_t>(to - at);
  return std::exchange(at, to) < to;
}

bool CsvIndexing::TakeZeroedLine(std::string_view window, bool last, size_t& at) {
  const size_t behind = NextLine(window, at);
  const bool whole = behind != std::string_view::npos;
  const size_t to = whole ? behind : window.size();
  const auto max_bytes = static_cast<size_t>(reading_.text.max_record_bytes);
  if (!whole && !(last && !reading_.spec.append) && to - at <= max_bytes) return false;
  found_.AddZeroed(found_.records_done++, num_zeros_ + static_cast<int64_t>(to - at), kZeroBytes);
  num_zeros_ = 0;
  runs_on_ = !whole;
  long_from_ = kBehindZeros;
  at = to;
  return true;
}

void CsvIndexing::CutAtStrayQuote(std::string_view rest) {
  const bool whole = record_.kind == CsvRecord::Kind::kRecord;
  const bool open = record_.kind == CsvRecord::Kind::kIncomplete;
  if (expects_header_ || !tells_records_ || (!whole && !open)) return;
  const std::string_view text = whole ? rest.substr(0, record_.content) : rest;
  const size_t second = NextLine(text, 0);
  for (size_t line = second; line < text.size();) {
    const size_t next = NextLine(text, line);
    if (next == std::string_view::npos && open) return;
    if (IsSound(text.substr(line, next - line))) {
      record_.kind = CsvRecord::Kind::kBad;
      record_.reason = kStrayQuote;
      record_.content = record_.size = second;
      return;
    }
    line = next;
  }
}

bool CsvIndexing::IsSound(std::string_view line) {
  reading_.splitter.First(line, /*last=*/true, line_);
  return line_.kind == CsvRecord::Kind::kRecord && CheckCount(line_).ok() &&
         FactsOf(line_, /*position=*/0).ok();
}

absl::Status CsvIndexing::Take(std::string_view bytes, int64_t offset) {
  if (record_.kind == CsvRecord::Kind::kBlank) return absl::OkStatus();
  runs_on_ = record_.runs_on;
  if (runs_on_) long_from_ = offset;
  if (expects_header_) return TakeHeader();
  const int64_t position = found_.records_done++;
  if (record_.kind == CsvRecord::Kind::kBad) {
    const bool has_zeros = bytes.find('\0') != std::string_view::npos;
    if (has_zeros) {
      found_.AddZeroed(position, std::ssize(bytes),
                       fmt::format("{}; {}", record_.reason, kZeroBytes));
    } else {
      found_.AddBad(position, record_.reason);
    }
  } else {
    TakeRecord(bytes, offset, position);
  }
  return absl::OkStatus();
}

absl::Status CsvIndexing::TakeHeader() {
  expects_header_ = false;
  if (record_.kind == CsvRecord::Kind::kBad) {
    return InvalidArgument("the header cannot be read: {}", record_.reason);
  }
  const std::vector<std::string>& columns = reading_.columns;
  const std::vector<std::string> names = reading_.header.NamesIn(record_.fields);
  if (names == columns) return absl::OkStatus();
  return InvalidArgument("the header is [{}], but the dataset has [{}]", fmt::join(names, ", "),
                         fmt::join(columns, ", "));
}

void CsvIndexing::TakeRecord(std::string_view bytes, int64_t offset, int64_t position) {
  const auto kind = reading_.header.KindOf(record_.fields);
  if (kind != CsvHeader::Kind::kNone) return TakeSecondHeader(kind, position);
  if (!input_.present && record_.fields.front().text.empty() && IsEmpty(record_)) {
    if (position >= input_.counted) {
      found_.left_out.Add(position, 1, kEmptyRecord, /*wanted=*/true);
    }
    return;
  }
  if (found_.columns_moved) return found_.AddBad(position, kBehindHeader);
  if (bytes.find('\0') != std::string_view::npos) return AddZeros(bytes, position);
  const absl::Status status = AddSample(bytes, offset, position);
  if (status.ok()) return;
  if (reading_.header.KindOfBad(record_.fields) != CsvHeader::Kind::kNone) {
    return TakeSecondHeader(CsvHeader::Kind::kOther, position);
  }
  found_.AddBad(position, std::string(status.message()));
}

void CsvIndexing::AddZeros(std::string_view bytes, int64_t position) {
  const absl::Status count = CheckCount(record_);
  std::string reason = count.ok() ? "" : std::string(count.message()) + "; ";
  found_.AddZeroed(position, std::ssize(bytes), reason + kZeroBytes);
}

void CsvIndexing::TakeSecondHeader(CsvHeader::Kind kind, int64_t position) {
  const std::string what = reading_.text.header ? "a second header" : "a header";
  const size_t num_columns = reading_.columns.size();
  found_.columns_moved = kind != CsvHeader::Kind::kSame && record_.fields.size() == num_columns;
  if (kind == CsvHeader::Kind::kSame) return found_.AddBad(position, what);
  if (!found_.columns_moved) {
    // Each of its records tells itself that it has other fields.
    return found_.AddBad(position, fmt::format("{} with {} columns where {} are expected", what,
                                               record_.fields.size(), num_columns));
  }
  found_.AddBad(position,
                fmt::format("{} with {}: '{}'; what follows is left out", what,
                            kind == CsvHeader::Kind::kMoved ? "the columns in another order"
                                                            : "other columns",
                            fmt::join(reading_.header.NamesIn(record_.fields), ", ")));
}

absl::Status CsvIndexing::AddSample(std::string_view bytes, int64_t offset, int64_t position) {
  RETURN_IF_ERROR(CheckCount(record_));
  ASSIGN_OR_RETURN(const std::optional<SampleFacts> facts,
                   FactsOf(record_, position, ForeignRecord::At(position, input_, found_)));
  if (!facts) {
    ++found_.num_filtered;
    return absl::OkStatus();
  }
  if (reading_.group_column) {
    found_.groups.push_back(groups_.Of(Field(record_, *reading_.group_column)));
  }
  found_.AddGood(position, offset, bytes, facts->time, facts->label);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<SampleFacts>> CsvIndexing::FactsOf(
    const CsvRecord& record, int64_t position, const std::optional<ForeignRecord>& foreign) {
  if (!expressions_.any() && !foreign) {
    SampleFacts facts;
    ASSIGN_OR_RETURN(facts.label, LabelOf(record));
    ASSIGN_OR_RETURN(facts.time, TimeOf(record, position));
    return facts;
  }
  const auto text = [&](size_t field) -> absl::StatusOr<std::optional<std::string_view>> {
    return Field(record, expression_columns_[field]);
  };
  return expressions_.FactsOf(
      text, [&] { return TimeOf(record, position); }, [&] { return LabelOf(record); }, foreign);
}

absl::Status CsvIndexing::CheckCount(const CsvRecord& record) const {
  const size_t num_columns = reading_.columns.size();
  if (record.fields.size() == num_columns) return absl::OkStatus();
  return InvalidArgument("{} fields where {} columns are expected", record.fields.size(),
                         num_columns);
}

absl::StatusOr<Label> CsvIndexing::LabelOf(const CsvRecord& record) {
  if (!reading_.label_column) return file_label_.value_or(Label{});
  return reading_.labels.FromText(Field(record, *reading_.label_column));
}

absl::StatusOr<Timestamp> CsvIndexing::TimeOf(const CsvRecord& record, int64_t position) {
  if (reading_.time_columns.empty()) return file_times_->At(position);
  if (reading_.time_columns.size() == 1 && !reading_.times_have_comma) {
    return reading_.times.Read(Field(record, reading_.time_columns.front()));
  }
  joined_.clear();
  bool lacks_part = false;
  for (size_t i = 0; i < reading_.time_columns.size(); ++i) {
    if (i > 0) joined_ += ' ';
    const std::string_view part = Field(record, reading_.time_columns[i]);
    joined_ += part;
    lacks_part |= IsBlank(part);
  }
  if (reading_.times_have_comma) std::ranges::replace(joined_, ',', '.');
  return ReadJoined(reading_.times, joined_, lacks_part);
}

std::string_view CsvIndexing::Field(const CsvRecord& record, size_t column) {
  const CsvField& field = record.fields[column];
  if (!field.quoted) return field.text;
  unquoted_ = Unquote(field, reading_.text.dialect.quote);
  return unquoted_;
}

}  // namespace tidemill::storage
