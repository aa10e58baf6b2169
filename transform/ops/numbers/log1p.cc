#include "transform/ops/numbers/log1p.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/numbers/each_processor.h"
#include "transform/engine/float_columns.h"
#include "transform/engine/logarithm.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

// log(1 + x) for x >= 0, with less than one unit of error in the last place.
inline double LogOnePlus(double x) {
  const double sum = 1 + x;
  // What `sum` has lost of x. One of both is the larger, and the rest is exact.
  const double lost = (x < 1 ? x - (sum - 1) : 1 - (sum - x)) / sum;
  const double value = LogarithmOf(sum, lost);
  // Also keeps zero, infinity and what is not a number.
  return x > 0 && x <= std::numeric_limits<double>::max() ? value : x;
}

// LogOnePlus() rounded to float32, for every float32 to the last bit, with one division less: the
// sum of 1 and a number from 2^-29 to 2^52 is exact in float64, a smaller number is its own
// logarithm in float32, and what the sum loses of a larger one is too little to show.
inline float LogOnePlusOfFloat(float x) {
  constexpr float kOwnLogarithm = 0x1p-29F;
  const auto value = static_cast<float>(LogarithmOf(1 + static_cast<double>(x)));
  return x > kOwnLogarithm && x <= std::numeric_limits<float>::max() ? value : x;
}

// Returns whether a number is negative; what it makes of that one is undefined.
TIDEMILL_FOR_EACH_PROCESSOR
bool LogsOnePlus(const float* in, int64_t count, float* out) {
  uint32_t negative = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float number = in[i];
    negative |= static_cast<uint32_t>(number < 0);
    out[i] = LogOnePlusOfFloat(number);
  }
  return negative != 0;
}

class Log1pOp final : public BlockOp {
 public:
  Log1pOp(NegativeNumber negative, std::vector<BoundColumn> inputs,
          std::vector<BoundColumn> outputs)
      : BlockOp(std::move(inputs), std::move(outputs)), negative_(negative) {}

  bool InPlace() const override { return true; }

  absl::Status RunBlock(const Block& block) const override {
    for (size_t i = 0; i < inputs().size(); ++i) {
      VisitFloats(block, i, [&](auto in, auto out) { RunColumn(i, in, out, block); });
    }
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    OpEffect effect{.kind = OpKind::kEachNumber, .obstacle = {}, .keeps_zero = true};
    for (size_t i = 0; i < inputs().size(); ++i) {
      const NumberRange range = numbers.Of(inputs()[i]);
      if (negative_ == NegativeNumber::kBadSample && !(range.min >= 0)) {
        effect.obstacle = "which makes bad samples of negative numbers";
      }
      NumberRange made = RangeOfType(outputs()[i].schema.type);
      // The logarithm of a number that is not negative is above it by its rounding at most.
      constexpr double kRounded = 1 + 1e-9;
      if (range.is_finite) made = {0, std::max(0.0, range.max) * kRounded, true};
      effect.made.push_back(made);
    }
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    for (size_t i = 0; i < inputs().size(); ++i) {
      if (!graph.Has(inputs()[i])) continue;
      const StepId number = graph.Cast(graph.Get(inputs()[i]), batch::DataType::kFloat64);
      const StepId zero = graph.Number(batch::DataType::kFloat64, 0);
      const StepId is_negative = graph.Apply(StepKind::kLess, number, zero);
      const StepId log = graph.Apply(StepKind::kLog1p, graph.Where(is_negative, zero, number));
      graph.Set(outputs()[i], graph.Cast(log, outputs()[i].schema.type));
      if (negative_ == NegativeNumber::kBadSample) graph.Reject(is_negative);
    }
    return absl::OkStatus();
  }

 private:
  template <typename From, typename To>
  void RunColumn(size_t column, std::span<const From> in, std::span<To> out,
                 const Block& block) const {
    if constexpr (std::is_same_v<From, float> && std::is_same_v<To, float>) {
      // In place, a negative number would be lost.
      constexpr size_t kAtOnce = 256;
      float made[kAtOnce];
      for (size_t begin = 0; begin < in.size(); begin += kAtOnce) {
        const size_t count = std::min(kAtOnce, in.size() - begin);
        if (LogsOnePlus(&in[begin], static_cast<int64_t>(count), made)) {
          RunSlowly(column, begin, in.subspan(begin, count), out.subspan(begin, count), block);
        } else {
          std::copy_n(made, count, &out[begin]);
        }
      }
    } else {
      RunSlowly(column, 0, in, out, block);
    }
  }

  // Number by number. `first` is the place of in[0] in the block's column.
  template <typename From, typename To>
  void RunSlowly(size_t column, size_t first, std::span<const From> in, std::span<To> out,
                 const Block& block) const {
    for (size_t i = 0; i < in.size(); ++i) {
      const From number = in[i];
      const auto value = static_cast<double>(number);
      if (!(value < 0)) {
        out[i] = static_cast<To>(LogOnePlus(value));
        continue;
      }
      out[i] = 0;
      if (negative_ == NegativeNumber::kBadSample) {
        block.frame.Reject(block.first_row + static_cast<int64_t>(first + i) / OutputWidth(column),
                           fmt::format("column {}: {} is negative and has no log1p",
                                       outputs()[column].schema.name, number));
      }
    }
  }

  const NegativeNumber negative_;
};

}  // namespace

std::unique_ptr<Op> Log1pSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kFloats);
  std::vector<BoundColumn> outputs = ReplaceByFloats(builder, "columns", inputs);
  return std::make_unique<Log1pOp>(negative, std::move(inputs), std::move(outputs));
}

}  // namespace tidemill::transform
