// Reads the numbers and texts of records.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/written_number.h"
#include "transform/engine/frame.h"

namespace tidemill::transform {

inline std::string_view Trim(std::string_view text) { return WithoutBlanksAround(text); }

// Parses `text` as a T. Returns why it is not a T, or std::nullopt when `value` was set.
template <typename T>
std::optional<std::string_view> ParseNumber(std::string_view text, T& value) {
  return ParseWrittenNumber(text, value);
}

// A column of texts that is made row by row.
class TextColumn {
 public:
  explicit TextColumn(int64_t num_rows)
      : offsets_(batch::Buffer::Allocate((num_rows + 1) * sizeof(int64_t))) {}

  void Append(std::string_view text) { bytes_ += text; }
  void EndRow(int64_t row) {
    offsets_.MutableAs<int64_t>()[row + 1] = static_cast<int64_t>(bytes_.size());
  }
  batch::Column Finish(std::string_view name) {
    return {.name = std::string(name),
            .type = batch::DataType::kBinary,
            .data = batch::Buffer::FromString(std::move(bytes_)),
            .offsets = std::move(offsets_)};
  }

 private:
  std::string bytes_;
  batch::Buffer offsets_;
};

}  // namespace tidemill::transform
