#include "transform/ops/log1p.h"

#include <cmath>

#include "transform/engine/float_columns.h"

namespace tidemill::transform {
namespace {

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

 private:
  template <typename From, typename To>
  void RunColumn(size_t column, std::span<const From> in, std::span<To> out,
                 const Block& block) const {
    for (size_t i = 0; i < in.size(); ++i) {
      const From number = in[i];
      const auto value = static_cast<double>(number);
      if (!(value < 0)) {
        out[i] = static_cast<To>(std::log1p(value));
        continue;
      }
      out[i] = 0;
      if (negative_ == NegativeNumber::kBadSample) {
        block.frame.Reject(block.first_row + static_cast<int64_t>(i) / OutputWidth(column),
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
