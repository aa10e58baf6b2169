// Ops that can run on any consecutive rows of a frame. Several of them can therefore take turns on
// rows that stay in the processor's cache (stage.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "transform/engine/numbers.h"
#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// The lists of numbers that an op computes with, from what it learned. The op decides their order.
// They are views of a fitted state.
using LearnedNumbers = std::vector<std::span<const double>>;

// Consecutive rows of a frame, and the places of the numbers that the running op reads and writes.
struct Block {
  Frame& frame;
  int64_t first_row = 0;
  int64_t num_rows = 0;
  // One pointer per input and per output of the op. Each points to the numbers of `first_row`.
  std::span<const std::byte* const> inputs = {};
  std::span<std::byte* const> outputs = {};
  // The result of BlockOp::Prepare().
  std::span<const std::span<const double>> learned = {};
  // Whether every number of the inputs, in good rows, is known to be finite as float32. An op then
  // need not look for those that are not.
  bool inputs_are_finite = false;
};

// An op that reads and makes columns of numbers. The columns are known when the graph is built.
class BlockOp : public Op {
 public:
  BlockOp(std::vector<BoundColumn> inputs, std::vector<BoundColumn> outputs);

  const std::vector<BoundColumn>& inputs() const { return inputs_; }
  const std::vector<BoundColumn>& outputs() const { return outputs_; }

  // Whether output i may be written over input i when their types and widths are equal.
  virtual bool InPlace() const { return false; }

  // Returns the learned numbers that RunBlock() needs. INVALID_ARGUMENT when some are missing.
  virtual absl::StatusOr<LearnedNumbers> Prepare(std::span<const Learned> learned) const;

  // Writes every number of the block's rows in every output, also in bad rows. Rejects the rows
  // that it cannot treat.
  virtual absl::Status RunBlock(const Block& block) const = 0;

  // Runs the op on all rows of a frame as one block.
  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override;
  const BlockOp* block_op() const final { return this; }

 protected:
  // Calls body(std::span<const T>) with the numbers of an input in the block.
  template <typename Body>
  void VisitInput(const Block& block, size_t index, Body&& body) const {
    VisitNumbers(inputs_[index].schema.type, block.inputs[index],
                 block.num_rows * input_widths_[index], std::forward<Body>(body));
  }

  template <typename T>
  std::span<T> OutputOf(const Block& block, size_t index) const {
    return {reinterpret_cast<T*>(block.outputs[index]),
            static_cast<size_t>(block.num_rows * output_widths_[index])};
  }

  // Calls body(in, out) with the numbers of an input and the place for the numbers of the output
  // with the same index. The output is float32 or float64.
  template <typename Body>
  void VisitFloats(const Block& block, size_t index, Body&& body) const {
    const bool wide = outputs_[index].schema.type == batch::DataType::kFloat64;
    VisitInput(block, index, [&](auto in) {
      if (wide) {
        body(in, OutputOf<double>(block, index));
      } else {
        body(in, OutputOf<float>(block, index));
      }
    });
  }

  int64_t InputWidth(size_t index) const { return input_widths_[index]; }
  int64_t OutputWidth(size_t index) const { return output_widths_[index]; }

 private:
  const std::vector<BoundColumn> inputs_;
  const std::vector<BoundColumn> outputs_;
  const std::vector<int64_t> input_widths_;
  const std::vector<int64_t> output_widths_;
};

// Sets out[i] = function(in[i], i). `in` and `out` may be the same memory; otherwise they must not
// overlap.
template <typename From, typename To, typename Function>
void MapNumbers(std::span<const From> in, std::span<To> out, Function function) {
  const size_t size = in.size();
  TIDEMILL_CHECK(out.size() >= size);
  if constexpr (std::is_same_v<From, To>) {
    // This case has its own loop: a compiler does not vectorise a loop whose input and output may
    // overlap.
    if (in.data() == out.data()) {
      To* const numbers = out.data();
      for (size_t i = 0; i < size; ++i) numbers[i] = function(numbers[i], i);
      return;
    }
  }
  const From* __restrict const from = in.data();
  To* __restrict const to = out.data();
  for (size_t i = 0; i < size; ++i) to[i] = function(from[i], i);
}

// Does the same for rows of `width` numbers with function(number, place in its row). For rows of a
// single number, MapNumbers() is faster.
template <typename From, typename To, typename Function>
void MapRows(std::span<const From> in, std::span<To> out, size_t width, Function function) {
  for (size_t begin = 0; begin < in.size(); begin += width) {
    MapNumbers(in.subspan(begin, width), out.subspan(begin, width), function);
  }
}

// Rejects the rows of a block whose numbers in the output `schema` are not all finite.
template <typename T>
void RejectNonFinite(std::span<const T> values, const ColumnSchema& schema, const Block& block) {
  if (HasNonFinite(values)) {
    RejectNonFiniteRows(values, schema.name, schema.Width(), block.first_row, block.frame);
  }
}

}  // namespace tidemill::transform
