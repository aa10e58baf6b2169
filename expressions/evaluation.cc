#include "expressions/evaluation.h"

#include <algorithm>
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
  registers_.set_num_rows(kBlockRows);
  for (const Step& step : program_->constant_steps) step.kernel(step, registers_);
  // The texts that constant steps have made stay.
  std::swap(constant_texts_, registers_.texts());
}

void Evaluation::Run(int64_t num_rows) {
  TIDEMILL_CHECK(num_rows <= kBlockRows);
  registers_.texts().Clear();
  registers_.set_num_rows(num_rows);
  for (const Step& step : program_->steps) step.kernel(step, registers_);
}

}  // namespace tidemill::expressions
