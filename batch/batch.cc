#include "batch/batch.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tidemill::batch {

namespace {

size_t ValidityBytes(int64_t num_rows) { return (static_cast<size_t>(num_rows) + 7) / 8; }

// Numbers in a row, std::nullopt when there is no such int64.
std::optional<int64_t> CheckedWidth(const std::vector<int64_t>& shape) {
  int64_t width = 1;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(width, size, &width)) return std::nullopt;
  }
  return width;
}

absl::Status CheckNumbers(const Column& column, int64_t num_rows) {
  const std::optional<int64_t> width = CheckedWidth(column.shape);
  size_t bytes = 0;
  if (!width.has_value() || __builtin_mul_overflow(num_rows, *width, &bytes) ||
      __builtin_mul_overflow(bytes, SizeOf(column.type), &bytes)) {
    return InvalidArgument("column {}: its shape is not valid", column.name);
  }
  if (column.data.size() != bytes) {
    return InvalidArgument("column {}: it has {} bytes, but {} rows need {}", column.name,
                           column.data.size(), num_rows, bytes);
  }
  return absl::OkStatus();
}

absl::Status CheckStrings(const Column& column, int64_t num_rows) {
  const std::span<const int64_t> offsets = column.offsets.As<int64_t>();
  if (column.offsets.size() % sizeof(int64_t) != 0 ||
      offsets.size() != static_cast<size_t>(num_rows) + 1) {
    return InvalidArgument("column {}: it has {} bytes of offsets for {} rows", column.name,
                           column.offsets.size(), num_rows);
  }
  if (offsets.front() != 0 || offsets.back() != static_cast<int64_t>(column.data.size())) {
    return InvalidArgument("column {}: its offsets do not span its {} bytes", column.name,
                           column.data.size());
  }
  for (size_t row = 1; row < offsets.size(); ++row) {
    if (offsets[row] < offsets[row - 1]) {
      return InvalidArgument("column {}: its offsets decrease at row {}", column.name, row - 1);
    }
  }
  return absl::OkStatus();
}

void SetBit(Buffer& bits, int64_t row) {
  bits.mutable_data()[row / 8] |= static_cast<std::byte>(1U << (row % 8));
}

void TakeStrings(const Column& from, std::span<const int64_t> rows, Column& into) {
  into.offsets = Buffer::Allocate((rows.size() + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = into.offsets.MutableAs<int64_t>();
  for (size_t i = 0; i < rows.size(); ++i) {
    offsets[i + 1] = offsets[i] + static_cast<int64_t>(from.Bytes(rows[i]).size());
  }
  into.data = Buffer::AllocateUnwritten(static_cast<size_t>(offsets.back()));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string_view bytes = from.Bytes(rows[i]);
    if (!bytes.empty()) {
      std::memcpy(into.data.mutable_data() + offsets[i], bytes.data(), bytes.size());
    }
  }
}

void TakeNumbers(const Column& from, std::span<const int64_t> rows, Column& into) {
  const size_t row_bytes = static_cast<size_t>(from.Width()) * SizeOf(from.type);
  into.data = Buffer::AllocateUnwritten(rows.size() * row_bytes);
  if (row_bytes == 0) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(into.data.mutable_data() + i * row_bytes,
                from.data.data() + static_cast<size_t>(rows[i]) * row_bytes, row_bytes);
  }
}

Column TakeColumn(const Column& from, std::span<const int64_t> rows) {
  Column into{.name = from.name, .type = from.type, .shape = from.shape};
  if (from.type == DataType::kBinary) {
    TakeStrings(from, rows, into);
  } else {
    TakeNumbers(from, rows, into);
  }
  if (!from.validity.empty()) {
    into.validity = Buffer::Allocate(ValidityBytes(static_cast<int64_t>(rows.size())));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (from.IsValid(rows[i])) SetBit(into.validity, static_cast<int64_t>(i));
    }
  }
  return into;
}

absl::Status CheckSameColumns(const Batch& first, const Batch& other) {
  if (first.columns().size() != other.columns().size()) {
    return InvalidArgument("cannot concatenate batches of {} and {} columns",
                           first.columns().size(), other.columns().size());
  }
  for (const Column& column : first.columns()) {
    const Column* match = other.Find(column.name);
    if (match == nullptr || match->type != column.type || match->shape != column.shape) {
      return InvalidArgument("cannot concatenate batches: column {} differs", column.name);
    }
  }
  return absl::OkStatus();
}

Buffer ConcatenateBytes(std::span<const Column* const> parts) {
  size_t size = 0;
  for (const Column* part : parts) size += part->data.size();
  Buffer data = Buffer::AllocateUnwritten(size);
  size_t at = 0;
  for (const Column* part : parts) {
    if (!part->data.empty()) {
      std::memcpy(data.mutable_data() + at, part->data.data(), part->data.size());
    }
    at += part->data.size();
  }
  return data;
}

Buffer ConcatenateOffsets(std::span<const Column* const> parts, int64_t num_rows) {
  Buffer buffer = Buffer::Allocate((static_cast<size_t>(num_rows) + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = buffer.MutableAs<int64_t>();
  size_t row = 0;
  int64_t base = 0;
  for (const Column* part : parts) {
    const std::span<const int64_t> from = part->offsets.As<int64_t>();
    for (size_t i = 1; i < from.size(); ++i) offsets[++row] = base + from[i];
    base += static_cast<int64_t>(part->data.size());
  }
  return buffer;
}

Buffer ConcatenateValidity(std::span<const Column* const> parts, std::span<const Batch> batches,
                           int64_t num_rows) {
  bool any = false;
  for (const Column* part : parts) any = any || !part->validity.empty();
  if (!any) return {};
  Buffer bits = Buffer::Allocate(ValidityBytes(num_rows));
  int64_t row = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (int64_t part_row = 0; part_row < batches[i].num_rows(); ++part_row, ++row) {
      if (parts[i]->IsValid(part_row)) SetBit(bits, row);
    }
  }
  return bits;
}

template <typename T>
constexpr DataType TypeOf();
template <>
constexpr DataType TypeOf<int64_t>() {
  return DataType::kInt64;
}
template <>
constexpr DataType TypeOf<int32_t>() {
  return DataType::kInt32;
}
template <>
constexpr DataType TypeOf<uint8_t>() {
  return DataType::kUInt8;
}
template <>
constexpr DataType TypeOf<float>() {
  return DataType::kFloat32;
}
template <>
constexpr DataType TypeOf<double>() {
  return DataType::kFloat64;
}

}  // namespace

size_t SizeOf(DataType type) {
  switch (type) {
    case DataType::kInt64:
    case DataType::kFloat64:
      return 8;
    case DataType::kInt32:
    case DataType::kFloat32:
      return 4;
    case DataType::kUInt8:
    case DataType::kBinary:
      return 1;
  }
  return 1;
}

std::string_view NameOf(DataType type) {
  switch (type) {
    case DataType::kInt64:
      return "int64";
    case DataType::kInt32:
      return "int32";
    case DataType::kUInt8:
      return "uint8";
    case DataType::kFloat32:
      return "float32";
    case DataType::kFloat64:
      return "float64";
    case DataType::kBinary:
      return "binary";
  }
  return "unknown";
}

int64_t Column::Width() const { return CheckedWidth(shape).value_or(0); }

absl::Status Batch::Set(Column column) {
  if (column.name.size() > kMaxNameBytes || column.shape.size() > kMaxDimensions) {
    return InvalidArgument("column {}: a name has at most {} bytes, a row at most {} dimensions",
                           column.name, kMaxNameBytes, kMaxDimensions);
  }
  RETURN_IF_ERROR(column.type == DataType::kBinary ? CheckStrings(column, num_rows_)
                                                   : CheckNumbers(column, num_rows_));
  if (!column.validity.empty() && column.validity.size() != ValidityBytes(num_rows_)) {
    return InvalidArgument("column {}: it has {} bytes of validity for {} rows", column.name,
                           column.validity.size(), num_rows_);
  }
  for (Column& existing : columns_) {
    if (existing.name == column.name) {
      existing = std::move(column);
      return absl::OkStatus();
    }
  }
  columns_.push_back(std::move(column));
  return absl::OkStatus();
}

void Batch::Drop(std::string_view name) {
  std::erase_if(columns_, [&](const Column& column) { return column.name == name; });
}

const Column* Batch::Find(std::string_view name) const {
  for (const Column& column : columns_) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

absl::StatusOr<const Column*> Batch::Get(std::string_view name, DataType type) const {
  const Column* column = Find(name);
  if (column == nullptr) {
    std::string known;
    for (const Column& existing : columns_) {
      known += (known.empty() ? "" : ", ") + existing.name;
    }
    return NotFound("there is no column {}; there are: {}", name, known);
  }
  if (column->type != type) {
    return InvalidArgument("column {} is {}, not {}", name, NameOf(column->type), NameOf(type));
  }
  return column;
}

std::span<const int64_t> Batch::keys() const {
  const Column* column = Find(kKeyColumn);
  if (column == nullptr || column->type != DataType::kInt64) return {};
  return column->Values<int64_t>();
}

Batch Batch::Take(std::span<const int64_t> rows) const {
  TIDEMILL_DCHECK(
      std::ranges::all_of(rows, [&](int64_t row) { return row >= 0 && row < num_rows_; }));
  Batch taken(static_cast<int64_t>(rows.size()));
  for (const Column& column : columns_) taken.columns_.push_back(TakeColumn(column, rows));
  return taken;
}

template <typename T>
Column MakeColumn(std::string_view name, std::span<const T> values,
                  std::vector<int64_t> shape) {  // NOLINT: it is moved.
  Column column{.name = std::string(name), .type = TypeOf<T>(), .shape = std::move(shape)};
  column.data = Buffer::AllocateUnwritten(values.size_bytes());
  if (!values.empty()) {
    std::memcpy(column.data.mutable_data(), values.data(), values.size_bytes());
  }
  return column;
}

template Column MakeColumn(std::string_view, std::span<const int64_t>, std::vector<int64_t>);
template Column MakeColumn(std::string_view, std::span<const int32_t>, std::vector<int64_t>);
template Column MakeColumn(std::string_view, std::span<const uint8_t>, std::vector<int64_t>);
template Column MakeColumn(std::string_view, std::span<const float>, std::vector<int64_t>);
template Column MakeColumn(std::string_view, std::span<const double>, std::vector<int64_t>);

Column MakeBinaryColumn(std::string_view name, std::span<const std::string_view> values) {
  Column column{.name = std::string(name), .type = DataType::kBinary};
  column.offsets = Buffer::Allocate((values.size() + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = column.offsets.MutableAs<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    offsets[i + 1] = offsets[i] + static_cast<int64_t>(values[i].size());
  }
  column.data = Buffer::AllocateUnwritten(static_cast<size_t>(offsets.back()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].empty()) {
      std::memcpy(column.data.mutable_data() + offsets[i], values[i].data(), values[i].size());
    }
  }
  return column;
}

absl::StatusOr<Batch> Concatenate(std::span<const Batch> batches) {
  if (batches.empty()) return Batch();
  int64_t num_rows = 0;
  for (const Batch& batch : batches) {
    RETURN_IF_ERROR(CheckSameColumns(batches.front(), batch));
    num_rows += batch.num_rows();
  }
  Batch whole(num_rows);
  for (const Column& column : batches.front().columns()) {
    std::vector<const Column*> parts;
    for (const Batch& batch : batches) parts.push_back(batch.Find(column.name));
    Column joined{.name = column.name, .type = column.type, .shape = column.shape};
    joined.data = ConcatenateBytes(parts);
    if (column.type == DataType::kBinary) joined.offsets = ConcatenateOffsets(parts, num_rows);
    joined.validity = ConcatenateValidity(parts, batches, num_rows);
    RETURN_IF_ERROR(whole.Set(std::move(joined)));
  }
  return whole;
}

}  // namespace tidemill::batch
