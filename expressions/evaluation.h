// Computes an expression for blocks of rows.
//
//   Evaluation evaluation(program);
//   evaluation.Set(0, prices);  // The inputs, in the order of program->inputs.
//   evaluation.Run(num_rows);
//   use(evaluation.Values<double>());
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "expressions/program.h"
#include "expressions/registers.h"

namespace tidemill::expressions {

// The memory of one computation. It is made once and reused, so that blocks cost no allocation.
// Thread-compatible; the program may be shared.
class Evaluation {
 public:
  explicit Evaluation(std::shared_ptr<const Program> program);

  const Program& program() const { return *program_; }

  // Sets the values of an input: double, or float if the input says so, int64_t, Truth or
  // std::string_view. They must not change until Run() has returned, texts for as long as the
  // results are used.
  void Set(size_t input, const void* values) { registers_.Point(static_cast<int>(input), values); }

  // Computes `num_rows` rows, at most kBlockRows.
  void Run(int64_t num_rows);

  // The results of Run(), valid until the next one. T is the type of program().type.
  template <typename T>
  std::span<const T> Values() const {
    return {registers_.In<T>(program_->result), static_cast<size_t>(registers_.num_rows())};
  }

 private:
  std::shared_ptr<const Program> program_;
  Registers registers_;
  TextArena constant_texts_;
};

}  // namespace tidemill::expressions
