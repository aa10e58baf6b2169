// An expression that is typed and compiled: steps on registers, each of which is a column of
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expressions/type.h"

namespace tidemill::expressions {

// Steps work on blocks of this many rows, so that their registers stay in the processor's cache.
inline constexpr int64_t kBlockRows = 512;

// The bytes of the texts that an expression makes of one row, and of a block of rows: of each
// function, also where another one uses its result. A row with more has no result.
inline constexpr size_t kMaxTextBytes = 16 << 20;

class Registers;

// An input of a function besides columns: a regular expression, a time zone.
struct Setting {
  virtual ~Setting() = default;
};

// Computes the rows of one register from the rows of other registers. The registers are distinct.
struct Step {
  using Kernel = void (*)(const Step&, Registers&);

  Kernel kernel = nullptr;
  std::vector<int> from = {};
  int into = 0;
  std::shared_ptr<const Setting> setting = nullptr;
};

// A column that the expression reads, as values of the type that it needs.
struct Input {
  std::string name;
  Type type = Type::kNumber;
  bool is_float = false;  // The numbers are floats.
  // A text that is a word for a missing value is null, because the expression asks whether the
  // field is there.
  bool asks_if_missing = false;
};

struct Constant {
  int into = 0;
  std::variant<double, int64_t, Truth, std::string> value;
};

// Immutable. The registers [0, inputs.size()) are the inputs.
struct Program {
  std::vector<Input> inputs = {};
  std::vector<Constant> constants = {};
  // The bytes of a value of each register.
  std::vector<size_t> value_bytes = {};
  std::vector<Step> constant_steps = {};  // They have the same result for each block.
  std::vector<Step> steps = {};
  int result = 0;
  Type type = Type::kNumber;
};

}  // namespace tidemill::expressions
