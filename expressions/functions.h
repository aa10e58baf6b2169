// The functions of expressions: the names that people write, what each takes and gives, and how it
// is computed.
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

// One way to call a function whose types do not depend on each other.
struct Overload {
  std::vector<Type> parameters = {};
  Type result = Type::kNumber;
  Step::Kernel kernel = nullptr;
  // For a constant second argument; may be nullptr.
  Step::Kernel constant_kernel = nullptr;
  // What stands behind the parameters must be as many literals. Makes the setting from them, or
  // says what is wrong with the one at fault.
  size_t num_literals = 0;
  struct BadLiteral {
    size_t number = 0;
    std::string message;
  };
  using Prepare = std::shared_ptr<const Setting> (*)(std::span<const Literal>, BadLiteral&);
  Prepare prepare = nullptr;
};

struct Function {
  std::string_view name = {};
  std::string_view form = {};  // See FormOf(); empty for one argument.
  std::string_view doc = {};
  std::string_view example = {};
  std::string_view group = {};  // The heading that it stands under.
  // Empty for functions of arguments of one type, such as coalesce; the compiler knows them.
  std::vector<Overload> overloads = {};
  // Whether an operator computes it. It is then not called by its name.
  bool is_operator = false;
};

// All of them, in the order of their documentation.
std::span<const Function> Functions();

// nullptr when there is none of this name.
const Function* FindFunction(std::string_view name);

// How people write a call: "clip(x, low, high)".
std::string FormOf(const Function& function);

// Those that people may call.
std::vector<std::string> FunctionNames();

}  // namespace tidemill::expressions
