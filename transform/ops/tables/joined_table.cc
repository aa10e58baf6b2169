#include "transform/ops/tables/joined_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/time.h"
#include "transform/ops/records/number_text.h"

namespace tidemill::transform {

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

// Makes one table.
class JoinedTable::Maker {
 public:
  Maker(std::string_view text, const TableForm& form, const std::vector<bool>& whole)
      : text_(text), form_(form), whole_(whole), joined_(new JoinedTable()) {}

  std::variant<std::shared_ptr<const JoinedTable>, TableProblem> Make() {
    auto read = ReadTable(text_, form_);
    if (auto* problem = std::get_if<TableProblem>(&read)) return std::move(*problem);
    joined_->table_ = std::get<LookupTable>(std::move(read));
    joined_->has_times_ = !joined_->table_.times.empty();
    auto problem = TakeKeys();
    if (!problem) problem = joined_->has_times_ ? TakeTimes() : FindTwin();
    if (problem) return *std::move(problem);
    return std::shared_ptr<const JoinedTable>(std::move(joined_));
  }

 private:
  int64_t num_rows() const { return joined_->table_.num_rows; }

  int32_t LineOf(int64_t row) const { return LineOfRow(text_, form_, row); }

  std::optional<TableProblem> TakeKeys() {
    std::vector<TableTexts> columns = std::exchange(joined_->table_.keys, {});
    if (columns.size() == 1 && !whole_[0]) {
      joined_->keys_ = std::move(columns[0]);
      return std::nullopt;
    }
    KeyBytes key(columns.size());
    joined_->keys_.Reserve(static_cast<size_t>(num_rows()), text_.size());
    for (int64_t row = 0; row < num_rows(); ++row) {
      key.Clear();
      for (size_t i = 0; i < columns.size(); ++i) {
        const std::string_view text = columns[i].At(row);
        int64_t number = 0;
        if (!whole_[i]) {
          key.Add(text);
        } else if (const auto problem = ParseNumber(text, number)) {
          return NotWhole(row, form_.keys[i], text, *problem);
        } else {
          key.Add(number);
        }
      }
      joined_->keys_.Add(key.view());
    }
    return std::nullopt;
  }

  TableProblem NotWhole(int64_t row, const std::string& name, std::string_view text,
                        std::string_view problem) const {
    return {.key = "on",
            .message = fmt::format("{}, line {}: {}: {} {}, but the sample's is a whole number",
                                   form_.name, LineOf(row), name, Quoted(text), problem),
            .hint = "parse the sample's column with dtype: string, or fix the line"};
  }

  // Calls body(row, first row of its key) for each row.
  template <typename Body>
  void IndexKeys(Body&& body) {
    joined_->index_.Reserve(static_cast<size_t>(num_rows()));
    for (uint32_t row = 0; row < num_rows(); ++row) {
      if (!body(row, joined_->index_.Add(joined_->keys_, row))) return;
    }
  }

  std::optional<TableProblem> FindTwin() {
    std::optional<TableProblem> problem;
    IndexKeys([&](uint32_t row, uint32_t first) {
      if (row != first) problem = Twins(first, row);
      return !problem;
    });
    return problem;
  }

  std::optional<TableProblem> TakeTimes() {
    std::vector<uint32_t>& numbers = joined_->numbers_;
    std::vector<uint32_t>& begins = joined_->begins_;
    numbers.resize(static_cast<size_t>(num_rows()));
    IndexKeys([&](uint32_t row, uint32_t first) {
      if (row == first) {
        numbers[row] = static_cast<uint32_t>(begins.size());
        begins.push_back(0);
      } else {
        numbers[row] = numbers[first];
      }
      ++begins[numbers[row]];
      return true;
    });
    std::exclusive_scan(begins.begin(), begins.end(), begins.begin(), uint32_t{0});
    std::vector<uint32_t>& order = joined_->order_;
    order.resize(numbers.size());
    std::vector<uint32_t> next = begins;
    for (uint32_t row = 0; row < order.size(); ++row) order[next[numbers[row]]++] = row;
    begins.push_back(static_cast<uint32_t>(order.size()));
    return SortByTime();
  }

  std::optional<TableProblem> SortByTime() {
    const std::vector<int64_t> times = std::exchange(joined_->table_.times, {});
    const std::vector<int64_t> ends = std::exchange(joined_->table_.ends, {});
    const std::vector<uint32_t>& begins = joined_->begins_;
    std::vector<uint32_t>& order = joined_->order_;
    std::optional<std::pair<uint32_t, uint32_t>> twins;  // The rows with the earliest second one.
    for (size_t key = 0; key + 1 < begins.size(); ++key) {
      std::stable_sort(order.begin() + begins[key], order.begin() + begins[key + 1],
                       [&](uint32_t a, uint32_t b) { return times[a] < times[b]; });
      for (uint32_t i = begins[key] + 1; i < begins[key + 1]; ++i) {
        if (times[order[i]] != times[order[i - 1]]) continue;
        if (!twins || order[i] < twins->second) twins = {order[i - 1], order[i]};
      }
    }
    if (twins) return Twins(twins->first, twins->second, times[twins->first]);
    joined_->times_.reserve(order.size());
    for (const uint32_t row : order) joined_->times_.push_back(times[row]);
    if (!ends.empty()) joined_->ends_.reserve(order.size());
    for (const uint32_t row : order) {
      if (!ends.empty()) joined_->ends_.push_back(ends[row]);
    }
    return std::nullopt;
  }

  // The key of a row for messages: "'Bern', '7'".
  std::string KeyText(int64_t row) const {
    const auto read = ReadTable(text_, form_);
    std::vector<std::string> parts;
    for (const TableTexts& column : std::get<LookupTable>(read).keys) {
      parts.push_back(Quoted(column.At(row)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  TableProblem Twins(int64_t row, int64_t twin, std::optional<int64_t> time = std::nullopt) const {
    const std::string when = time ? fmt::format(" from {} on", FormatTimestamp({*time})) : "";
    return {.key = "table",
            .message = fmt::format("{}, line {}: the key {} already occurs{} in line {}",
                                   form_.name, LineOf(twin), KeyText(twin), when, LineOf(row)),
            .hint = time ? "keep one of the lines"
                         : "keep one of the lines, or name in as_of the column of times from which "
                           "lines are valid"};
  }

  const std::string_view text_;
  const TableForm& form_;
  const std::vector<bool>& whole_;
  std::shared_ptr<JoinedTable> joined_;
};

std::variant<std::shared_ptr<const JoinedTable>, TableProblem> JoinedTable::Read(
    std::string_view text, const TableForm& form, const std::vector<bool>& whole) {
  return Maker(text, form, whole).Make();
}

std::optional<JoinedTable::Rows> JoinedTable::Find(std::string_view key) const {
  const std::optional<uint32_t> first = index_.Find(keys_, key);
  if (!first) return std::nullopt;
  if (!has_times_) return Rows{.first = *first, .count = 1};
  const uint32_t number = numbers_[*first];
  return Rows{.first = begins_[number], .count = begins_[number + 1] - begins_[number]};
}

std::optional<int64_t> JoinedTable::NewestAt(const Rows& rows, int64_t time) const {
  const auto begin = times_.begin() + rows.first;
  const auto later = std::upper_bound(begin, begin + rows.count, time);
  if (later == begin) return std::nullopt;
  const auto newest = static_cast<size_t>(later - times_.begin()) - 1;
  if (!ends_.empty() && ends_[newest] <= time) return std::nullopt;
  return order_[newest];
}

}  // namespace tidemill::transform
