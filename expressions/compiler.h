// Finds the types of an expression and makes its program.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "expressions/expression.h"
#include "expressions/functions.h"
#include "expressions/kernels.h"
#include "expressions/mistake.h"
#include "expressions/program_builder.h"

namespace tidemill::expressions {

// Works in two directions. TypeOf() returns the type that a part has without its context; a column
// of texts that are read as needed, and a null, have none. Emit() then passes down the type that
// such a part must have. Thread-compatible; `expression` and `columns` must outlive it.
class Compiler {
 public:
  Compiler(const Expression& expression, const KnownColumns& columns)
      : expression_(expression), columns_(columns) {}

  absl::StatusOr<std::shared_ptr<const Program>> Run(std::optional<Type> wanted);

 private:
  using Value = ProgramBuilder::Value;
  using MaybeType = std::optional<Type>;

  template <typename... Args>
  absl::Status Bad(const Node& node, fmt::format_string<Args...> format, Args&&... args) const {
    return Mistake(expression_.text(), node.at, format, std::forward<Args>(args)...);
  }

  absl::StatusOr<MaybeType> TypeOf(const Node& node) const;
  absl::StatusOr<MaybeType> TypeOfColumn(const Node& column) const;
  absl::StatusOr<MaybeType> TypeOfChoice(const Node& call) const;
  // Returns the common type of these parts; std::nullopt when it is unknown. `call` is the call
  // that they belong to.
  absl::StatusOr<MaybeType> CommonType(const Node& call, std::span<const Node* const> nodes) const;

  absl::StatusOr<const Function*> FunctionOf(const Node& call) const;
  absl::StatusOr<const Overload*> Resolve(const Function& function, const Node& call) const;
  absl::Status WrongTypes(const Function& function, const Node& call,
                          std::span<const MaybeType> types) const;

  // `wanted` must be given for a part whose TypeOf() is std::nullopt.
  absl::StatusOr<Value> Emit(const Node& node, MaybeType wanted);
  absl::StatusOr<Value> EmitLiteral(const Node& literal, MaybeType wanted, bool as_float);
  absl::StatusOr<Value> EmitColumn(const Node& column, MaybeType wanted,
                                   bool asks_if_missing = false);
  // As Emit(), for what is asked whether it is missing. A column of texts that are read as needed
  // then has the nulls that it has as numbers, whatever its texts are read as.
  absl::StatusOr<Value> EmitAsked(const Node& node, MaybeType wanted);
  absl::StatusOr<Value> EmitCall(const Node& call, MaybeType wanted);
  absl::StatusOr<Value> EmitOverload(const Function& function, const Node& call);
  absl::StatusOr<Value> EmitComparison(const Node& call);
  absl::StatusOr<Value> EmitBetween(const Node& call);
  absl::StatusOr<Value> EmitIn(const Node& call);
  absl::StatusOr<Value> EmitIf(const Node& call, MaybeType wanted);
  absl::StatusOr<Value> EmitChain(const Node& call, MaybeType wanted);
  absl::StatusOr<Value> EmitConcat(const Node& call);
  absl::StatusOr<Value> EmitIsNull(const Node& call);
  absl::StatusOr<Value> Convert(const Node& node, const Value& value, MaybeType wanted);
  Value Compare(Comparison comparison, const Value& a, const Value& b);

  // The operands of a comparison, all of one type; see KnownColumn::is_float.
  absl::StatusOr<std::vector<Value>> EmitOperands(const Node& call,
                                                  std::span<const Node* const> nodes);
  absl::Status CheckTexts(const Node& call, std::span<const Node* const> nodes) const;

  const Expression& expression_;
  const KnownColumns& columns_;
  ProgramBuilder builder_;
};

}  // namespace tidemill::expressions
