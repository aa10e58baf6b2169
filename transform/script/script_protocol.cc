#include "transform/script/script_protocol.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tidemill::transform {
namespace {

constexpr int64_t kMemoryBytes = int64_t{1} << 20;
constexpr batch::DataType kTypes[] = {batch::DataType::kFloat32, batch::DataType::kFloat64,
                                      batch::DataType::kInt64, batch::DataType::kInt32,
                                      batch::DataType::kUInt8};

// The alignment that vectorised loops prefer.
int64_t Aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

int64_t RowBytes(const ColumnSchema& column) {
  return column.Width() * static_cast<int64_t>(batch::SizeOf(column.type));
}

ScriptLayout::ScriptLayout(std::vector<ColumnSchema> inputs, ColumnSchema output)
    : inputs_(std::move(inputs)), output_(std::move(output)) {
  for (const ColumnSchema& input : inputs_) {
    input_offsets_.push_back(block_bytes_);
    block_bytes_ += Aligned(kScriptRows * RowBytes(input));
  }
  output_offset_ = block_bytes_;
  block_bytes_ += Aligned(kScriptRows * RowBytes(output_));
}

int64_t ScriptLayout::num_blocks() const {
  return std::max<int64_t>(1, kMemoryBytes / block_bytes_);
}

std::string ToArgument(const ColumnSchema& column) {
  return fmt::format("{}:{}", batch::NameOf(column.type), fmt::join(column.shape, ","));
}

absl::StatusOr<ColumnSchema> FromArgument(std::string_view argument) {
  const size_t colon = argument.find(':');
  const auto type = std::ranges::find(kTypes, argument.substr(0, colon), batch::NameOf);
  if (colon == std::string_view::npos || type == std::end(kTypes)) {
    return InvalidArgument("{} is not a column such as float32:3,32", argument);
  }
  ColumnSchema column{.name = {}, .type = *type};
  const std::string shape(argument.substr(colon + 1));
  for (const auto part : absl::StrSplit(shape, ',', absl::SkipEmpty())) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 1) {
      return InvalidArgument("{} has no shape such as in float32:3,32", argument);
    }
    column.shape.push_back(size);
  }
  return column;
}

}  // namespace tidemill::transform
