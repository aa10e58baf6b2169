#include "transform/plugin/made_columns.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "transform/engine/numbers.h"

namespace tidemill::transform {
namespace {

// The limit of one column in a frame.
constexpr size_t kMaxStringBytes = size_t{512} << 20;

}  // namespace

MadeColumns::MadeColumns(std::span<const BoundColumn> outputs, int64_t num_rows)
    : outputs_(outputs), num_rows_(num_rows), strings_(outputs.size()) {
  for (const auto& [slot, schema] : outputs) {
    batch::Column& column = columns_.emplace_back(
        batch::Column{.name = schema.name, .type = schema.type, .shape = schema.shape});
    if (IsText(schema.type)) continue;
    column.data = batch::Buffer::Allocate(static_cast<size_t>(num_rows * schema.Width()) *
                                          batch::SizeOf(schema.type));
  }
}

absl::Status MadeColumns::Check(const batch::Batch& answer, int64_t num_rows) const {
  if (answer.num_rows() != num_rows) {
    return InvalidArgument("it got {} rows but returned {}", num_rows, answer.num_rows());
  }
  if (answer.columns().size() != outputs_.size()) {
    return InvalidArgument("it makes {} columns, not {}", outputs_.size(), answer.columns().size());
  }
  for (const auto& [slot, schema] : outputs_) {
    const batch::Column* const column = answer.Find(schema.name);
    if (column == nullptr) return InvalidArgument("it did not make the column {}", schema.name);
    if (column->type != schema.type || column->shape != schema.shape || !column->validity.empty()) {
      return InvalidArgument("the column {} does not have the declared type and shape",
                             schema.name);
    }
  }
  return absl::OkStatus();
}

absl::Status MadeColumns::Take(const batch::Batch& answer, std::span<const plugin::RowRun> runs,
                               Frame& frame) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const batch::Column& from = *answer.Find(outputs_[i].schema.name);
    if (IsText(from.type)) {
      RETURN_IF_ERROR(TakeStrings(from, runs, i));
    } else {
      TakeNumbers(from, runs, i, frame);
    }
  }
  return absl::OkStatus();
}

void MadeColumns::TakeNumbers(const batch::Column& from, std::span<const plugin::RowRun> runs,
                              size_t output, Frame& frame) {
  const ColumnSchema& schema = outputs_[output].schema;
  const int64_t width = schema.Width();
  const auto row_bytes = width * static_cast<int64_t>(batch::SizeOf(schema.type));
  const std::byte* next = from.data.data();
  for (const plugin::RowRun& run : runs) {
    std::byte* const to = columns_[output].data.mutable_data() + run.first * row_bytes;
    const auto bytes = static_cast<size_t>(run.count * row_bytes);
    std::memcpy(to, next, bytes);
    next += bytes;
    // The plug-in may still write to what it gave, but not to this copy.
    VisitNumbers(schema.type, to, run.count * width, [&]<typename T>(std::span<const T> values) {
      if constexpr (std::is_floating_point_v<T>) {
        if (!HasNonFinite(values)) return;
        RejectNonFiniteRows(values, schema.name, width, run.first, frame);
      }
    });
  }
}

absl::Status MadeColumns::TakeStrings(const batch::Column& from,
                                      std::span<const plugin::RowRun> runs, size_t output) {
  StringsMade& made = strings_[output];
  if (from.data.size() > kMaxStringBytes - made.bytes.size()) {
    return ResourceExhausted("the column {} has more than {} bytes for {} rows",
                             outputs_[output].schema.name, kMaxStringBytes, num_rows_);
  }
  const auto offsets = from.offsets.As<int64_t>();
  size_t place = 0;
  for (const plugin::RowRun& run : runs) {
    made.SkipTo(run.first);
    const int64_t shift = std::ssize(made.bytes) - offsets[place];
    const size_t end = place + static_cast<size_t>(run.count);
    made.bytes += from.data.view().substr(static_cast<size_t>(offsets[place]),
                                          static_cast<size_t>(offsets[end] - offsets[place]));
    while (place < end) made.offsets.push_back(offsets[++place] + shift);
  }
  return absl::OkStatus();
}

void MadeColumns::StringsMade::SkipTo(int64_t row) {
  offsets.resize(static_cast<size_t>(row) + 1, std::ssize(bytes));
}

void MadeColumns::Finish(Frame& frame) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    batch::Column& column = columns_[i];
    if (IsText(column.type)) {
      strings_[i].SkipTo(num_rows_);
      const auto& offsets = strings_[i].offsets;
      column.offsets = batch::Buffer::AllocateUnwritten(offsets.size() * sizeof(int64_t));
      std::memcpy(column.offsets.mutable_data(), offsets.data(), column.offsets.size());
      column.data = batch::Buffer::FromString(std::move(strings_[i].bytes));
    }
    frame.Set(outputs_[i].slot, std::move(column));
  }
}

}  // namespace tidemill::transform
