// Computes an expression for blocks of rows.
//
//   Evaluation evaluation(program);
//   evaluation.Set(0, prices);  // The inputs, in the order of program->inputs.
//   evaluation.Run(num_rows, [&](int64_t begin) { use(begin, evaluation.Values<double>()); });
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"

#include "expressions/program.h"
#include "expressions/registers.h"

namespace tidemill::expressions {

// The reason for the row of is_too_long(), after the name of the expression.
inline constexpr std::string_view kTooLong = "the texts that it makes have more than 16 MiB";

// The memory of one computation. It is made once and reused, so that blocks cost no allocation.
// Thread-compatible; the program may be shared.
class Evaluation {
 public:
  explicit Evaluation(std::shared_ptr<const Program> program);

  const Program& program() const { return *program_; }

  // Sets the values of an input: double, or float if the input says so, int64_t, Truth or
  // std::string_view. They must not change until Run() has returned, texts for as long as the
  // results are used.
  void Set(size_t input, const void* values) { inputs_[input] = values; }

  // Computes `num_rows` rows, at most kBlockRows, and calls sink(begin) for parts of them, in
  // order: then Values() are the results of the rows from `begin` on. There is one part, unless the
  // texts of the rows have more than kMaxTextBytes. A row that has more alone is a part with the
  // result null.
  using Sink = absl::FunctionRef<void(int64_t begin)>;
  void Run(int64_t num_rows, Sink sink);
  // Called by `sink`: the parts after this one are not computed.
  void Stop() { stopped_ = true; }

  // The results of the part, valid in `sink`, and after Run() those of the last part. T is the type
  // of program().type.
  template <typename T>
  std::span<const T> Values() const {
    if (is_too_long_) return {&kNullOf<T>, 1};
    return {registers_.In<T>(program_->result), num_rows()};
  }
  // The number of rows of the part.
  size_t num_rows() const { return static_cast<size_t>(registers_.num_rows()); }
  // Whether the part is a row with too many bytes of texts.
  bool is_too_long() const { return is_too_long_; }

 private:
  void RunPart(int64_t begin, int64_t num_rows, Sink sink);
  bool RunSteps();
  void RunConstantSteps();

  std::shared_ptr<const Program> program_;
  Registers registers_;
  TextArena constant_texts_ = TextArena(kMaxTextBytes);
  std::vector<const void*> inputs_;
  bool is_too_long_ = false;
  bool stopped_ = false;
};

}  // namespace tidemill::expressions
