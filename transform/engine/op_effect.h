// The properties of an op that the rewriting of graphs uses (transform/rewrite/): which other ops
// it could change places with, whether it does anything at all, and which pixels it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// The numbers that a column may hold in the rows that are good. The bounds are exact or too wide.
struct NumberRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  // Whether no number is infinite or missing.
  bool is_finite = false;

  bool IsWithin(double low, double high) const { return is_finite && min >= low && max <= high; }
  // Returns the range that holds the numbers of both.
  NumberRange With(const NumberRange& other) const;

  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

// Returns every number of a type. Floats may be infinite or missing.
NumberRange RangeOfType(batch::DataType type);
// Returns the numbers of a type that are finite.
NumberRange FiniteRangeOfType(batch::DataType type);

// Some rows and columns of pixels of an image: [top, bottom) and [left, right).
struct ImagePart {
  int64_t top = 0;
  int64_t bottom = 0;
  int64_t left = 0;
  int64_t right = 0;

  friend bool operator==(const ImagePart&, const ImagePart&) = default;
};

struct OpEffect;

// The known properties of the columns of a frame, by slot.
class KnownNumbers {
 public:
  // Returns the range of the column's type when nothing else is known.
  NumberRange Of(const BoundColumn& column) const;
  // Notes what an op makes of its outputs.
  void Learn(const OpEffect& effect, std::span<const BoundColumn> outputs);

 private:
  struct Known {
    bool is_set = false;
    NumberRange range;
  };
  std::vector<Known> ranges_;
};

enum class OpKind {
  kOther,
  // Makes each number of output i from the number at the same place of input i, and from nothing
  // else but the channel of an image.
  kEachNumber,
  // Moves numbers of images, or leaves some out. Never looks at them.
  kMovesPixels,
  // Makes no column, and leaves rows out.
  kLeavesOutRows
};

// The default is true of every op.
struct OpEffect {
  OpKind kind = OpKind::kOther;
  // Why a row that the op receives must not be left out before it, as the end of a sentence about
  // the op. Empty: nothing but the op's outputs would be missing. An op that may reject a row says
  // so here.
  std::string_view obstacle = "which may make bad samples";
  // kEachNumber: whether zero becomes zero, to the last bit.
  bool keeps_zero = false;
  // kMovesPixels: whether some pixels of the result may be zeros that are not from the image.
  bool adds_zeros = false;
  // Whether the op may make smaller images than those that are written, because a key of it asks
  // for that (Op::Reduced()).
  bool may_reduce = false;
  // Whether the op scales images, and makes each pixel of all pixels that it stands for.
  bool averages_images = false;
  // Why each output is its input, to the last bit. Empty: it may differ. Such an op has no
  // obstacle.
  std::string_view idle = {};
  // The known properties of the outputs, in order. Empty: only their types are known.
  std::vector<NumberRange> made = {};
};

}  // namespace tidemill::transform
