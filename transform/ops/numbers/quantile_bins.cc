#include "transform/ops/numbers/quantile_bins.h"

#include <algorithm>
#include <cmath>

#include "transform/engine/number_sample.h"
#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kBounds = "bounds";

class BoundsFitter final : public OpFitter {
 public:
  BoundsFitter(BoundColumn input, int64_t bins)
      : input_(std::move(input)),
        bins_(bins),
        samples_(input_.schema.Width(), NumberSample(input_.schema.Width())) {}

  absl::Status Add(const Frame& frame) override {
    VisitNumbers(frame.Get(input_.slot), [&](auto values) {
      const size_t width = samples_.size();
      for (int64_t row = 0; row < frame.num_rows(); ++row) {
        if (frame.IsBad(row)) continue;
        for (size_t i = 0; i < width; ++i) {
          const auto value = static_cast<double>(values[row * width + i]);
          if (std::isfinite(value)) samples_[i].Add(value);
        }
      }
    });
    return absl::OkStatus();
  }

  absl::StatusOr<FitResult> Finish() override {
    FitResult result;
    Learned& learned = result.learned.emplace_back();
    learned.column = input_.schema.name;
    learned.statistic = kBounds;
    int64_t num_equal = 0;
    for (const NumberSample& sample : samples_) {
      const std::vector<double> sorted = sample.Sorted();
      if (sorted.empty()) {
        return FailedPrecondition("there is no good sample to learn column {} from",
                                  learned.column);
      }
      for (int64_t i = 1; i < bins_; ++i) {
        const double bound = sorted[i * std::ssize(sorted) / bins_];
        num_equal += i > 1 && bound == learned.numbers.back() ? 1 : 0;
        learned.numbers.push_back(bound);
      }
    }
    if (num_equal > 0) {
      result.warnings.push_back(
          fmt::format("column {} has too many equal numbers: {} of its {} bins stay empty",
                      learned.column, num_equal, bins_ * std::ssize(samples_)));
    }
    return result;
  }

 private:
  const BoundColumn input_;
  const int64_t bins_;
  std::vector<NumberSample> samples_;  // One for each number in a row.
};

class QuantileBinsOp final : public Op {
 public:
  QuantileBinsOp(int64_t bins, BoundColumn input, BoundColumn output)
      : bins_(bins), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, input_.schema.name, kBounds));
    if (std::ssize(entry->numbers) != input_.schema.Width() * (bins_ - 1)) {
      return InvalidArgument("the fitted state has {} bounds for column {}", entry->numbers.size(),
                             input_.schema.name);
    }
    const ColumnSchema& schema = output_.schema;
    VisitNumbers(frame.Get(input_.slot), [&](auto values) {
      if (schema.type == batch::DataType::kInt64) {
        batch::Column column = NewColumn<int64_t>(schema.name, frame.num_rows(), schema.shape);
        int64_t* out = column.data.MutableAs<int64_t>().data();
        FindBins(values, entry->numbers, frame, [&](size_t i, int64_t bin) { out[i] = bin; });
        frame.Set(output_.slot, std::move(column));
      } else {
        batch::Column column = NewColumn<float>(schema.name, frame.num_rows(), schema.shape);
        float* out = column.data.MutableAs<float>().data();
        FindBins(values, entry->numbers, frame,
                 [&](size_t i, int64_t bin) { out[i * bins_ + bin] = 1; });
        frame.Set(output_.slot, std::move(column));
      }
    });
    return absl::OkStatus();
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    return std::make_unique<BoundsFitter>(input_, bins_);
  }

  absl::Status WriteSteps(std::span<const Learned> learned, PortableGraph& graph) const override {
    if (!graph.Has(input_)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, input_.schema.name, kBounds));
    std::vector<int64_t> shape = input_.schema.shape;
    const StepId number = graph.Cast(graph.Get(input_), batch::DataType::kFloat64);
    if (IsFloat(input_.schema.type)) graph.Reject(graph.Apply(StepKind::kIsMissing, number));
    shape.push_back(1);
    const StepId column = graph.Reshape(number, shape);
    shape.back() = bins_ - 1;
    const StepId bounds = graph.Constant(input_.schema.name + "_bounds", batch::DataType::kFloat64,
                                         std::move(shape), entry->numbers);
    const StepId not_greater = graph.Apply(StepKind::kGreaterOrEqual, column, bounds);
    const StepId bin =
        graph.Apply(StepKind::kSumOfLast, graph.Cast(not_greater, batch::DataType::kInt64));
    const bool is_place = output_.schema.type == batch::DataType::kInt64;
    graph.Set(output_, is_place ? bin : graph.OneHot(bin, bins_));
    return absl::OkStatus();
  }

 private:
  // Calls found(i, bin) for the i-th number.
  template <typename T, typename Found>
  void FindBins(std::span<const T> values, std::span<const double> bounds, Frame& frame,
                Found found) const {
    const size_t width = input_.schema.Width();
    const int64_t num_bounds = bins_ - 1;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      if (std::isnan(value)) {
        frame.Reject(static_cast<int64_t>(i / width),
                     fmt::format("column {}: a number is missing", input_.schema.name));
        continue;
      }
      const auto begin = bounds.begin() + static_cast<int64_t>(i % width) * num_bounds;
      found(i, std::upper_bound(begin, begin + num_bounds, value) - begin);
    }
  }

  const int64_t bins_;
  const BoundColumn input_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> QuantileBinsSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  ColumnSchema schema{.name = into.empty() ? column : into,
                      .type = one_hot ? batch::DataType::kFloat32 : batch::DataType::kInt64};
  if (input.has_value()) {
    if (IsText(input->schema.type)) {
      builder.Problem("column", fmt::format("column {} holds text", column),
                      "parse it as numbers, or use one_hot or hash_buckets");
    }
    // Bounds take as much memory as bins - 1 such columns.
    std::vector<int64_t> bounds = input->schema.shape;
    bounds.push_back(bins);
    CheckShape(builder, "bins", bounds);
    if (!one_hot) schema.shape = input->schema.shape;
    if (one_hot && !input->schema.shape.empty()) {
      builder.Problem(
          "one_hot",
          fmt::format("column {} has {} numbers in a row", column, input->schema.Width()),
          "leave it out: it is for columns with one number in each row");
    }
  }
  if (one_hot) schema.shape = {bins};
  builder.MarkFitted();
  BoundColumn output = builder.Output("into", std::move(schema));
  if (!input.has_value()) return nullptr;
  return std::make_unique<QuantileBinsOp>(bins, *input, std::move(output));
}

}  // namespace tidemill::transform
