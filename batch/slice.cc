#include "batch/slice.h"

#include <cstring>

#include "base/check.h"

namespace tidemill::batch {
namespace {

Buffer AlignedSlice(const Buffer& buffer, size_t offset, size_t size) {
  if (size == 0) return {};
  if (reinterpret_cast<uintptr_t>(buffer.data() + offset) % kBufferAlignment == 0) {
    return buffer.Slice(offset, size);
  }
  Buffer copy = Buffer::AllocateUnwritten(size);
  std::memcpy(copy.mutable_data(), buffer.data() + offset, size);
  return copy;
}

Buffer SliceBits(const Column& column, int64_t from, int64_t to) {
  if (column.validity.empty()) return {};
  Buffer bits = Buffer::Allocate(static_cast<size_t>(to - from + 7) / 8);
  for (int64_t row = from; row < to; ++row) {
    if (!column.IsValid(row)) continue;
    const int64_t at = row - from;
    bits.mutable_data()[at / 8] |= static_cast<std::byte>(1U << (at % 8));
  }
  return bits;
}

void SliceStrings(const Column& column, int64_t from, int64_t to, Column& into) {
  const std::span<const int64_t> bounds = column.offsets.As<int64_t>();
  const int64_t first = bounds[static_cast<size_t>(from)];
  into.data = column.data.Slice(static_cast<size_t>(first),
                                static_cast<size_t>(bounds[static_cast<size_t>(to)] - first));
  into.offsets = Buffer::Allocate(static_cast<size_t>(to - from + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = into.offsets.MutableAs<int64_t>();
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = bounds[static_cast<size_t>(from) + i] - first;
  }
}

}  // namespace

Batch Slice(const Batch& batch, int64_t from, int64_t to) {
  TIDEMILL_CHECK(from >= 0 && from <= to && to <= batch.num_rows());
  if (from == 0 && to == batch.num_rows()) return batch;
  Batch slice(to - from);
  for (const Column& column : batch.columns()) {
    Column part{.name = column.name, .type = column.type, .shape = column.shape};
    if (column.type == DataType::kBinary) {
      SliceStrings(column, from, to, part);
    } else {
      const size_t row_bytes = static_cast<size_t>(column.Width()) * SizeOf(column.type);
      part.data = AlignedSlice(column.data, static_cast<size_t>(from) * row_bytes,
                               static_cast<size_t>(to - from) * row_bytes);
    }
    part.validity = SliceBits(column, from, to);
    slice.Set(std::move(part)).IgnoreError();  // As large as it says.
  }
  return slice;
}

int64_t BytesOf(const Batch& batch) {
  size_t bytes = 0;
  for (const Column& column : batch.columns()) {
    bytes += column.data.size() + column.offsets.size() + column.validity.size();
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace tidemill::batch
