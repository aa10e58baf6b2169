#include "transform/ops/tables/joined_table.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/time.h"
#include "transform/ops/records/number_text.h"

namespace tidemill::transform {
namespace {

// The key of a row for messages: "'Bern', '7'".
std::string KeyText(const LookupTable& table, int64_t row) {
  std::vector<std::string> parts;
  for (const batch::Column& column : table.keys) parts.push_back(Quoted(column.Bytes(row)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void KeyBytes::Add(std::string_view text) {
  if (!alone_) {
    const auto size = static_cast<uint32_t>(text.size());
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof(size));
  }
  bytes_ += text;
}

void KeyBytes::Add(int64_t number) {
  bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::variant<std::shared_ptr<const JoinedTable>, TableProblem> JoinedTable::Create(
    LookupTable table, const TableForm& form, const std::vector<bool>& whole) {
  std::shared_ptr<JoinedTable> joined(new JoinedTable());
  joined->table_ = std::move(table);
  if (auto problem = joined->TakeKeys(form, whole)) return *std::move(problem);
  if (auto problem = joined->FindTwins(form)) return *std::move(problem);
  return std::shared_ptr<const JoinedTable>(std::move(joined));
}

std::optional<TableProblem> JoinedTable::TakeKeys(const TableForm& form,
                                                  const std::vector<bool>& whole) {
  const int64_t num_rows = table_.num_rows();
  const bool own_bytes = whole.size() == 1 && !whole[0];
  std::string bytes;
  std::vector<size_t> ends;
  KeyBytes key(whole.size());
  for (int64_t row = 0; row < num_rows && !own_bytes; ++row) {
    key.Clear();
    for (size_t i = 0; i < whole.size(); ++i) {
      const std::string_view text = table_.keys[i].Bytes(row);
      int64_t number = 0;
      if (!whole[i]) {
        key.Add(text);
      } else if (const auto problem = ParseNumber(text, number)) {
        return TableProblem{
            .key = "on",
            .message =
                fmt::format("{}, line {}: {}: {} {}, but the sample's is a whole number", form.name,
                            table_.lines[row], form.keys[i], Quoted(text), *problem),
            .hint = "parse the sample's column with dtype: string, or fix the line"};
      } else {
        key.Add(number);
      }
    }
    bytes += key.view();
    ends.push_back(bytes.size());
  }
  key_bytes_ = std::move(bytes);
  std::vector<uint32_t> group_of(static_cast<size_t>(num_rows));
  for (int64_t row = 0; row < num_rows; ++row) {
    const size_t begin = row == 0 || own_bytes ? 0 : ends[row - 1];
    const std::string_view found =
        own_bytes ? table_.keys[0].Bytes(row)
                  : std::string_view(key_bytes_).substr(begin, ends[row] - begin);
    const auto next = static_cast<uint32_t>(rows_of_.size());
    // Until the rows are in order, `first` is the number of the key.
    Rows& rows = rows_of_.try_emplace(absl::string_view(found.data(), found.size()), Rows{next, 0})
                     .first->second;
    ++rows.count;
    group_of[row] = rows.first;
  }
  Order(group_of);
  return std::nullopt;
}

void JoinedTable::Order(const std::vector<uint32_t>& group_of) {
  std::vector<uint32_t> first(rows_of_.size());
  for (const auto& [key, rows] : rows_of_) first[rows.first] = rows.count;
  std::exclusive_scan(first.begin(), first.end(), first.begin(), uint32_t{0});
  for (auto& [key, rows] : rows_of_) rows.first = first[rows.first];
  order_.resize(group_of.size());
  for (uint32_t row = 0; row < group_of.size(); ++row) order_[first[group_of[row]]++] = row;
  if (table_.times.empty()) return;
  for (const auto& [key, rows] : rows_of_) {
    const auto begin = order_.begin() + rows.first;
    std::stable_sort(begin, begin + rows.count,
                     [&](uint32_t a, uint32_t b) { return table_.times[a] < table_.times[b]; });
  }
  for (const uint32_t row : order_) times_.push_back(table_.times[row]);
}

std::optional<TableProblem> JoinedTable::FindTwins(const TableForm& form) const {
  std::optional<std::pair<uint32_t, uint32_t>> twins;  // The twins with the earliest second row.
  for (const auto& [key, rows] : rows_of_) {
    for (uint32_t i = rows.first + 1; i < rows.first + rows.count; ++i) {
      if (!times_.empty() && times_[i] != times_[i - 1]) continue;
      if (!twins || order_[i] < twins->second) twins = {order_[i - 1], order_[i]};
    }
  }
  if (!twins) return std::nullopt;
  const auto [row, twin] = *twins;
  const std::string when =
      times_.empty() ? "" : fmt::format(" from {} on", FormatTimestamp({table_.times[row]}));
  return TableProblem{
      .key = "table",
      .message = fmt::format("{}, line {}: the key {} already occurs{} in line {}", form.name,
                             table_.lines[twin], KeyText(table_, twin), when, table_.lines[row]),
      .hint = times_.empty() ? "keep one of the lines, or name in as_of the column of times from "
                               "which lines are valid"
                             : "keep one of the lines"};
}

std::optional<int64_t> JoinedTable::NewestAt(const Rows& rows, int64_t time) const {
  const auto begin = times_.begin() + rows.first;
  const auto later = std::upper_bound(begin, begin + rows.count, time);
  if (later == begin) return std::nullopt;
  return order_[static_cast<size_t>(later - times_.begin()) - 1];
}

}  // namespace tidemill::transform
