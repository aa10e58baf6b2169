// The columnar batch, which carries samples from storage to the loss. A key, its bytes, its label
// and its weight are entries of one row and are never separated.
//
// Columns with a fixed meaning:
//   key          int64    always there
//   event_time   int64    microseconds UTC
//   class_label  int64    nullable
//   real_label   float64  nullable
//   weight       float32
//   ordinal      int64    position in the training set
//   payload      binary   the sample's bytes as stored
// Ops of a graph add further columns, such as `input` and `target`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/status.h"
#include "batch/buffer.h"

namespace tidemill::batch {

enum class DataType : uint8_t {
  kInt64 = 1,
  kInt32 = 2,
  kUInt8 = 3,
  kFloat32 = 4,
  kFloat64 = 5,
  kBinary = 6,  // Byte strings of any length.
};

// Returns the bytes of one number; 1 for kBinary.
size_t SizeOf(DataType type);
std::string_view NameOf(DataType type);

inline constexpr std::string_view kKeyColumn = "key";
inline constexpr std::string_view kEventTimeColumn = "event_time";
inline constexpr std::string_view kClassLabelColumn = "class_label";
inline constexpr std::string_view kRealLabelColumn = "real_label";
inline constexpr std::string_view kWeightColumn = "weight";
inline constexpr std::string_view kOrdinalColumn = "ordinal";
inline constexpr std::string_view kPayloadColumn = "payload";

// The limits of the wire format for a column.
inline constexpr size_t kMaxNameBytes = 255;
inline constexpr size_t kMaxDimensions = 8;

// One column, in Arrow's layout.
struct Column {
  std::string name;
  DataType type = DataType::kInt64;
  // The shape of a row's numbers: {} for one number, {28, 28} for an image. Unused for kBinary.
  std::vector<int64_t> shape = {};
  // Row-major numbers, num_rows times the product of `shape`. For kBinary, the bytes of the
  // strings.
  Buffer data = {};
  // For kBinary only: num_rows + 1 int64 offsets into `data`.
  Buffer offsets = {};
  // One bit per row, least significant first; 1 means present. Empty when every row is present.
  Buffer validity = {};

  // Returns the number of numbers in a row.
  int64_t Width() const;
  bool IsValid(int64_t row) const;
  // Returns the bytes of one row of a kBinary column.
  std::string_view Bytes(int64_t row) const;

  template <typename T>
  std::span<const T> Values() const {
    return data.As<T>();
  }
};

// Both are called row by row.
inline bool Column::IsValid(int64_t row) const {
  if (validity.empty()) return true;
  TIDEMILL_DCHECK(row >= 0 && static_cast<size_t>(row) / 8 < validity.size());
  return (static_cast<unsigned>(validity.data()[row / 8]) >> (row % 8) & 1U) != 0;
}

inline std::string_view Column::Bytes(int64_t row) const {
  const std::span<const int64_t> bounds = offsets.As<int64_t>();
  TIDEMILL_DCHECK(row >= 0 && row + 1 < std::ssize(bounds));
  const auto from = static_cast<size_t>(bounds[static_cast<size_t>(row)]);
  const auto to = static_cast<size_t>(bounds[static_cast<size_t>(row) + 1]);
  TIDEMILL_DCHECK(from <= to && to <= data.size());
  return {reinterpret_cast<const char*>(data.data()) + from, to - from};
}

// A set of columns with the same number of rows. Thread-compatible.
class Batch {
 public:
  Batch() = default;
  explicit Batch(int64_t num_rows) : num_rows_(num_rows) {}

  int64_t num_rows() const { return num_rows_; }
  const std::vector<Column>& columns() const { return columns_; }

  // Adds a column, or replaces the one with that name. INVALID_ARGUMENT when the sizes of its
  // buffers do not fit num_rows, type and shape.
  absl::Status Set(Column column);
  void Drop(std::string_view name);

  // Returns nullptr when there is none.
  const Column* Find(std::string_view name) const;
  // NOT_FOUND names the existing columns. INVALID_ARGUMENT when the type differs.
  absl::StatusOr<const Column*> Get(std::string_view name, DataType type) const;

  // Returns the `key` column.
  std::span<const int64_t> keys() const;

  // Returns the rows `rows` of every column, in that order. A row may be taken several times.
  Batch Take(std::span<const int64_t> rows) const;

 private:
  int64_t num_rows_ = 0;
  std::vector<Column> columns_;
};

// Makes a column of numbers by copying them. `shape` is as in Column.
template <typename T>
Column MakeColumn(std::string_view name, std::span<const T> values,
                  std::vector<int64_t> shape = {});
// Makes a kBinary column.
Column MakeBinaryColumn(std::string_view name, std::span<const std::string_view> values);

// Returns one batch after another. All must have the same columns; otherwise INVALID_ARGUMENT.
absl::StatusOr<Batch> Concatenate(std::span<const Batch> batches);

}  // namespace tidemill::batch
