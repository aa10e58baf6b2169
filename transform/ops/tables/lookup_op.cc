#include "transform/ops/tables/lookup_op.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/time.h"
#include "transform/engine/numbers.h"
#include "transform/ops/records/number_text.h"
#include "transform/ops/tables/near_key.h"

namespace tidemill::transform {
namespace {

// A column that is a part of the key.
struct KeyColumn {
  const batch::Column* texts = nullptr;  // nullptr for whole numbers.
  std::vector<int64_t> numbers = {};
};

std::vector<KeyColumn> KeyColumnsOf(const std::vector<BoundColumn>& keys, const Frame& frame) {
  std::vector<KeyColumn> parts;
  for (const BoundColumn& key : keys) {
    KeyColumn& part = parts.emplace_back();
    const batch::Column& column = frame.Get(key.slot);
    if (IsText(column.type)) {
      part.texts = &column;
      continue;
    }
    part.numbers.reserve(static_cast<size_t>(frame.num_rows()));
    VisitNumbers(column, [&](auto values) {
      for (const auto value : values) part.numbers.push_back(static_cast<int64_t>(value));
    });
  }
  return parts;
}

}  // namespace

std::string LookupOp::KeyOf(int64_t row, const Frame& frame) const {
  std::vector<std::string> names, values;
  for (const BoundColumn& key : keys_) {
    const batch::Column& column = frame.Get(key.slot);
    names.push_back(key.schema.name);
    if (IsText(column.type)) {
      values.push_back(Quoted(column.Bytes(row)));
    } else {
      VisitNumbers(column,
                   [&](auto numbers) { values.push_back(fmt::format("{}", numbers[row])); });
    }
  }
  return fmt::format("{} {}: {}", names.size() == 1 ? "column" : "columns", fmt::join(names, ", "),
                     fmt::join(values, ", "));
}

std::string LookupOp::WhyNoRow(int64_t row, const Frame& frame) const {
  std::vector<KeyPart> parts;
  for (const BoundColumn& key : keys_) {
    const batch::Column& column = frame.Get(key.slot);
    KeyPart& part = parts.emplace_back();
    if (IsText(column.type)) {
      part.text = std::string(column.Bytes(row));
    } else {
      VisitNumbers(column, [&](auto values) { part.number = static_cast<int64_t>(values[row]); });
    }
  }
  std::string why = fmt::format("{} is not in the table", KeyOf(row, frame));
  const std::optional<std::string> near = FindNearKey(*table_, parts);
  return near ? fmt::format("{}, which has {}", why, *near) : why;
}

std::string LookupOp::WhyNoRowAt(const JoinedTable::Rows& rows, int64_t time, int64_t row,
                                 const Frame& frame) const {
  const std::string of = FormatTimestamp({time});
  const Timestamp first{table_->FirstTime(rows)};
  if (time < first.micros) {
    return fmt::format("{} is in the table from {} on, but the sample is of {}", KeyOf(row, frame),
                       FormatTimestamp(first), of);
  }
  return fmt::format("the row of {} in the table had ended when the sample happened, at {}",
                     KeyOf(row, frame), of);
}

int64_t LookupOp::FindRow(std::string_view key, std::span<const int64_t> times, int64_t row,
                          Frame& frame) const {
  const std::optional<JoinedTable::Rows> found = table_->Find(key);
  if (found && times.empty()) return JoinedTable::Only(*found);
  if (found) {
    if (const std::optional<int64_t> newest = table_->NewestAt(*found, times[row])) return *newest;
  }
  frame.CountUnknown();
  if (must_match_) {
    frame.Reject(row, !found ? WhyNoRow(row, frame) : WhyNoRowAt(*found, times[row], row, frame));
  }
  return kNoRow;
}

std::vector<int64_t> LookupOp::FindRows(std::span<const int64_t> times, Frame& frame) const {
  std::vector<int64_t> rows(static_cast<size_t>(frame.num_rows()), kNoRow);
  const std::vector<KeyColumn> parts = KeyColumnsOf(keys_, frame);
  const bool own_bytes = parts.size() == 1 && parts[0].texts != nullptr;
  KeyBytes key(parts.size());
  for (int64_t row = 0; row < frame.num_rows(); ++row) {
    if (frame.IsBad(row)) continue;
    if (own_bytes) {
      rows[row] = FindRow(parts[0].texts->Bytes(row), times, row, frame);
      continue;
    }
    key.Clear();
    for (const KeyColumn& part : parts) {
      if (part.texts != nullptr) {
        key.Add(part.texts->Bytes(row));
      } else {
        key.Add(part.numbers[row]);
      }
    }
    rows[row] = FindRow(key.view(), times, row, frame);
  }
  return rows;
}

template <typename T>
batch::Column LookupOp::NumbersOf(const Column& column, std::span<const int64_t> rows,
                                  Frame& frame) const {
  T fallback = 0;
  if constexpr (std::is_floating_point_v<T>) {
    const double* const number = std::get_if<double>(&column.fallback);
    fallback = number == nullptr ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(*number);
  } else if (const int64_t* const number = std::get_if<int64_t>(&column.fallback)) {
    fallback = *number;
  }
  const TableValues& from = table_->table().values[column.place];
  const auto& values = std::get<std::vector<T>>(from.values);
  batch::Column made = NewUnwrittenColumn<T>(column.output.schema.name, frame.num_rows(), {});
  T* const out = made.data.MutableAs<T>().data();
  for (size_t row = 0; row < rows.size(); ++row) {
    out[row] = rows[row] == kNoRow ? fallback : values[static_cast<size_t>(rows[row])];
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isnan(out[row])) continue;
      out[row] = fallback;
      const auto at = static_cast<int64_t>(row);
      if (must_have_ && !frame.IsBad(at)) {
        frame.Reject(at, fmt::format("{} has no {} in the table", KeyOf(at, frame), from.name));
      }
    }
  }
  return made;
}

batch::Column LookupOp::TextsOf(const Column& column, std::span<const int64_t> rows,
                                Frame& frame) const {
  const std::string* const fallback = std::get_if<std::string>(&column.fallback);
  const auto& from = std::get<TableTexts>(table_->table().values[column.place].values);
  TextColumn made(frame.num_rows());
  for (int64_t row = 0; row < std::ssize(rows); ++row) {
    std::string_view text = fallback != nullptr ? std::string_view(*fallback) : std::string_view();
    if (rows[row] != kNoRow) text = from.At(rows[row]);
    if (frame.AddText(row, column.output.schema.name, text.size())) made.Append(text);
    made.EndRow(row);
  }
  return made.Finish(column.output.schema.name);
}

absl::Status LookupOp::Run(std::span<const Learned> /*learned*/, Frame& frame) const {
  std::span<const int64_t> times;
  if (table_->has_times()) {
    const batch::Column* const column = frame.samples().Find(batch::kEventTimeColumn);
    if (column == nullptr || column->type != batch::DataType::kInt64) {
      return FailedPrecondition(
          "as_of needs the event times of the samples, and these samples have none");
    }
    times = column->Values<int64_t>();
  }
  const std::vector<int64_t> rows = FindRows(times, frame);
  for (const Column& column : columns_) {
    batch::Column made;
    switch (column.output.schema.type) {
      case batch::DataType::kFloat32:
        made = NumbersOf<float>(column, rows, frame);
        break;
      case batch::DataType::kFloat64:
        made = NumbersOf<double>(column, rows, frame);
        break;
      case batch::DataType::kInt64:
        made = NumbersOf<int64_t>(column, rows, frame);
        break;
      default:
        made = TextsOf(column, rows, frame);
    }
    frame.Set(column.output.slot, std::move(made));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::transform
