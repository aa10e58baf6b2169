#include "expressions/testing/evaluate.h"

#include <vector>

#include "base/time.h"
#include "expressions/evaluation.h"
#include "expressions/field_rows.h"

namespace tidemill::expressions {

namespace {

std::string Shown(const Evaluation& evaluation) {
  if (evaluation.is_too_long()) return std::string(kTooLong);
  switch (evaluation.program().type) {
    case Type::kNumber: {
      const double value = evaluation.Values<double>()[0];
      return IsNull(value) ? "null" : fmt::format("{}", value);
    }
    case Type::kWhole: {
      const int64_t value = evaluation.Values<int64_t>()[0];
      return IsNull(value) ? "null" : fmt::format("{}", value);
    }
    case Type::kTruth: {
      const Truth value = evaluation.Values<Truth>()[0];
      return IsNull(value) ? "null" : value == Truth::kTrue ? "true" : "false";
    }
    case Type::kText: {
      const std::string_view value = evaluation.Values<std::string_view>()[0];
      return IsNull(value) ? "null" : std::string(value);
    }
    case Type::kTime: {
      const int64_t value = evaluation.Values<int64_t>()[0];
      return IsNull(value) ? "null" : FormatTimestamp({value});
    }
  }
  return {};
}

absl::StatusOr<std::shared_ptr<const Program>> Make(std::string_view text,
                                                    const KnownColumns& columns) {
  ASSIGN_OR_RETURN(const Expression expression, Expression::Parse(text));
  return Compile(expression, columns);
}

}  // namespace

std::string ValueOf(std::string_view text, const Row& row, const std::string& time_zone) {
  KnownColumns columns;
  columns.time_zone = time_zone;
  for (const auto& [name, value] : row) columns.columns.push_back({.name = name});
  auto program = Make(text, columns);
  if (!program.ok()) return std::string(program.status().message());
  auto rows = FieldRows::Make(*program, {.time_zone = time_zone});
  if (!rows.ok()) return std::string(rows.status().message());
  for (size_t i = 0; i < rows->columns().size(); ++i) {
    const absl::Status status = rows->SetText(i, row.at(rows->columns()[i]));
    if (!status.ok()) return std::string(status.message());
  }
  rows->EndRow();
  rows->Run([](int64_t) {});
  return Shown(rows->evaluation());
}

std::string ValueOfFloat(std::string_view text, float x) {
  auto program = Make(text, {.columns = {{.name = "x", .type = Type::kNumber, .is_float = true}}});
  if (!program.ok()) return std::string(program.status().message());
  Evaluation evaluation(*std::move(program));
  evaluation.Set(0, &x);
  evaluation.Run(1, [](int64_t) {});
  return Shown(evaluation);
}

absl::Status StatusOf(std::string_view text, std::optional<Type> wanted, bool others) {
  ASSIGN_OR_RETURN(const Expression expression, Expression::Parse(text));
  return Compile(expression,
                 {.columns = {{.name = "price", .type = Type::kNumber},
                              {.name = "user", .type = Type::kWhole},
                              {.name = "name", .type = Type::kText},
                              {.name = "valid", .type = Type::kTruth},
                              {.name = "at", .type = Type::kTime}},
                  .others = others},
                 wanted)
      .status();
}

}  // namespace tidemill::expressions
