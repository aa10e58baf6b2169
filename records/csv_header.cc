#include "records/csv_header.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "records/text.h"

namespace tidemill {

CsvHeader::CsvHeader(std::vector<std::string> columns, std::optional<char> quote)
    : columns_(std::move(columns)), quote_(quote), sorted_(columns_) {
  std::ranges::sort(sorted_);
  for (const std::string& name : columns_) {
    if (name.empty()) continue;
    names_.insert(name);
    begins_[static_cast<unsigned char>(name.front())] = true;
  }
}

CsvHeader::Kind CsvHeader::KindOf(std::span<const CsvField> record) const {
  if (record.size() != columns_.size() || names_.empty()) return Kind::kNone;
  const CsvField& first = record.front();
  const bool is_marked = first.text.starts_with(kByteOrderMark);
  const bool begins = first.text.empty() ? names_.size() < columns_.size()
                                         : begins_[static_cast<unsigned char>(first.text.front())];
  if (!is_marked && !(begins && (first.text.empty() || IsName(first)))) return Kind::kNone;
  std::vector<std::string> names = NamesIn(record);
  if (names == columns_) return Kind::kSame;
  std::ranges::sort(names);
  return names == sorted_ ? Kind::kMoved : Kind::kNone;
}

CsvHeader::Kind CsvHeader::KindOfBad(std::span<const CsvField> record) const {
  if (const Kind kind = KindOf(record); kind != Kind::kNone) return kind;
  const auto num_names =
      std::ranges::count_if(record, [&](const CsvField& field) { return IsName(field); });
  if (num_names == 0 || 2 * num_names < std::ssize(record)) return Kind::kNone;
  // Each name occurs once in a header. Values may be names, too, and repeat.
  return ProblemOfNames(NamesIn(record)) ? Kind::kNone : Kind::kOther;
}

std::vector<std::string> CsvHeader::NamesIn(std::span<const CsvField> header) const {
  std::vector<std::string> names;
  names.reserve(header.size());
  for (const CsvField& field : header) names.push_back(Unquote(field, quote_));
  std::string& first = names.front();
  if (!first.starts_with(kByteOrderMark)) return names;
  first.erase(0, kByteOrderMark.size());
  // The mark kept the quote from being one.
  if (quote_ && first.size() > 1 && first.front() == *quote_ && first.back() == *quote_) {
    first = first.substr(1, first.size() - 2);
  }
  return names;
}

bool CsvHeader::IsName(const CsvField& field) const {
  return field.quoted ? names_.contains(Unquote(field, quote_)) : names_.contains(field.text);
}

std::optional<std::string> ProblemOfNames(std::span<const std::string> names) {
  while (!names.empty() && names.back().empty()) names = names.first(names.size() - 1);
  if (names.empty()) return "names no column";
  std::set<std::string_view> known;
  for (const std::string& name : names) {
    if (!IsText(name)) return fmt::format("names '{}', which is not UTF-8 text", AsText(name));
    if (!known.insert(name).second) return fmt::format("names '{}' twice", name);
  }
  return std::nullopt;
}

}  // namespace tidemill
