#include "records/csv_splitter.h"

#include <algorithm>

#include "base/check.h"
#include "records/csv_quotes.h"

namespace tidemill {

namespace {

constexpr const char* kTooLong = "the record is longer than format.max_record";
// A record longer than this multiple of max_record is given up: perhaps a quote was never closed.
constexpr size_t kGiveUp = 2;

}  // namespace

void CsvSplitter::First(std::string_view text, bool last, CsvRecord& record) const {
  TIDEMILL_DCHECK(!text.empty());
  record = {.fields = std::move(record.fields)};
  record.fields.clear();
  const bool is_blank = text.front() == '\n' || text.front() == '\r';
  const size_t blank = text.starts_with("\r\n") ? 2 : is_blank ? 1 : 0;
  if (blank > 0) {
    record.kind = CsvRecord::Kind::kBlank;
    record.size = blank;
    return;
  }
  size_t at = 0;
  FieldEnd end = FieldEnd::kDelimiter;
  while (end == FieldEnd::kDelimiter) {
    const size_t begin = punctuation_.SkipBlanks(text, at);
    const bool quoted = punctuation_.IsQuote(text, begin);
    if (quoted) at = begin;
    end = quoted ? TakeQuoted(text, last, at, record) : TakePlain(text, last, at, record);
  }
  // The parsed record must not depend on how much of it has arrived.
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
  record.quoted = true;
  const size_t from = at + 1;
  const size_t close = FindClosingQuote(text, from, *punctuation_.quote());
  if (close == std::string_view::npos || (close + 1 == text.size() && !last)) {
    if (!last) return FieldEnd::kIncomplete;
    record.reason = "a quote is never closed";
    return FieldEnd::kBad;
  }
  record.fields.push_back({.text = text.substr(from, close - from), .quoted = true});
  at = punctuation_.SkipBlanks(text, close + 1);
  if (at == text.size()) return last ? EndRecord(text, at, record) : FieldEnd::kIncomplete;
  if (text[at] == '\n' || text[at] == '\r') return EndRecord(text, at, record);
  // More bytes may still make it one.
  const size_t rest = text.size() - at;
  if (rest < punctuation_.delimiter_bytes() && !last) return FieldEnd::kIncomplete;
  if (punctuation_.IsDelimiter(text, at)) {
    at += punctuation_.delimiter_bytes();
    return FieldEnd::kDelimiter;
  }
  record.reason = "text follows a closing quote";
  return FieldEnd::kBad;
}

CsvSplitter::FieldEnd CsvSplitter::TakePlain(std::string_view text, bool last, size_t& at,
                                             CsvRecord& record) const {
  const size_t from = at;
  at = punctuation_.FindFieldEnd(text, from);
  if (at == text.size() && !last) return FieldEnd::kIncomplete;
  record.fields.push_back(
      {.text = punctuation_.Trimmed(text.substr(from, at - from)), .quoted = false});
  if (at == text.size() || !punctuation_.IsDelimiter(text, at)) return EndRecord(text, at, record);
  at += punctuation_.delimiter_bytes();
  return FieldEnd::kDelimiter;
}

CsvSplitter::FieldEnd CsvSplitter::EndRecord(std::string_view text, size_t at, CsvRecord& record) {
  record.content = at;
  // A \n that belongs to the \r at the end of the text makes an empty line once it is there.
  record.size = at == text.size() ? at : NextLine(text, at);
  return FieldEnd::kRecord;
}

void CsvSplitter::SkipLine(std::string_view text, bool last, CsvRecord& record) const {
  const size_t behind = NextLine(text, 0);
  if (behind == std::string_view::npos && !last && text.size() <= max_record_) return;
  record.kind = CsvRecord::Kind::kBad;
  record.runs_on = behind == std::string_view::npos && !last;
  record.size = behind == std::string_view::npos ? text.size() : behind;
  record.content = record.size;
}

bool IsEmpty(const CsvRecord& record) {
  return record.fields.size() > 1 && std::ranges::all_of(record.fields, [](const CsvField& field) {
           return !field.quoted && field.text.find_first_not_of(" \t") == std::string_view::npos;
         });
}

std::string Unquote(const CsvField& field, std::optional<char> quote) {
  if (!field.quoted || !quote) return std::string(field.text);
  std::string text;
  AppendUnquoted(field.text, *quote, text);
  return text;
}

}  // namespace tidemill
