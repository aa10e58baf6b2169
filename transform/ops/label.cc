#include "transform/ops/label.h"

#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

class LabelOp final : public Op {
 public:
  LabelOp(LabelKind kind, int64_t num_classes, BoundColumn output)
      : kind_(kind), num_classes_(num_classes), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const bool is_real = kind_ == LabelKind::kReal;
    const std::string_view name = is_real ? batch::kRealLabelColumn : batch::kClassLabelColumn;
    // Storage leaves out a label that none of the samples has.
    if (frame.samples().Find(name) == nullptr) {
      RejectAll(frame);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(
        const batch::Column* labels,
        frame.samples().Get(name, is_real ? batch::DataType::kFloat64 : batch::DataType::kInt64));
    is_real ? RunReal(*labels, frame) : RunClass(*labels, frame);
    return absl::OkStatus();
  }

  // Predictions need no label.
  absl::Status WriteSteps(std::span<const Learned>, PortableGraph&) const override {
    return absl::OkStatus();
  }

 private:
  void RejectAll(Frame& frame) const {
    frame.Set(output_.slot, kind_ == LabelKind::kReal
                                ? NewColumn<float>(output_.schema.name, frame.num_rows(), {})
                                : NewColumn<int64_t>(output_.schema.name, frame.num_rows(), {}));
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      frame.Reject(row, "the sample has no label");
    }
  }

  void RunReal(const batch::Column& labels, Frame& frame) const {
    batch::Column targets = NewColumn<float>(output_.schema.name, frame.num_rows(), {});
    const std::span<float> out = targets.data.MutableAs<float>();
    const std::span<const double> in = labels.Values<double>();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      out[row] = static_cast<float>(in[row]);
      if (!labels.IsValid(row)) {
        out[row] = 0;
        frame.Reject(row, "the sample has no label");
      } else if (!std::isfinite(out[row])) {
        frame.Reject(row, fmt::format("the label {} is not a finite float32", in[row]));
      }
    }
    frame.Set(output_.slot, std::move(targets));
  }

  void RunClass(const batch::Column& labels, Frame& frame) const {
    batch::Column targets = NewColumn<int64_t>(output_.schema.name, frame.num_rows(), {});
    const std::span<int64_t> out = targets.data.MutableAs<int64_t>();
    const std::span<const int64_t> in = labels.Values<int64_t>();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (!labels.IsValid(row)) {
        frame.Reject(row, "the sample has no label");
      } else if (in[row] < 0 || (num_classes_ > 0 && in[row] >= num_classes_)) {
        frame.Reject(
            row, fmt::format("the label {} is not one of the {} classes", in[row], num_classes_));
      } else {
        out[row] = in[row];
      }
    }
    frame.Set(output_.slot, std::move(targets));
  }

  const LabelKind kind_;
  const int64_t num_classes_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> LabelSpec::Build(OpBuilder& builder) const {
  const SampleSchema& samples = builder.samples();
  if (samples.label == LabelKind::kNone) {
    builder.Problem("", "the dataset has no labels", "give the dataset a `label` section");
  }
  BoundColumn output =
      builder.Output("into",
                     {.name = into,
                      .type = samples.label == LabelKind::kReal ? batch::DataType::kFloat32
                                                                : batch::DataType::kInt64},
                     /*is_target=*/true);
  return std::make_unique<LabelOp>(samples.label, samples.num_classes, std::move(output));
}

TargetMade GraphOpOf<LabelSpec>::Target() const {
  return spec_.into == kTargetColumn ? TargetMade::kLabel : TargetMade::kOther;
}

}  // namespace tidemill::transform
