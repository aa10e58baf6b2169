#include "expressions/compiler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fmt/ranges.h"

#include "base/check.h"
#include "config/documents/problems.h"
#include "expressions/members.h"
#include "records/time_reader.h"

// Types go up, and the types that are needed go down. In `x > 12`, x is a field whose type is open:
//
//       >        TypeOf(), upwards:    x has no type, 12 is whole. Beside an open field, whole
//      / \                             becomes number, as the field may be 12.5.
//     x   12     Emit(), downwards:    number. x is read as a number, and 12 becomes 12.0.
//                steps:                r2 = r0 > r1

namespace tidemill::expressions {

namespace {

bool IsChoice(std::string_view name) {
  return name == "if" || name == "coalesce" || name == "nullif" || name == "min" || name == "max";
}

std::optional<Comparison> ComparisonOf(std::string_view name) {
  if (name == "=") return Comparison::kEqual;
  if (name == "!=") return Comparison::kUnequal;
  if (name == "<") return Comparison::kLess;
  if (name == "<=") return Comparison::kLessEqual;
  if (name == ">") return Comparison::kGreater;
  if (name == ">=") return Comparison::kGreaterEqual;
  return std::nullopt;
}

bool IsTextLiteral(const Node& node) { return LiteralOf<std::string>(node) != nullptr; }

std::vector<const Node*> ArgumentsOf(const Node& call) {
  std::vector<const Node*> arguments;
  for (const auto& argument : call.arguments) arguments.push_back(argument.get());
  return arguments;
}

// Returns the arguments that may be the result: all except the condition of if().
std::vector<const Node*> ResultsOf(const Node& call) {
  std::vector<const Node*> results = ArgumentsOf(call);
  if (call.name == "if" && !results.empty()) results.erase(results.begin());
  return results;
}

// How well a value of a type, or of none, fits a parameter; the least cost wins. std::nullopt: not.
std::optional<int> CostOf(const Node& node, const std::optional<Type>& type, Type parameter) {
  if (!type) {
    // A part that may have any type is a number rather than a text, and a text rather than a time.
    constexpr int kCosts[] = {/*kNumber*/ 0, /*kWhole*/ 8, /*kTruth*/ 6, /*kText*/ 2, /*kTime*/ 4};
    return kCosts[static_cast<size_t>(parameter)];
  }
  if (*type == parameter) return 0;
  if (*type == Type::kWhole && parameter == Type::kNumber) return 1;
  if (IsTextLiteral(node) && parameter == Type::kTime) return 3;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Program>> Compiler::Run(std::optional<Type> wanted) {
  const Node& root = expression_.root();
  ASSIGN_OR_RETURN(const MaybeType type, TypeOf(root));
  const bool fits = !type || !wanted || *type == *wanted ||
                    (*type == Type::kWhole && *wanted == Type::kNumber) ||
                    (IsTextLiteral(root) && *wanted == Type::kTime);
  if (!fits) {
    return Mistake(expression_.text(), 0, "the expression is {}, but {} is needed{}",
                   Describe(*type), Describe(*wanted),
                   *wanted == Type::kTruth ? ", such as price > 0" : "");
  }
  // A column of texts that stands alone is one.
  const bool is_open = !type && root.kind != Node::Kind::kLiteral;
  ASSIGN_OR_RETURN(Value value, Emit(root, wanted    ? wanted
                                           : is_open ? MaybeType(Type::kText)
                                                     : type));
  if (value.type == Type::kNumber) {
    value = builder_.AddStep(FiniteNumber(), {value}, Type::kNumber);
  }
  return builder_.Build(value);
}

absl::StatusOr<Compiler::MaybeType> Compiler::TypeOf(const Node& node) const {
  if (node.kind == Node::Kind::kColumn) return TypeOfColumn(node);
  if (node.kind == Node::Kind::kLiteral) {
    constexpr MaybeType kTypes[] = {std::nullopt, Type::kNumber, Type::kWhole, Type::kTruth,
                                    Type::kText};
    return kTypes[node.literal.index()];
  }
  if (IsChoice(node.name)) return TypeOfChoice(node);
  ASSIGN_OR_RETURN(const Function* function, FunctionOf(node));
  if (function->overloads.empty()) return function->name == "concat" ? Type::kText : Type::kTruth;
  ASSIGN_OR_RETURN(const Overload* overload, Resolve(*function, node));
  return overload->result;
}

absl::StatusOr<Compiler::MaybeType> Compiler::TypeOfColumn(const Node& column) const {
  const auto known = std::ranges::find(columns_.columns, column.name, &KnownColumn::name);
  if (known != columns_.columns.end()) return known->type;
  if (columns_.others && !column.name.starts_with('@')) return std::nullopt;
  std::vector<std::string> names;
  for (const KnownColumn& each : columns_.columns) names.push_back(each.name);
  const std::string advice = AdviceOnName(expression_.text(), column, names);
  constexpr size_t kMaxShown = 12;
  const bool all = names.size() <= kMaxShown;
  const size_t num_left = all ? 0 : names.size() - kMaxShown;
  names.resize(names.size() - num_left);
  for (std::string& name : names) name = WrittenName(name);
  return Bad(column, "there is no column '{}'{}; the columns are {}{}", column.name, advice,
             fmt::join(names, ", "), all ? "" : fmt::format(" and {} more", num_left));
}

absl::StatusOr<Compiler::MaybeType> Compiler::TypeOfChoice(const Node& call) const {
  const size_t most = call.name == "if" ? 3 : call.name == "nullif" ? 2 : kMaxArguments;
  const size_t least = call.name == "if" ? 3 : call.name == "nullif" ? 2 : 1;
  RETURN_IF_ERROR(CheckCount(expression_.text(), call, least, most));
  if (call.name == "if") {
    const Node& condition = *call.arguments.front();
    ASSIGN_OR_RETURN(const MaybeType type, TypeOf(condition));
    if (type.value_or(Type::kTruth) != Type::kTruth) {
      return Bad(condition, "the condition is {}, but a boolean is needed, such as x > 0",
                 Describe(*type));
    }
  }
  return CommonType(call, ResultsOf(call));
}

absl::StatusOr<Compiler::MaybeType> Compiler::CommonType(const Node& call,
                                                         std::span<const Node* const> nodes) const {
  const Node* known = nullptr;
  MaybeType common;
  bool has_open = false;
  for (const Node* const node : nodes) {
    ASSIGN_OR_RETURN(const MaybeType type, TypeOf(*node));
    has_open |= !type && node->kind != Node::Kind::kLiteral;
    if (!type || type == common) continue;
    const bool numbers = (type == Type::kNumber && common == Type::kWhole) ||
                         (type == Type::kWhole && common == Type::kNumber);
    const bool is_time_literal =
        type == Type::kText && common == Type::kTime && IsTextLiteral(*node);
    const bool was_time_literal =
        type == Type::kTime && common == Type::kText && IsTextLiteral(*known);
    if (!common || was_time_literal) {
      common = type;
      known = node;
    } else if (numbers) {
      common = Type::kNumber;
    } else if (!is_time_literal) {
      ASSIGN_OR_RETURN(const MaybeType before, TypeOf(*known));
      return NoCommonType(expression_.text(), call, {*known, *before}, {*node, *type});
    }
  }
  // A field such as 12.5 is a number where it is compared with 12.
  if (common == Type::kWhole && has_open) return Type::kNumber;
  return common;
}

absl::StatusOr<const Function*> Compiler::FunctionOf(const Node& call) const {
  const Function* const function = FindFunction(call.name);
  if (function != nullptr) return function;
  const std::string guess = config::DidYouMean(call.name, FunctionNames());
  return Bad(call, "there is no function '{}'{}; `tidemill explain expressions` lists them",
             call.name, guess.empty() ? "" : "; " + guess);
}

absl::StatusOr<const Overload*> Compiler::Resolve(const Function& function,
                                                  const Node& call) const {
  std::vector<MaybeType> types;
  for (const auto& argument : call.arguments) {
    ASSIGN_OR_RETURN(const MaybeType type, TypeOf(*argument));
    types.push_back(type);
  }
  const Overload* best = nullptr;
  int least = 0;
  bool count_fits = false;
  for (const Overload& overload : function.overloads) {
    if (overload.parameters.size() + overload.num_literals != types.size()) continue;
    count_fits = true;
    // A part that may have any type is read at once as the type that it is converted to.
    std::optional<int> cost = overload.kernel == nullptr && !types[0] ? -10 : 0;
    for (size_t i = 0; cost && i < overload.parameters.size(); ++i) {
      const auto own = CostOf(*call.arguments[i], types[i], overload.parameters[i]);
      cost = own ? std::optional(*cost + *own) : std::nullopt;
    }
    if (!cost || (best != nullptr && *cost >= least)) continue;
    best = &overload;
    least = *cost;
  }
  if (best != nullptr) return best;
  if (!count_fits) return WrongCount(expression_.text(), function, call);
  return WrongTypes(function, call, types);
}

absl::Status Compiler::WrongTypes(const Function& function, const Node& call,
                                  std::span<const MaybeType> types) const {
  const size_t num_parameters = function.overloads.front().parameters.size();
  if (num_parameters > 1 && function.is_operator) {
    return Bad(call, "{} does not take {} and {}", function.name,
               types[0] ? Describe(*types[0]) : "a null",
               types[1] ? Describe(*types[1]) : "a null");
  }
  std::vector<std::string_view> taken;
  size_t wrong = 0;
  for (const Overload& overload : function.overloads) {
    if (overload.parameters.size() + overload.num_literals != types.size()) continue;
    wrong = 0;
    while (wrong + 1 < overload.parameters.size() &&
           CostOf(*call.arguments[wrong], types[wrong], overload.parameters[wrong])) {
      ++wrong;
    }
    taken.push_back(Describe(overload.parameters[wrong]));
  }
  return Bad(*call.arguments[wrong], "{} takes {}, but this is {}", function.name,
             fmt::join(taken, " or "), types[wrong] ? Describe(*types[wrong]) : "a null");
}

absl::StatusOr<Compiler::Value> Compiler::Convert(const Node& node, const Value& value,
                                                  MaybeType wanted) {
  if (!wanted || value.type == *wanted) return value;
  if (value.type == Type::kWhole && *wanted == Type::kNumber) {
    return builder_.AddStep(WholeToNumber(), {value}, Type::kNumber);
  }
  return Bad(node, "this is {}, but {} is needed", Describe(value.type), Describe(*wanted));
}

absl::StatusOr<Compiler::Value> Compiler::Emit(const Node& node, MaybeType wanted) {
  if (node.kind == Node::Kind::kLiteral) return EmitLiteral(node, wanted, /*as_float=*/false);
  if (node.kind == Node::Kind::kColumn) return EmitColumn(node, wanted);
  ASSIGN_OR_RETURN(const Value value, EmitCall(node, wanted));
  return Convert(node, value, wanted);
}

absl::StatusOr<Compiler::Value> Compiler::EmitAsked(const Node& node, MaybeType wanted) {
  if (node.kind != Node::Kind::kColumn) return Emit(node, wanted);
  return EmitColumn(node, wanted, /*asks_if_missing=*/true);
}

absl::StatusOr<Compiler::Value> Compiler::EmitColumn(const Node& column, MaybeType wanted,
                                                     bool asks_if_missing) {
  TIDEMILL_CHECK(column.kind == Node::Kind::kColumn);
  ASSIGN_OR_RETURN(const MaybeType type, TypeOfColumn(column));
  if (!type && !wanted) {
    return Bad(column, "it is unclear what '{}' is; write number({}) or text({})", column.name,
               column.name, column.name);
  }
  const auto known = std::ranges::find(columns_.columns, column.name, &KnownColumn::name);
  const bool is_float = known != columns_.columns.end() && known->is_float;
  const bool open_text = !type && *wanted == Type::kText;
  const Value value = builder_.AddInput({.name = column.name,
                                         .type = type ? *type : *wanted,
                                         .is_float = is_float,
                                         .asks_if_missing = asks_if_missing && open_text});
  return Convert(column, value, wanted);
}

absl::StatusOr<Compiler::Value> Compiler::EmitLiteral(const Node& literal, MaybeType wanted,
                                                      bool as_float) {
  TIDEMILL_CHECK(literal.kind == Node::Kind::kLiteral);
  const auto rounded = [&](double number) {
    return as_float ? static_cast<double>(static_cast<float>(number)) : number;
  };
  if (const auto* number = LiteralOf<double>(literal)) {
    return Convert(literal, builder_.AddConstant(Type::kNumber, rounded(*number)), wanted);
  }
  if (const auto* whole = LiteralOf<int64_t>(literal)) {
    if (wanted != Type::kNumber) {
      return Convert(literal, builder_.AddConstant(Type::kWhole, *whole), wanted);
    }
    constexpr int64_t kExact = int64_t{1} << 53;
    if (*whole > kExact || *whole < -kExact) {
      return Bad(literal,
                 "numbers are exact up to 9007199254740992 only; whole numbers are exact: write "
                 "whole(x) for the column that {} is compared with",
                 *whole);
    }
    return builder_.AddConstant(Type::kNumber, rounded(static_cast<double>(*whole)));
  }
  if (const auto* truth = LiteralOf<bool>(literal)) {
    const Truth value = *truth ? Truth::kTrue : Truth::kFalse;
    return Convert(literal, builder_.AddConstant(Type::kTruth, value), wanted);
  }
  if (const auto* text = LiteralOf<std::string>(literal)) {
    if (wanted != Type::kTime) {
      return Convert(literal, builder_.AddConstant(Type::kText, *text), wanted);
    }
    const auto time = TimeOfLiteral(*text, columns_.time_zone);
    if (!time.ok()) {
      return Bad(literal, "{}", std::string(time.status().message()));
    }
    return builder_.AddConstant(Type::kTime, time->micros);
  }
  if (!wanted) return Bad(literal, "the type of this null is unclear");
  switch (*wanted) {
    case Type::kNumber:
      return builder_.AddConstant(*wanted, kNullNumber);
    case Type::kTruth:
      return builder_.AddConstant(*wanted, Truth::kNull);
    case Type::kText: {
      // The only text that is null: nothing else makes a text from a null whole number.
      const Value null = builder_.AddConstant(Type::kWhole, kNullWhole);
      return builder_.AddStep(WholeToText(), {null}, Type::kText);
    }
    case Type::kWhole:
    case Type::kTime:
      break;
  }
  return builder_.AddConstant(*wanted, kNullWhole);
}

absl::StatusOr<Compiler::Value> Compiler::EmitCall(const Node& call, MaybeType wanted) {
  if (call.name == "if") return EmitIf(call, wanted);
  if (IsChoice(call.name)) return EmitChain(call, wanted);
  ASSIGN_OR_RETURN(const Function* function, FunctionOf(call));
  if (!function->overloads.empty()) return EmitOverload(*function, call);
  if (call.name == "concat") return EmitConcat(call);
  if (call.name == "is null") return EmitIsNull(call);
  if (call.name == "in") return EmitIn(call);
  if (call.name == "between") return EmitBetween(call);
  return EmitComparison(call);
}

absl::StatusOr<Compiler::Value> Compiler::EmitOverload(const Function& function, const Node& call) {
  ASSIGN_OR_RETURN(const Overload* overload, Resolve(function, call));
  std::vector<Value> values;
  const size_t num_parameters = overload->parameters.size();
  for (size_t i = 0; i < num_parameters; ++i) {
    ASSIGN_OR_RETURN(const Value value, Emit(*call.arguments[i], overload->parameters[i]));
    values.push_back(value);
  }
  if (overload->kernel == nullptr) return values.front();
  if (overload->kernel == TextToNumber()) {
    const Node& text = *call.arguments.front();
    auto setting = std::make_shared<NotationSetting>();
    setting->notation = text.kind == Node::Kind::kColumn ? columns_.numbers.Of(text.name)
                                                         : columns_.numbers.OfAll();
    if (!setting->notation.is_plain()) {
      return builder_.AddStep(TextToNumberAsSet(), std::move(values), overload->result,
                              std::move(setting));
    }
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const Setting> setting,
                   SettingOf(expression_.text(), call, function, *overload, columns_.time_zone));
  const bool constant_right = values.size() == 2 && values[1].constant && !values[0].constant;
  const Step::Kernel kernel = constant_right && overload->constant_kernel != nullptr
                                  ? overload->constant_kernel
                                  : overload->kernel;
  return builder_.AddStep(kernel, std::move(values), overload->result, std::move(setting));
}

Compiler::Value Compiler::Compare(Comparison comparison, const Value& a, const Value& b) {
  const bool constant_right = b.constant && !a.constant;
  return builder_.AddStep(CompareKernel(comparison, a.type, constant_right), {a, b}, Type::kTruth);
}

absl::StatusOr<std::vector<Compiler::Value>> Compiler::EmitOperands(
    const Node& call, std::span<const Node* const> nodes) {
  ASSIGN_OR_RETURN(const MaybeType type, CommonType(call, nodes));
  if (!type) {
    const auto column = std::ranges::find(nodes, Node::Kind::kColumn, &Node::kind);
    return Bad(column == nodes.end() ? call : **column, "{}", AdviceOnOperands(nodes));
  }
  RETURN_IF_ERROR(CheckTexts(call, nodes));
  std::vector<Value> values(nodes.size());
  bool has_float = false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]->kind == Node::Kind::kLiteral) continue;
    ASSIGN_OR_RETURN(values[i], Emit(*nodes[i], type));
    has_float |= values[i].is_float_column;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]->kind != Node::Kind::kLiteral) continue;
    ASSIGN_OR_RETURN(values[i], EmitLiteral(*nodes[i], type, has_float));
  }
  return values;
}

// An empty field is null, so that no field equals the empty text.
absl::Status Compiler::CheckTexts(const Node& call, std::span<const Node* const> nodes) const {
  if (call.name != "=" && call.name != "in") return absl::OkStatus();
  const auto empty = std::ranges::find_if(nodes, [](const Node* node) {
    const auto* const text = LiteralOf<std::string>(*node);
    return text != nullptr && text->empty();
  });
  if (empty == nodes.end()) return absl::OkStatus();
  for (const Node* const node : nodes) {
    if (node->kind != Node::Kind::kColumn) continue;
    ASSIGN_OR_RETURN(const MaybeType type, TypeOfColumn(*node));
    if (type) continue;
    return Bad(**empty, "an empty field is null, which equals nothing; write {} is null",
               WrittenName(node->name));
  }
  return absl::OkStatus();
}

absl::StatusOr<Compiler::Value> Compiler::EmitComparison(const Node& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> values, EmitOperands(call, ArgumentsOf(call)));
  return Compare(*ComparisonOf(call.name), values[0], values[1]);
}

absl::StatusOr<Compiler::Value> Compiler::EmitBetween(const Node& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> values, EmitOperands(call, ArgumentsOf(call)));
  const Value low = Compare(Comparison::kGreaterEqual, values[0], values[1]);
  const Value high = Compare(Comparison::kLessEqual, values[0], values[2]);
  return builder_.AddStep(AndKernel(), {low, high}, Type::kTruth);
}

absl::StatusOr<Compiler::Value> Compiler::EmitIn(const Node& call) {
  const std::vector<const Node*> nodes = ArgumentsOf(call);
  const bool literals = std::all_of(nodes.begin() + 1, nodes.end(), [](const Node* node) {
    return node->kind == Node::Kind::kLiteral;
  });
  if (!literals) {
    ASSIGN_OR_RETURN(const std::vector<Value> values, EmitOperands(call, nodes));
    Value any = Compare(Comparison::kEqual, values[0], values[1]);
    for (size_t i = 2; i < values.size(); ++i) {
      const Value equal = Compare(Comparison::kEqual, values[0], values[i]);
      any = builder_.AddStep(OrKernel(), {any, equal}, Type::kTruth);
    }
    return any;
  }
  ASSIGN_OR_RETURN(const MaybeType type, CommonType(call, nodes));
  if (!type) return Bad(call, "{}", AdviceOnOperands(nodes));
  RETURN_IF_ERROR(CheckTexts(call, nodes));
  if (*type == Type::kTruth) return Bad(call, "a boolean is written without `in`");
  ASSIGN_OR_RETURN(const Value value, Emit(*nodes[0], type));
  ASSIGN_OR_RETURN(auto members, MembersOf(expression_.text(), call, value.type,
                                           value.is_float_column, columns_.time_zone));
  return builder_.AddStep(MemberKernel(value.type), {value}, Type::kTruth, std::move(members));
}

absl::StatusOr<Compiler::Value> Compiler::EmitIf(const Node& call, MaybeType wanted) {
  ASSIGN_OR_RETURN(const MaybeType own, TypeOfChoice(call));
  const MaybeType type = own ? own : wanted;
  ASSIGN_OR_RETURN(const Value condition, Emit(*call.arguments[0], Type::kTruth));
  ASSIGN_OR_RETURN(const Value yes, Emit(*call.arguments[1], type));
  ASSIGN_OR_RETURN(const Value no, Emit(*call.arguments[2], type));
  return builder_.AddStep(IfKernel(yes.type), {condition, yes, no}, yes.type);
}

absl::StatusOr<Compiler::Value> Compiler::EmitChain(const Node& call, MaybeType wanted) {
  ASSIGN_OR_RETURN(const MaybeType own, TypeOfChoice(call));
  const MaybeType type = own ? own : wanted;
  // Among these functions only coalesce asks whether a field is there.
  const auto emit = [&](const Node& argument) {
    return call.name == "coalesce" ? EmitAsked(argument, type) : Emit(argument, type);
  };
  ASSIGN_OR_RETURN(Value value, emit(*call.arguments[0]));
  const Step::Kernel kernel = call.name == "coalesce" ? CoalesceKernel(value.type)
                              : call.name == "nullif" ? NullIfKernel(value.type)
                              : call.name == "min"    ? LeastKernel(value.type)
                                                      : GreatestKernel(value.type);
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    ASSIGN_OR_RETURN(const Value next, emit(*call.arguments[i]));
    value = builder_.AddStep(kernel, {value, next}, value.type);
  }
  return value;
}

absl::StatusOr<Compiler::Value> Compiler::EmitConcat(const Node& call) {
  RETURN_IF_ERROR(CheckCount(expression_.text(), call, 1, kMaxArguments));
  std::vector<Value> parts;
  for (const auto& argument : call.arguments) {
    ASSIGN_OR_RETURN(const MaybeType type, TypeOf(*argument));
    ASSIGN_OR_RETURN(Value part, Emit(*argument, type.value_or(Type::kText)));
    const Step::Kernel to_text = part.type == Type::kNumber  ? NumberToText()
                                 : part.type == Type::kWhole ? WholeToText()
                                 : part.type == Type::kTruth ? TruthToText()
                                 : part.type == Type::kTime  ? TimeToText()
                                                             : nullptr;
    if (to_text != nullptr) part = builder_.AddStep(to_text, {part}, Type::kText);
    parts.push_back(part);
  }
  return builder_.AddStep(ConcatKernel(), std::move(parts), Type::kText);
}

absl::StatusOr<Compiler::Value> Compiler::EmitIsNull(const Node& call) {
  const Node& argument = *call.arguments[0];
  ASSIGN_OR_RETURN(const MaybeType type, TypeOf(argument));
  ASSIGN_OR_RETURN(const Value value, EmitAsked(argument, type.value_or(Type::kText)));
  return builder_.AddStep(IsNullKernel(value.type), {value}, Type::kTruth);
}

}  // namespace tidemill::expressions
