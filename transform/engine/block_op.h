// Ops that can be run on any consecutive rows of a frame, so that several of them can take turns on
// rows that stay in the cache (stage.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "transform/engine/numbers.h"
#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Of what an op learned, the lists of numbers that it computes with, in an order of its own. Views
// of a fitted state.
using LearnedNumbers = std::vector<std::span<const double>>;

// Consecutive rows of a frame, and where the op at work finds and puts their numbers.
struct Block {
  Frame& frame;
  int64_t first_row = 0;
  int64_t num_rows = 0;
  // One pointer for each input and output of the op, to the numbers of `first_row`.
  std::span<const std::byte* const> inputs = {};
  std::span<std::byte* const> outputs = {};
  // What BlockOp::Prepare() made.
  std::span<const std::span<const double>> learned = {};
};

// Reads and makes columns of numbers, known when the graph is built.
class BlockOp : public Op {
 public:
  BlockOp(std::vector<BoundColumn> inputs, std::vector<BoundColumn> outputs);

  const std::vector<BoundColumn>& inputs() const { return inputs_; }
  const std::vector<BoundColumn>& outputs() const { return outputs_; }

  // Whether output i may be written where input i lies, when their types and widths are equal.
  virtual bool InPlace() const { return false; }

  // Finds what RunBlock() needs of what the op learned. INVALID_ARGUMENT when it is not there.
  virtual absl::StatusOr<LearnedNumbers> Prepare(std::span<const Learned> learned) const;

  // Writes every number of the block's rows in every output, also of bad rows, and rejects what it
  // cannot treat.
  virtual absl::Status RunBlock(const Block& block) const = 0;

  // All rows of a frame as one block.
  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override;
  const BlockOp* block_op() const final { return this; }

 protected:
  // Calls body(std::span<const T>) with the numbers of an input.
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

  // Calls body(in, out) with the numbers of an input and the place for those of the output of the
  // same index, which is float32 or float64.
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

// Sets out[i] = function(in[i], i). The two may be the same numbers, else they lie apart.
template <typename From, typename To, typename Function>
void MapNumbers(std::span<const From> in, std::span<To> out, Function function) {
  const size_t size = in.size();
  if constexpr (std::is_same_v<From, To>) {
    // A loop of its own: one that reads and writes what may overlap is done number by number.
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

// The same for rows of `width` numbers: function(number, place in its row). Rows of a single number
// are better served by MapNumbers().
template <typename From, typename To, typename Function>
void MapRows(std::span<const From> in, std::span<To> out, size_t width, Function function) {
  for (size_t begin = 0; begin < in.size(); begin += width) {
    MapNumbers(in.subspan(begin, width), out.subspan(begin, width), function);
  }
}

// Rejects the rows of a block that hold a number that is not finite in the output `schema`.
template <typename T>
void RejectNonFinite(std::span<const T> values, const ColumnSchema& schema, const Block& block) {
  if (HasNonFinite(values)) {
    RejectNonFiniteRows(values, schema.name, schema.Width(), block.first_row, block.frame);
  }
}

}  // namespace tidemill::transform
