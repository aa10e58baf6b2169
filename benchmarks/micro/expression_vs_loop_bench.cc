// An expression of ten operations over five columns of floats, against a loop written by hand that
// means the same: what is divided by zero is null, and so is a result that is not finite.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/numbers/random.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "expressions/evaluation.h"
#include "expressions/expression.h"

namespace tidemill {
namespace {

constexpr int64_t kRows = 16'384;  // Rows of a batch.
constexpr int kBatches = 64;
constexpr const char* kExpression = "(a * 2.5 + b) / c - d * d + e / (a + 3) - b * c";

using benchmarks::Fail;

// One in a hundred is zero.
std::vector<float> Column(int64_t number) {
  std::vector<float> values;
  for (int64_t i = 0; i < kRows; ++i) {
    const double unit = RandomUnit({.seed = number, .purpose = "benchmark"}, i);
    values.push_back(unit < 0.01 ? 0.0F : static_cast<float>(unit * 20 - 10));
  }
  return values;
}

double Quotient(double a, double b) {
  return a / (b == 0 ? std::numeric_limits<double>::quiet_NaN() : b);
}

void Loop(const std::vector<std::vector<float>>& columns, std::vector<double>& out) {
  const float* __restrict const a = columns[0].data();
  const float* __restrict const b = columns[1].data();
  const float* __restrict const c = columns[2].data();
  const float* __restrict const d = columns[3].data();
  const float* __restrict const e = columns[4].data();
  double* __restrict const to = out.data();
  for (int64_t i = 0; i < kRows; ++i) {
    const double x = a[i];
    const double y = b[i];
    const double z = c[i];
    const double w = d[i];
    const double value = Quotient(x * 2.5 + y, z) - w * w + Quotient(e[i], x + 3) - y * z;
    to[i] = std::fabs(value) <= std::numeric_limits<double>::max()
                ? value
                : std::numeric_limits<double>::quiet_NaN();
  }
}

void Evaluate(expressions::Evaluation& evaluation, const std::vector<std::vector<float>>& columns,
              std::vector<double>& out) {
  const auto& inputs = evaluation.program().inputs;
  for (int64_t begin = 0; begin < kRows; begin += expressions::kBlockRows) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      evaluation.Set(i, columns[static_cast<size_t>(inputs[i].name[0] - 'a')].data() + begin);
    }
    evaluation.Run(std::min(expressions::kBlockRows, kRows - begin), [&](int64_t part) {
      std::ranges::copy(evaluation.Values<double>(), out.begin() + begin + part);
    });
  }
}

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace
}  // namespace tidemill

int main() {
  using namespace tidemill;  // NOLINT: a program of one function.
  const auto expression = expressions::Expression::Parse(kExpression);
  if (!expression.ok()) Fail(std::string(expression.status().message()));
  expressions::KnownColumns known;
  std::vector<std::vector<float>> columns;
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    known.columns.push_back({.name = name, .type = expressions::Type::kNumber, .is_float = true});
    columns.push_back(Column(static_cast<int64_t>(columns.size())));
  }
  const auto program = Compile(*expression, known);
  if (!program.ok()) Fail(std::string(program.status().message()));
  expressions::Evaluation evaluation(*program);
  std::vector<double> ours(kRows);
  std::vector<double> theirs(kRows);
  Evaluate(evaluation, columns, ours);
  Loop(columns, theirs);
  if (!std::ranges::equal(ours, theirs, Same)) Fail("the values differ");
  const auto evaluate = [&] {
    for (int i = 0; i < kBatches; ++i) Evaluate(evaluation, columns, ours);
    return static_cast<double>(kRows) * kBatches;
  };
  const auto loop = [&] {
    for (int i = 0; i < kBatches; ++i) Loop(columns, theirs);
    return static_cast<double>(kRows) * kBatches;
  };
  benchmarks::Report(benchmarks::Measure("expression_vs_loop", "M rows/s", 1e6, evaluate, loop));
}
