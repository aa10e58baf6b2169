// What a network is handed: columns of numbers by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::models {

inline constexpr std::string_view kInput = "input";
inline constexpr std::string_view kInputCategories = "input_categories";
// Behind the name of a column of ragged rows: that of the column that says where each begins.
inline constexpr std::string_view kOffsetsSuffix = "_offsets";

// One column: the shape of a row, and whether it holds whole numbers (int64) or float32.
struct InputSpec {
  std::vector<int64_t> shape = {};
  bool is_integer = false;

  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

// By column name: `input`, and `input_...` for networks that take more.
using InputSpecs = std::map<std::string, InputSpec>;

// Something that does not fit, and what to do.
struct SpecProblem {
  std::string message;
  std::string hint;
};

// The column of that name; nullptr where there is none.
const InputSpec* FindInput(const InputSpecs& inputs, std::string_view column);

// The column that holds ids: `input_categories` where there is one, else `input`.
std::string CategoryColumn(const InputSpecs& inputs);

// "float32 [3, 28, 28]".
std::string Describe(const InputSpec& input);

}  // namespace tidemill::models
