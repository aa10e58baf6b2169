#include "expressions/expression.h"

#include <algorithm>
#include <utility>

#include "expressions/compiler.h"
#include "expressions/parser.h"

namespace tidemill::expressions {

namespace {

void CollectColumns(const Node& node, std::vector<std::string>& columns) {
  if (node.kind == Node::Kind::kColumn && std::ranges::find(columns, node.name) == columns.end()) {
    columns.push_back(node.name);
  }
  for (const auto& argument : node.arguments) CollectColumns(*argument, columns);
}

}  // namespace

absl::StatusOr<Expression> Expression::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(std::unique_ptr<Node> root, expressions::Parse(text));
  std::vector<std::string> columns;
  CollectColumns(*root, columns);
  Expression expression;
  expression.text_ = std::make_shared<const std::string>(text);
  expression.root_ = std::move(root);
  expression.columns_ = std::make_shared<const std::vector<std::string>>(std::move(columns));
  return expression;
}

absl::StatusOr<std::shared_ptr<const Program>> Compile(const Expression& expression,
                                                       const KnownColumns& columns,
                                                       std::optional<Type> wanted) {
  return Compiler(expression, columns).Run(wanted);
}

}  // namespace tidemill::expressions
