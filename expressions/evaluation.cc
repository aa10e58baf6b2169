#include "expressions/evaluation.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace tidemill::expressions {

Evaluation::Evaluation(std::shared_ptr<const Program> program)
    : program_(std::move(program)), registers_(*program_) {
  for (const Constant& constant : program_->constants) {
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          using Stored = std::conditional_t<std::is_same_v<T, std::string>, std::string_view, T>;
          std::fill_n(registers_.Out<Stored>(constant.into), kBlockRows, Stored(value));
        },
        constant.value);
  }
  RunConstantSteps();
  inputs_.resize(program_->inputs.size());
}

void Evaluation::RunConstantSteps() {
  registers_.set_num_rows(1);
  for (const Step& step : program_->constant_steps) {
    step.kernel(step, registers_);
    const size_t bytes = program_->value_bytes[static_cast<size_t>(step.into)];
    std::byte* const values = registers_.Out<std::byte>(step.into);
    for (int64_t row = 1; row < kBlockRows; ++row) {
      std::memcpy(values + static_cast<size_t>(row) * bytes, values, bytes);
    }
  }
  // The texts of an expression are short, so these are never too long. They stay, and those of rows
  // get an arena with a bound.
  constant_texts_ = std::exchange(registers_.texts(), TextArena(kMaxTextBytes));
}

void Evaluation::Run(int64_t num_rows, Sink sink) {
  TIDEMILL_CHECK(num_rows >= 0);
  TIDEMILL_CHECK(num_rows <= kBlockRows);
  stopped_ = false;
  RunPart(0, num_rows, sink);
}

void Evaluation::RunPart(int64_t begin, int64_t num_rows, Sink sink) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto* const values = static_cast<const std::byte*>(inputs_[i]);
    registers_.Point(static_cast<int>(i),
                     values + static_cast<size_t>(begin) * program_->value_bytes[i]);
  }
  registers_.set_num_rows(num_rows);
  is_too_long_ = !RunSteps();
  if (!is_too_long_ || num_rows == 1) return sink(begin);
  const int64_t half = num_rows / 2;
  RunPart(begin, half, sink);
  if (!stopped_) RunPart(begin + half, num_rows - half, sink);
}

// Returns false when the texts have too many bytes.
bool Evaluation::RunSteps() {
  registers_.texts().Clear();
  for (const Step& step : program_->steps) {
    step.kernel(step, registers_);
    if (registers_.texts().is_full()) return false;
  }
  return true;
}

}  // namespace tidemill::expressions
