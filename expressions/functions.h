// The functions of expressions: their names, parameters, results and kernels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "expressions/program.h"
#include "expressions/syntax.h"
#include "expressions/type.h"

namespace tidemill::expressions {

// Arguments of one call at most.
inline constexpr size_t kMaxArguments = 256;

// One way to call a function whose types do not depend on each other.
struct Overload {
  std::vector<Type> parameters = {};
  Type result = Type::kNumber;
  Step::Kernel kernel = nullptr;
  // For a constant second argument; may be nullptr.
  Step::Kernel constant_kernel = nullptr;
  // The parameters must be followed by as many literals. Makes the setting from them, or describes
  // the problem of one of them.
  size_t num_literals = 0;
  struct BadLiteral {
    size_t number = 0;
    std::string message;
  };
  using Prepare = std::shared_ptr<const Setting> (*)(std::span<const Literal>, BadLiteral&);
  Prepare prepare = nullptr;
  // For a call that names no zone, on a clock that is not UTC: makes the setting from the literals,
  // empty ones up to `zone_place`, and the zone of the clock.
  Prepare prepare_on_clock = nullptr;
  size_t zone_place = 0;
};

struct Function {
  std::string_view name = {};
  std::string_view form = {};  // See FormOf(); empty for one argument.
  std::string_view doc = {};
  std::string_view example = {};
  std::string_view group = {};  // The heading that it is listed under.
  // Empty for functions of arguments of one type, such as coalesce; the compiler knows them.
  std::vector<Overload> overloads = {};
  // Whether an operator computes it. It is then not called by its name.
  bool is_operator = false;
};

// Returns all functions, in the order of their documentation.
std::span<const Function> Functions();

// nullptr when there is none of this name.
const Function* FindFunction(std::string_view name);

// Returns the form of a call: "clip(x, low, high)".
std::string FormOf(const Function& function);

// Returns the functions that can be called by name.
std::vector<std::string> FunctionNames();

}  // namespace tidemill::expressions
