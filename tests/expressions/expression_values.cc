// Computes expressions for agreement.py: reads lines of JSON, writes one for each expression.
//
//   {"columns": {"x": ["number", 1.5, null], "u": ["time", 0, 86400000000]}}
//   {"expression": "x > 1", "first": 0, "count": 2}     ->  [true, null]
//
// Times are microseconds since 1970-01-01 UTC. A mistake is printed as {"mistake": "..."}.
#include <cstdio>
#include <iostream>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "expressions/evaluation.h"
#include "expressions/expression.h"

namespace tidemill::expressions {
namespace {

using nlohmann::json;

// The values of a column, as expressions read them.
struct ColumnValues {
  Type type = Type::kNumber;
  std::vector<double> numbers = {};
  std::vector<int64_t> wholes = {};
  std::vector<Truth> truths = {};
  std::list<std::string> held = {};
  std::vector<std::string_view> texts = {};

  void Add(const json& value) {
    const bool null = value.is_null();
    switch (type) {
      case Type::kNumber:
        numbers.push_back(null ? kNullNumber : value.get<double>());
        return;
      case Type::kWhole:
      case Type::kTime:
        wholes.push_back(null ? kNullWhole : value.get<int64_t>());
        return;
      case Type::kTruth:
        truths.push_back(null ? Truth::kNull : value.get<bool>() ? Truth::kTrue : Truth::kFalse);
        return;
      case Type::kText:
        if (!null) held.push_back(value.get<std::string>());
        texts.push_back(null ? std::string_view() : held.back());
        return;
    }
  }

  const void* From(size_t row) const {
    switch (type) {
      case Type::kNumber:
        return &numbers[row];
      case Type::kWhole:
      case Type::kTime:
        return &wholes[row];
      case Type::kTruth:
        return &truths[row];
      case Type::kText:
        return &texts[row];
    }
    return nullptr;
  }
};

using Table = std::map<std::string, ColumnValues>;

Table TableOf(const json& columns) {
  const std::map<std::string, Type> types = {{"number", Type::kNumber},
                                             {"whole", Type::kWhole},
                                             {"truth", Type::kTruth},
                                             {"text", Type::kText},
                                             {"time", Type::kTime}};
  Table table;
  for (const auto& [name, values] : columns.items()) {
    ColumnValues& column = table[name];
    column.type = types.at(values[0].get<std::string>());
    for (size_t i = 1; i < values.size(); ++i) column.Add(values[i]);
  }
  return table;
}

template <typename T>
json ValueOf(const Evaluation& evaluation, size_t row) {
  const T value = evaluation.Values<T>()[row];
  if (IsNull(value)) return nullptr;
  if constexpr (std::is_same_v<T, Truth>) {
    return value == Truth::kTrue;
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return std::string(value);
  } else {
    return value;
  }
}

json ValueOf(const Evaluation& evaluation, size_t row) {
  switch (evaluation.program().type) {
    case Type::kNumber:
      return ValueOf<double>(evaluation, row);
    case Type::kWhole:
    case Type::kTime:
      return ValueOf<int64_t>(evaluation, row);
    case Type::kTruth:
      return ValueOf<Truth>(evaluation, row);
    case Type::kText:
      return ValueOf<std::string_view>(evaluation, row);
  }
  return nullptr;
}

absl::StatusOr<json> Compute(const Table& table, const json& asked) {
  ASSIGN_OR_RETURN(const Expression expression,
                   Expression::Parse(asked["expression"].get<std::string>()));
  KnownColumns columns;
  for (const auto& [name, values] : table) {
    columns.columns.push_back({.name = name, .type = values.type});
  }
  ASSIGN_OR_RETURN(auto program, Compile(expression, columns));
  Evaluation evaluation(program);
  const auto first = asked["first"].get<size_t>();
  for (size_t i = 0; i < program->inputs.size(); ++i) {
    evaluation.Set(i, table.at(program->inputs[i].name).From(first));
  }
  const auto count = asked["count"].get<int64_t>();
  json values = json::array();
  evaluation.Run(count, [&](int64_t) {
    for (size_t row = 0; row < evaluation.num_rows(); ++row) {
      values.push_back(ValueOf(evaluation, row));
    }
  });
  return values;
}

int Main() {
  Table table;
  for (std::string line; std::getline(std::cin, line);) {
    const json asked = json::parse(line);
    if (asked.contains("columns")) {
      table = TableOf(asked["columns"]);
      continue;
    }
    const auto values = Compute(table, asked);
    const json answer =
        values.ok() ? *values : json{{"mistake", std::string(values.status().message())}};
    fmt::print("{}\n", answer.dump());
  }
  return 0;
}

}  // namespace
}  // namespace tidemill::expressions

int main() { return tidemill::expressions::Main(); }
