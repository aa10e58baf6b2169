// An expression in the first line, then fields of rows. Any text is an expression or a
// mistake; what compiles computes the same for a block of rows as for each of them alone.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expressions/evaluation.h"
#include "expressions/expression.h"
#include "expressions/field_rows.h"
#include "tests/fuzz/fuzz_target.h"

namespace tidemill::fuzz {

namespace {

using expressions::Evaluation;
using expressions::Expression;
using expressions::Input;
using expressions::Program;
using expressions::Truth;
using expressions::Type;
using ProgramPtr = std::shared_ptr<const Program>;

constexpr size_t kMaxRows = 24;

const expressions::KnownColumns& Columns() {
  static const expressions::KnownColumns columns = {
      .columns = {{.name = "x", .type = Type::kNumber},
                  {.name = "f", .type = Type::kNumber, .is_float = true},
                  {.name = "n", .type = Type::kWhole},
                  {.name = "b", .type = Type::kTruth},
                  {.name = "s", .type = Type::kText},
                  {.name = "@time", .type = Type::kTime}},
      .others = true};
  return columns;
}

// The bytes that a row of a column is made of.
std::string_view Piece(std::string_view bytes, size_t at) {
  if (bytes.empty()) return {};
  at = at * 7 % bytes.size();
  return bytes.substr(at, std::min<size_t>(8, bytes.size() - at));
}

uint64_t Bits(std::string_view piece) {
  uint64_t bits = 0;
  if (!piece.empty()) std::memcpy(&bits, piece.data(), piece.size());
  return bits;
}

// The values of an input, all of them of the type that the program reads.
std::vector<std::byte> Values(const Input& input, std::string_view bytes, size_t rows) {
  const size_t size = input.is_float ? sizeof(float) : expressions::SizeOf(input.type);
  std::vector<std::byte> values(size * rows);
  for (size_t row = 0; row < rows; ++row) {
    const std::string_view piece = Piece(bytes, row * 5 + input.name.size());
    const uint64_t bits = Bits(piece);
    std::byte* const at = &values[row * size];
    if (input.type == Type::kText) {
      const std::string_view text = bits % 4 == 1 ? std::string_view() : piece;
      std::memcpy(at, &text, sizeof(text));
    } else if (input.type == Type::kTruth) {
      const auto truth = static_cast<Truth>(bits % 3);
      std::memcpy(at, &truth, sizeof(truth));
    } else {
      // Numbers of any kind, and times, must hold any bits.
      std::memcpy(at, &bits, size);
    }
  }
  return values;
}

// The value of a row, as bytes that are equal for what is the same. All nulls of a type are.
std::string Shown(const Evaluation& evaluation, size_t row) {
  switch (evaluation.program().type) {
    case Type::kNumber: {
      const double value = evaluation.Values<double>()[row];
      Promise(!std::isinf(value), "a number is finite or null");
      return std::isnan(value) ? "null" : std::to_string(std::bit_cast<uint64_t>(value));
    }
    case Type::kWhole:
    case Type::kTime:
      return std::to_string(evaluation.Values<int64_t>()[row]);
    case Type::kTruth: {
      const Truth value = evaluation.Values<Truth>()[row];
      Promise(value <= Truth::kTrue, "a boolean is true, false or null");
      return std::to_string(static_cast<int>(value));
    }
    case Type::kText: {
      const std::string_view value = evaluation.Values<std::string_view>()[row];
      return expressions::IsNull(value) ? "null" : "'" + std::string(value);
    }
  }
  return {};
}

// Adds the values of a part.
void AddShown(const Evaluation& evaluation, std::vector<std::string>& shown) {
  for (size_t row = 0; row < evaluation.num_rows(); ++row) shown.push_back(Shown(evaluation, row));
}

void TryColumns(const ProgramPtr& program, std::string_view bytes) {
  const size_t rows = 1 + (bytes.size() % kMaxRows);
  std::vector<std::vector<std::byte>> values;
  for (const Input& input : program->inputs) values.push_back(Values(input, bytes, rows));
  Evaluation block(program);
  for (size_t i = 0; i < values.size(); ++i) block.Set(i, values[i].data());
  std::vector<std::string> in_block;
  block.Run(static_cast<int64_t>(rows), [&](int64_t) { AddShown(block, in_block); });
  Promise(in_block.size() == rows, "every row has a value");
  Evaluation single(program);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < values.size(); ++i) {
      single.Set(i, &values[i][row * values[i].size() / rows]);
    }
    single.Run(1, [](int64_t) {});
    Promise(Shown(single, 0) == in_block[row], "a row alone has the value that it has in a block");
  }
}

// Fields of records. A field that cannot be read costs its row alone.
void TryFields(const ProgramPtr& program, std::string_view bytes) {
  auto rows = expressions::FieldRows::Make(program, {});
  Promise(rows.ok(), "fields can be read without a format");
  for (size_t row = 0; row < kMaxRows; ++row) {
    bool reads = true;
    for (size_t i = 0; reads && i < rows->columns().size(); ++i) {
      reads = rows->SetText(i, Piece(bytes, row * 3 + i)).ok();
    }
    if (reads) rows->EndRow();
  }
  std::vector<std::string> shown;
  rows->Run([&](int64_t) { AddShown(rows->evaluation(), shown); });
  Promise(std::ssize(shown) == rows->num_rows(), "every row has a value");
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (const char* const text :
       {"x + f * 2.5 - n / 3 % 4 ^ -2",
        "-x ^ 2 >= abs(n) and not b or s is not null",
        "if(x > 0, 'a', s)",
        "case when b then n when f < .5 then 2 else null end",
        "s in ('a', 'b', null) and n not in (1, 2, x)",
        "f between 0.1 and 1e3",
        "round(x, 2) + floor(f) + clip(n, -3, 10) + min(x, n, f) + max(1, x)",
        "log(x) + log1p(f) + exp(n) + sqrt(x)",
        "hash(s, 100) + hash(n, 7)",
        "concat(lower(s), ' ', upper(trim(s)), n, b, @time, x)",
        "split(s, ' ')[-1]",
        "length(s) > 3 and contains(s, '1') or starts_with(s, s) and ends_with(s, 'x')",
        "matches(s, '^[a-z]+(1|2)*$')",
        "year(@time) * 12 + month(@time) + day(@time, 'Asia/Tokyo')",
        "weekday(@time) >= 6 and hour(@time, 'Europe/Zurich') < 6 and minute(@time) = 0",
        "day_of_year(@time) + epoch(@time) / 86400",
        "@time - time('2024-01-01') > 3600",
        "time(s, '%d.%m.%Y', 'Europe/Zurich') + x",
        "coalesce(nullif(n, -999), whole(s), whole(x))",
        "number(s) + number(b) + number(n)",
        "text(x) = text(n)",
        "\"arr delay\" >= 15 and a.b[0] = 'c'",
        "other + 1",
        "lower(other) = 'x' and year(when_) > 2000"}) {
    seeds.push_back(std::string(text) +
                    "\n12.5 -7 abc 2024-02-29T12:00:00Z \xc3\xa4 true 0 1e300 nan");
  }
  return seeds;
}

void Try(std::string_view input) {
  const size_t end = std::min(input.find('\n'), input.size());
  const std::string_view bytes = input.substr(std::min(end + 1, input.size()));
  const auto expression = Expression::Parse(input.substr(0, end));
  if (!expression.ok()) {
    Promise(!expression.status().message().empty(), "a mistake has a message");
    return;
  }
  for (const std::optional<Type> wanted :
       {std::optional<Type>(), std::optional(Type::kTruth), std::optional(Type::kNumber),
        std::optional(Type::kText), std::optional(Type::kTime)}) {
    const auto program = Compile(*expression, Columns(), wanted);
    if (!program.ok()) {
      Promise(!program.status().message().empty(), "a mistake has a message");
      continue;
    }
    Promise(!wanted || (*program)->type == *wanted, "the result has the type that was wanted");
    TryColumns(*program, bytes);
    TryFields(*program, bytes);
  }
}

}  // namespace tidemill::fuzz
