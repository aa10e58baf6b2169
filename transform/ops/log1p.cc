#include "transform/ops/log1p.h"

#include <cmath>

#include "transform/engine/float_columns.h"

namespace tidemill::transform {
namespace {

class Log1pOp final : public Op {
 public:
  Log1pOp(NegativeNumber negative, std::vector<BoundColumn> inputs,
          std::vector<BoundColumn> outputs)
      : negative_(negative), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      RunFloats(inputs_[i], outputs_[i], frame,
                [&](auto in, auto out) { RunColumn(outputs_[i].schema, in, out, frame); });
    }
    return absl::OkStatus();
  }

 private:
  template <typename From, typename To>
  void RunColumn(const ColumnSchema& schema, std::span<const From> in, std::span<To> out,
                 Frame& frame) const {
    const int64_t width = schema.Width();
    for (size_t i = 0; i < in.size(); ++i) {
      const auto value = static_cast<double>(in[i]);
      if (!(value < 0)) {
        out[i] = static_cast<To>(std::log1p(value));
        continue;
      }
      out[i] = 0;
      if (negative_ == NegativeNumber::kBadSample) {
        frame.Reject(static_cast<int64_t>(i) / width,
                     fmt::format("column {}: {} is negative and has no log1p", schema.name, in[i]));
      }
    }
  }

  const NegativeNumber negative_;
  const std::vector<BoundColumn> inputs_;
  const std::vector<BoundColumn> outputs_;
};

}  // namespace

std::unique_ptr<Op> Log1pSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kFloats);
  std::vector<BoundColumn> outputs = ReplaceByFloats(builder, "columns", inputs);
  return std::make_unique<Log1pOp>(negative, std::move(inputs), std::move(outputs));
}

}  // namespace tidemill::transform
