#include "records/csv_splitter.h"

#include "records/csv_quotes.h"

namespace tidemill {

namespace {

constexpr const char* kTooLong = "the record is longer than format.max_record";
// A record of so many times max_record is given up: perhaps a quote was never closed.
constexpr size_t kGiveUp = 2;

}  // namespace

void CsvSplitter::First(std::string_view text, bool last, CsvRecord& record) const {
  record = {.fields = std::move(record.fields)};
  record.fields.clear();
  const size_t blank = text.starts_with('\n') ? 1 : text.starts_with("\r\n") ? 2 : 0;
  if (blank > 0) {
    record.kind = CsvRecord::Kind::kBlank;
    record.size = blank;
    return;
  }
  size_t at = 0;
  FieldEnd end = FieldEnd::kDelimiter;
  while (end == FieldEnd::kDelimiter) {
    const bool quoted = quote_ && at < text.size() && text[at] == *quote_;
    end = quoted ? TakeQuoted(text, last, at, record) : TakePlain(text, last, at, record);
  }
  // What the record comes to must not depend on how much of it is there already.
  const size_t known = end == FieldEnd::kRecord ? record.size : text.size();
  if (end != FieldEnd::kBad && known > kGiveUp * max_record_) {
    record.reason = kTooLong;
    SkipLine(text, last, record);
  } else if (end == FieldEnd::kRecord && record.content > max_record_) {
    record.kind = CsvRecord::Kind::kBad;
    record.reason = kTooLong;
  } else if (end == FieldEnd::kRecord) {
    record.kind = CsvRecord::Kind::kRecord;
  } else if (end == FieldEnd::kBad) {
    SkipLine(text, last, record);
  }
}

CsvSplitter::FieldEnd CsvSplitter::TakeQuoted(std::string_view text, bool last, size_t& at,
                                              CsvRecord& record) const {
  const size_t from = at + 1;
  const size_t close = FindClosingQuote(text, from, *quote_);
  if (close == std::string_view::npos || (close + 1 == text.size() && !last)) {
    if (!last) return FieldEnd::kIncomplete;
    record.reason = "a quote is never closed";
    return FieldEnd::kBad;
  }
  record.fields.push_back({.text = text.substr(from, close - from), .quoted = true});
  at = close + 1;
  if (at == text.size()) return EndRecord(at, at, record);
  if (text[at] == delimiter_) {
    ++at;
    return FieldEnd::kDelimiter;
  }
  if (text[at] == '\n') return EndRecord(at, at + 1, record);
  if (text[at] == '\r') {
    if (at + 1 == text.size()) return last ? EndRecord(at, at + 1, record) : FieldEnd::kIncomplete;
    if (text[at + 1] == '\n') return EndRecord(at, at + 2, record);
  }
  record.reason = "text follows a closing quote";
  return FieldEnd::kBad;
}

CsvSplitter::FieldEnd CsvSplitter::TakePlain(std::string_view text, bool last, size_t& at,
                                             CsvRecord& record) const {
  const size_t from = at;
  while (at < text.size() && text[at] != delimiter_ && text[at] != '\n') ++at;
  if (at == text.size() && !last) return FieldEnd::kIncomplete;
  const bool at_delimiter = at < text.size() && text[at] == delimiter_;
  const bool carriage_return = !at_delimiter && at > from && text[at - 1] == '\r';
  const size_t to = carriage_return ? at - 1 : at;
  record.fields.push_back({.text = text.substr(from, to - from), .quoted = false});
  if (!at_delimiter) return EndRecord(to, at < text.size() ? at + 1 : at, record);
  ++at;
  return FieldEnd::kDelimiter;
}

CsvSplitter::FieldEnd CsvSplitter::EndRecord(size_t content, size_t size, CsvRecord& record) const {
  record.content = content;
  record.size = size;
  return FieldEnd::kRecord;
}

void CsvSplitter::SkipLine(std::string_view text, bool last, CsvRecord& record) const {
  const size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos && !last && text.size() <= max_record_) return;
  record.kind = CsvRecord::Kind::kBad;
  record.runs_on = line_end == std::string_view::npos && !last;
  record.size = line_end == std::string_view::npos ? text.size() : line_end + 1;
  record.content = record.size;
}

std::string Unquote(const CsvField& field, std::optional<char> quote) {
  if (!field.quoted || !quote) return std::string(field.text);
  std::string text;
  AppendUnquoted(field.text, *quote, text);
  return text;
}

}  // namespace tidemill
