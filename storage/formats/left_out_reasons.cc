#include "storage/formats/left_out_reasons.h"

#include <algorithm>

#include "records/text.h"

namespace tidemill::storage {

namespace {

constexpr size_t kMaxReasons = 50;
constexpr size_t kMaxBytes = 200;

// The text that follows a path in a reason.
constexpr std::string_view kBehindPaths[] = {": ",    "; ",       ", ",     " is ",
                                             " has ", " became ", " ends ", " unpacks "};

bool BeginsPath(std::string_view reason, size_t at) {
  if (at > 0 && reason[at - 1] != ' ') return false;
  return reason[at] == '/' || reason.substr(at).starts_with("s3://");
}

// Where a whole number ends that is a word, as in "12 bytes"; `at` when none begins there. The 2 of
// "column x2" and the 3 of "3/4" are parts of others.
size_t EndOfNumber(std::string_view reason, size_t at) {
  if (at > 0 && reason[at - 1] != ' ' && reason[at - 1] != '(') return at;
  size_t end = at;
  while (end < reason.size() && reason[end] >= '0' && reason[end] <= '9') ++end;
  const bool is_word =
      end == reason.size() || std::string_view(" ,;:)").find(reason[end]) != std::string_view::npos;
  return is_word ? end : at;
}

// Where what is quoted, a path or a number ends that begins at `at`; `at` when nothing begins
// there.
size_t EndOfPart(std::string_view reason, size_t at) {
  if (reason[at] == '\'') {
    const size_t quote = reason.find('\'', at + 1);
    return quote == std::string_view::npos ? at : quote + 1;
  }
  if (!BeginsPath(reason, at)) return EndOfNumber(reason, at);
  size_t end = reason.size();
  for (const std::string_view behind : kBehindPaths) end = std::min(end, reason.find(behind, at));
  return end;
}

}  // namespace

std::string PatternOf(std::string_view reason) {
  std::string pattern;
  for (size_t at = 0; at < reason.size();) {
    const size_t end = EndOfPart(reason, at);
    if (end > at) {
      pattern += reason[at] == '\'' ? "'...'" : "...";
      at = end;
    } else {
      pattern += reason[at++];
    }
  }
  return AsText(pattern, kMaxBytes);
}

LeftOutReason& LeftOutReasons::Place(std::string_view reason, bool wanted) {
  if (!items_.empty() && reason == last_reason_ && items_[last_].wanted == wanted) {
    return items_[last_];
  }
  last_reason_ = reason;
  std::string pattern = PatternOf(reason);
  auto found = std::ranges::find_if(items_, [&](const LeftOutReason& item) {
    return item.pattern == pattern && item.wanted == wanted;
  });
  if (found == items_.end() && items_.size() >= kMaxReasons) {
    pattern.clear();
    found = std::ranges::find_if(items_, [&](const LeftOutReason& item) {
      return item.pattern.empty() && item.wanted == wanted;
    });
  }
  last_ = static_cast<size_t>(found - items_.begin());
  if (found == items_.end()) {
    items_.push_back({.pattern = std::move(pattern),
                      .wanted = wanted,
                      .first_record = std::nullopt,
                      .first_reason = ""});
  }
  return items_[last_];
}

void LeftOutReasons::Add(std::optional<int64_t> record, int64_t count, std::string_view reason,
                         bool wanted) {
  if (count <= 0) return;
  LeftOutReason& place = Place(reason, wanted);
  if (place.first_reason.empty()) {
    place.first_record = record;
    place.first_reason = AsText(reason);
  }
  place.num_records += count;
  num_records_ += count;
}

void LeftOutReasons::Add(int64_t record, std::string_view reason, int64_t lost_bytes) {
  Add(record, 1, reason, /*wanted=*/false);
  items_[last_].lost_bytes += lost_bytes;
}

void LeftOutReasons::AddFile(std::string_view reason, int64_t lost_bytes) {
  LeftOutReason& place = Place(reason, /*wanted=*/false);
  if (place.first_reason.empty()) place.first_reason = AsText(reason);
  ++place.num_files;
  place.lost_bytes += lost_bytes;
}

void LeftOutReasons::AddRemark(std::string_view reason, int64_t num_members, bool wanted) {
  LeftOutReason& place = Place(reason, wanted);
  if (place.first_reason.empty()) place.first_reason = AsText(reason);
  place.num_members += num_members;
}

void LeftOutReasons::RemoveLast() {
  --num_records_;
  if (--items_[last_].num_records > 0 || items_[last_].num_files > 0) return;
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(last_));
  last_ = 0;
  last_reason_ = items_.empty() ? "" : items_.front().first_reason;
}

}  // namespace tidemill::storage
