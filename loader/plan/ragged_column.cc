#include "loader/plan/ragged_column.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemill::loader {
namespace {

bool IsOfItems(int64_t type) {
  return type == static_cast<int64_t>(batch::DataType::kInt64) ||
         type == static_cast<int64_t>(batch::DataType::kFloat32);
}

// Bytes of each row up to the last item with a number that is not `padding`.
template <typename T>
std::vector<size_t> BytesOfRows(const batch::Column& padded, int64_t num_rows, T padding) {
  const std::span<const T> values = padded.Values<T>();
  const auto width = static_cast<size_t>(padded.Width());
  const size_t item = padded.shape[0] > 0 ? width / static_cast<size_t>(padded.shape[0]) : 0;
  std::vector<size_t> bytes;
  bytes.reserve(static_cast<size_t>(num_rows));
  for (size_t row = 0; row < static_cast<size_t>(num_rows); ++row) {
    size_t length = width;
    while (length > 0 && values[row * width + length - 1] == padding) --length;
    const size_t places = item > 0 ? (length + item - 1) / item : 0;
    bytes.push_back(places * item * sizeof(T));
  }
  return bytes;
}

template <typename T>
void FillRows(const batch::Column& ragged, size_t row_bytes, T padding, batch::Column& padded) {
  const std::span<const int64_t> bounds = ragged.offsets.As<int64_t>();
  for (size_t row = 0; row + 1 < bounds.size(); ++row) {
    const auto size = static_cast<size_t>(bounds[row + 1] - bounds[row]);
    std::byte* const to = padded.data.mutable_data() + row * row_bytes;
    if (size > 0) std::memcpy(to, ragged.data.data() + bounds[row], size);
    auto* const rest = reinterpret_cast<T*>(to + size);
    std::fill_n(rest, (row_bytes - size) / sizeof(T), padding);
  }
}

}  // namespace

absl::StatusOr<RaggedItems> ItemsOf(const batch::Column& column) {
  if (column.type != batch::DataType::kBinary || column.shape.empty() ||
      !IsOfItems(column.shape[0])) {
    return InvalidArgument("column {} does not hold rows of numbers", column.name);
  }
  RaggedItems items{.type = static_cast<batch::DataType>(column.shape[0]),
                    .shape = {column.shape.begin() + 1, column.shape.end()}};
  items.bytes = static_cast<int64_t>(batch::SizeOf(items.type));
  for (const int64_t size : items.shape) items.bytes *= size;
  if (items.bytes < 1) {
    return InvalidArgument("the entries of column {} have no bytes", column.name);
  }
  return items;
}

absl::StatusOr<batch::Column> ToRagged(const batch::Column& padded, int64_t num_rows,
                                       double padding) {
  if (!IsOfItems(static_cast<int64_t>(padded.type)) || padded.shape.empty()) {
    return InvalidArgument("rows of column {} have no length", padded.name);
  }
  const std::vector<size_t> sizes =
      padded.type == batch::DataType::kInt64
          ? BytesOfRows<int64_t>(padded, num_rows, static_cast<int64_t>(padding))
          : BytesOfRows<float>(padded, num_rows, static_cast<float>(padding));
  batch::Column ragged{.name = padded.name, .type = batch::DataType::kBinary};
  ragged.shape = padded.shape;
  ragged.shape[0] = static_cast<int64_t>(padded.type);
  ragged.offsets = batch::Buffer::Allocate((sizes.size() + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = ragged.offsets.MutableAs<int64_t>();
  for (size_t row = 0; row < sizes.size(); ++row) {
    offsets[row + 1] = offsets[row] + static_cast<int64_t>(sizes[row]);
  }
  ragged.data = batch::Buffer::AllocateUnwritten(static_cast<size_t>(offsets.back()));
  const size_t row_bytes = static_cast<size_t>(padded.Width()) * batch::SizeOf(padded.type);
  for (size_t row = 0; row < sizes.size(); ++row) {
    if (sizes[row] == 0) continue;
    std::memcpy(ragged.data.mutable_data() + offsets[row], padded.data.data() + row * row_bytes,
                sizes[row]);
  }
  return ragged;
}

absl::StatusOr<batch::Column> ToPadded(const batch::Column& ragged, int64_t width, double padding) {
  ASSIGN_OR_RETURN(const RaggedItems items, ItemsOf(ragged));
  batch::Column padded{.name = ragged.name, .type = items.type, .shape = items.shape};
  padded.shape.insert(padded.shape.begin(), width);
  const auto row_bytes = static_cast<size_t>(width * items.bytes);
  const size_t num_rows = ragged.offsets.As<int64_t>().size() - 1;
  padded.data = batch::Buffer::AllocateUnwritten(num_rows * row_bytes);
  if (items.type == batch::DataType::kInt64) {
    FillRows<int64_t>(ragged, row_bytes, static_cast<int64_t>(padding), padded);
  } else {
    FillRows<float>(ragged, row_bytes, static_cast<float>(padding), padded);
  }
  return padded;
}

absl::StatusOr<std::vector<int64_t>> LengthsOf(const batch::Column& ragged) {
  ASSIGN_OR_RETURN(const RaggedItems items, ItemsOf(ragged));
  const std::span<const int64_t> bounds = ragged.offsets.As<int64_t>();
  std::vector<int64_t> lengths;
  lengths.reserve(bounds.size());
  for (size_t row = 1; row < bounds.size(); ++row) {
    lengths.push_back((bounds[row] - bounds[row - 1]) / items.bytes);
  }
  return lengths;
}

}  // namespace tidemill::loader
