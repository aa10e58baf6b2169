// The inputs of a network: columns of numbers by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::models {

inline constexpr std::string_view kInput = "input";
inline constexpr std::string_view kInputCategories = "input_categories";
// A column of ragged rows has a column beside it that says where each row begins. Its name is the
// name of the first with this suffix.
inline constexpr std::string_view kOffsetsSuffix = "_offsets";

// The spec of one column: the shape of a row, and whether it holds whole numbers (int64) or
// float32.
struct InputSpec {
  std::vector<int64_t> shape = {};
  bool is_integer = false;

  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

// The specs by column name: `input`, and `input_...` for networks that take more.
using InputSpecs = std::map<std::string, InputSpec>;

// Why a spec does not fit, and the remedy.
struct SpecProblem {
  std::string message;
  std::string hint;
};

// Returns the column of that name, or nullptr.
const InputSpec* FindInput(const InputSpecs& inputs, std::string_view column);

// Returns the column that holds ids: `input_categories` if there is one, else `input`.
std::string CategoryColumn(const InputSpecs& inputs);

// "float32 [3, 28, 28]".
std::string Describe(const InputSpec& input);

}  // namespace tidemill::models
