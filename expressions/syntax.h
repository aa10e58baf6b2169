// The syntax tree of an expression, of literals, columns and calls. Operators are calls of
// functions with the operator's name: "+", "and", "is null".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tidemill::expressions {

struct NullLiteral {};

using Literal = std::variant<NullLiteral, double, int64_t, bool, std::string>;

struct Node {
  enum class Kind : uint8_t { kLiteral, kColumn, kCall };

  Kind kind = Kind::kLiteral;
  // The place of the literal, of the name, or of the operator in the text, in bytes from 0.
  size_t at = 0;
  Literal literal = {};
  std::string name = {};  // The name of the column or the function.
  std::vector<std::unique_ptr<Node>> arguments = {};
};

// A literal as a T; nullptr when it is something else.
template <typename T>
const T* LiteralOf(const Node& node) {
  return node.kind == Node::Kind::kLiteral ? std::get_if<T>(&node.literal) : nullptr;
}

}  // namespace tidemill::expressions
