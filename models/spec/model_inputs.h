// What a network is handed: columns of numbers by name, and which network takes which.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/spec/model_spec.h"

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

// Why a network of this spec cannot take such columns; std::nullopt when it can.
std::optional<SpecProblem> FindInputProblem(const ModelSpec& spec, const InputSpecs& inputs);

// Ids in a column must lie in [0, limit): one limit for each id of a row, or one for all.
// Empty for a column of other numbers.
std::vector<int64_t> IdLimits(const ModelSpec& spec, std::string_view column);

// The column that holds ids: `input_categories` where there is one, else `input`.
std::string CategoryColumn(const InputSpecs& inputs);

// "float32 [3, 28, 28]".
std::string Describe(const InputSpec& input);

}  // namespace tidemill::models
