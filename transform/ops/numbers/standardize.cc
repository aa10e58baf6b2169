#include "transform/ops/numbers/standardize.h"

#include <algorithm>
#include <cmath>

#include "transform/engine/float_columns.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kMean = StandardizeSpec::kMean;
constexpr std::string_view kStd = StandardizeSpec::kStd;

// Mean and variance of each number of a row by Welford's update, row after row in double
// precision: numerically stable, and the same however the rows are cut into batches, which sums
// merged per batch would not be.
class Moments {
 public:
  explicit Moments(int64_t width) : means_(width, 0), squares_(width, 0) {}

  template <typename T>
  void Add(const T* row) {
    const double weight = 1.0 / static_cast<double>(++num_rows_);
    for (size_t i = 0; i < means_.size(); ++i) {
      const double value = static_cast<double>(row[i]);
      const double before = value - means_[i];
      means_[i] += before * weight;
      squares_[i] += before * (value - means_[i]);
    }
  }

  // Adds the rows of a column that are not bad and hold finite numbers only.
  template <typename T>
  void AddGood(std::span<const T> values, const Frame& frame) {
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      const std::span<const T> numbers = values.subspan(row * means_.size(), means_.size());
      if (!frame.IsBad(row) && IsFinite(numbers)) Add(numbers.data());
    }
  }

  template <typename T>
  static bool IsFinite(std::span<const T> numbers) {
    if constexpr (std::is_floating_point_v<T>) return !HasNonFinite(numbers);
    return true;
  }

  int64_t num_rows() const { return num_rows_; }
  const std::vector<double>& means() const { return means_; }

  // 1 where a number never varied; `num_constant` of them.
  std::vector<double> Deviations(int64_t& num_constant) const {
    std::vector<double> deviations;
    for (const double squares : squares_) {
      const double deviation = std::sqrt(squares / static_cast<double>(num_rows_));
      num_constant += deviation == 0 ? 1 : 0;
      deviations.push_back(deviation == 0 ? 1 : deviation);
    }
    return deviations;
  }

 private:
  int64_t num_rows_ = 0;
  std::vector<double> means_;
  std::vector<double> squares_;  // Sums of squared distances from the mean.
};

class StandardizeFitter final : public OpFitter {
 public:
  explicit StandardizeFitter(std::vector<BoundColumn> columns) : columns_(std::move(columns)) {
    for (const BoundColumn& column : columns_) moments_.emplace_back(column.schema.Width());
  }

  absl::Status Add(const Frame& frame) override {
    for (size_t i = 0; i < columns_.size(); ++i) {
      VisitNumbers(frame.Get(columns_[i].slot),
                   [&](auto values) { moments_[i].AddGood(values, frame); });
    }
    return absl::OkStatus();
  }

  absl::StatusOr<FitResult> Finish() override {
    FitResult result;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& name = columns_[i].schema.name;
      if (moments_[i].num_rows() == 0) {
        return FailedPrecondition("there is no good sample to learn column {} from", name);
      }
      int64_t num_constant = 0;
      std::vector<double> deviations = moments_[i].Deviations(num_constant);
      if (num_constant > 0) {
        result.warnings.push_back(
            fmt::format("{} of {} numbers of column {} never vary; their deviation is set to 1",
                        num_constant, deviations.size(), name));
      }
      result.learned.push_back({name, std::string(kMean), moments_[i].means()});
      result.learned.push_back({name, std::string(kStd), std::move(deviations)});
    }
    return result;
  }

 private:
  const std::vector<BoundColumn> columns_;
  std::vector<Moments> moments_;
};

template <typename From, typename To>
void Standardize(std::span<const From> in, std::span<const double> mean,
                 std::span<const double> deviation, std::span<To> out) {
  const auto standardize = [](From value, double shift, double scale) {
    return static_cast<To>((static_cast<double>(value) - shift) / scale);
  };
  if (mean.size() == 1) {
    MapNumbers(in, out, [standardize, shift = mean[0], scale = deviation[0]](From value, size_t) {
      return standardize(value, shift, scale);
    });
    return;
  }
  MapRows(in, out, mean.size(),
          [standardize, shifts = mean.data(), scales = deviation.data()](From value, size_t i) {
            return standardize(value, shifts[i], scales[i]);
          });
}

bool StaysAsItIs(const ColumnSchema& column, const RunContext& context) {
  return column.name == kTargetColumn && !context.standardize_target;
}

template <typename From, typename To>
void Copy(std::span<const From> in, std::span<To> out) {
  MapNumbers(in, out, [](From value, size_t) { return static_cast<To>(value); });
}

class StandardizeOp final : public BlockOp {
 public:
  using BlockOp::BlockOp;

  bool InPlace() const override { return true; }

  // For each column, means and deviations.
  absl::StatusOr<LearnedNumbers> Prepare(std::span<const Learned> learned) const override {
    LearnedNumbers numbers;
    for (size_t i = 0; i < outputs().size(); ++i) {
      const ColumnSchema& schema = outputs()[i].schema;
      ASSIGN_OR_RETURN(const Learned* mean, FindLearned(learned, schema.name, kMean));
      ASSIGN_OR_RETURN(const Learned* deviation, FindLearned(learned, schema.name, kStd));
      const auto width = static_cast<size_t>(OutputWidth(i));
      if (mean->numbers.size() != width || deviation->numbers.size() != width) {
        return InvalidArgument("the fitted state has {} numbers for column {}, which has {}",
                               mean->numbers.size(), schema.name, width);
      }
      numbers.push_back(mean->numbers);
      numbers.push_back(deviation->numbers);
    }
    return numbers;
  }

  absl::Status RunBlock(const Block& block) const override {
    for (size_t i = 0; i < outputs().size(); ++i) {
      VisitFloats(block, i, [&]<typename To>(auto in, std::span<To> out) {
        if (StaysAsItIs(outputs()[i].schema, block.frame.context())) return Copy(in, out);
        Standardize(in, block.learned[2 * i], block.learned[2 * i + 1], out);
        RejectNonFinite<To>(out, outputs()[i].schema, block);
      });
    }
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    OpEffect effect;
    for (const BoundColumn& output : outputs()) {
      // A target stays unchanged where it is measured.
      effect.made.push_back(output.schema.name == kTargetColumn
                                ? RangeOfType(output.schema.type)
                                : FiniteRangeOfType(output.schema.type));
    }
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned> learned, PortableGraph& graph) const override {
    ASSIGN_OR_RETURN(const LearnedNumbers numbers, Prepare(learned));
    for (size_t i = 0; i < outputs().size(); ++i) {
      if (!graph.Has(inputs()[i])) continue;
      const ColumnSchema& schema = outputs()[i].schema;
      const auto constant = [&](std::string_view statistic, std::span<const double> values) {
        return graph.Constant(fmt::format("{}_{}", schema.name, statistic),
                              batch::DataType::kFloat64, schema.shape,
                              {values.begin(), values.end()});
      };
      const StepId number = graph.Cast(graph.Get(inputs()[i]), batch::DataType::kFloat64);
      const StepId shifted =
          graph.Apply(StepKind::kSubtract, number, constant(kMean, numbers[2 * i]));
      const StepId scaled =
          graph.Apply(StepKind::kDivide, shifted, constant(kStd, numbers[2 * i + 1]));
      const StepId made = graph.Cast(scaled, schema.type);
      graph.RejectNonFinite(made);
      graph.Set(outputs()[i], made);
    }
    return absl::OkStatus();
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    return std::make_unique<StandardizeFitter>(inputs());
  }
};

}  // namespace

std::unique_ptr<Op> StandardizeSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kFloats);
  builder.MarkFitted();
  std::vector<BoundColumn> outputs = ReplaceByFloats(builder, "columns", inputs);
  return std::make_unique<StandardizeOp>(std::move(inputs), std::move(outputs));
}

TargetMade GraphOpOf<StandardizeSpec>::Target() const {
  const bool is_named = std::ranges::count(spec_.columns.Names(), kTargetColumn) > 0;
  return is_named ? TargetMade::kStandardized : TargetMade::kOther;
}

}  // namespace tidemill::transform
