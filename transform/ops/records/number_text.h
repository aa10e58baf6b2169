// Reads the numbers and texts of records.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/numbers/number_text.h"
#include "transform/engine/frame.h"

namespace tidemill::transform {

inline std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// Parses `text` as a T. Returns why it is not a T, or std::nullopt when `value` was set.
template <typename T>
std::optional<std::string_view> ParseNumber(std::string_view text, T& value) {
  text = Trim(text);
  if (text.empty()) return "is empty";
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = ReadNumber(text, value);
  if (error == std::errc::result_out_of_range) return "is out of range";
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::is_integral_v<T> ? "is not a whole number" : "is not a number";
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return "is not a finite number";
  }
  return std::nullopt;
}

// Does the same for numbers with `decimal` before their fraction. When `decimal` is a comma, a
// point is not part of a number: it may separate thousands.
template <typename T>
std::optional<std::string_view> ParseNumber(std::string_view text, char decimal, T& value) {
  if (decimal == '.') return ParseNumber(text, value);
  text = Trim(text);
  const size_t comma = text.find(decimal);
  if (comma == std::string_view::npos && text.find('.') == std::string_view::npos) {
    return ParseNumber(text, value);
  }
  std::string with_point(text);
  // Other characters do not form a number.
  for (char& c : with_point) c = c == decimal ? '.' : c == '.' ? ',' : c;
  return ParseNumber(std::string_view(with_point), value);
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
