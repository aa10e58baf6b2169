#include "transform/ops/standardize.h"

#include <cmath>

#include "transform/engine/numbers.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kMean = "mean";
constexpr std::string_view kStd = "std";

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
            fmt::format("{} of {} numbers of column {} never vary; their deviation is taken as 1",
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
                 std::span<const double> deviation, To* out) {
  const size_t width = mean.size();
  for (size_t begin = 0; begin < in.size(); begin += width) {
    for (size_t i = 0; i < width; ++i) {
      out[begin + i] =
          static_cast<To>((static_cast<double>(in[begin + i]) - mean[i]) / deviation[i]);
    }
  }
}

class StandardizeOp final : public Op {
 public:
  StandardizeOp(std::vector<BoundColumn> inputs, std::vector<BoundColumn> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const ColumnSchema& schema = outputs_[i].schema;
      ASSIGN_OR_RETURN(const Learned* mean, FindLearned(learned, schema.name, kMean));
      ASSIGN_OR_RETURN(const Learned* deviation, FindLearned(learned, schema.name, kStd));
      const size_t width = schema.Width();
      if (mean->numbers.size() != width || deviation->numbers.size() != width) {
        return InvalidArgument("the fitted state has {} numbers for column {}, which has {}",
                               mean->numbers.size(), schema.name, width);
      }
      if (schema.type == batch::DataType::kFloat64) {
        RunColumn<double>(i, mean->numbers, deviation->numbers, frame);
      } else {
        RunColumn<float>(i, mean->numbers, deviation->numbers, frame);
      }
    }
    return absl::OkStatus();
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    return std::make_unique<StandardizeFitter>(inputs_);
  }

 private:
  template <typename T>
  void RunColumn(size_t index, std::span<const double> mean, std::span<const double> deviation,
                 Frame& frame) const {
    const BoundColumn& output = outputs_[index];
    batch::Column column = NewColumn<T>(output.schema.name, frame.num_rows(), output.schema.shape);
    T* out = column.data.template MutableAs<T>().data();
    VisitNumbers(frame.Get(inputs_[index].slot),
                 [&](auto in) { Standardize(in, mean, deviation, out); });
    RejectNonFinite<T>(column, frame);
    frame.Set(output.slot, std::move(column));
  }

  const std::vector<BoundColumn> inputs_;
  const std::vector<BoundColumn> outputs_;
};

}  // namespace

std::unique_ptr<Op> StandardizeSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kFloats);
  builder.MarkFitted();
  std::vector<BoundColumn> outputs;
  for (const BoundColumn& input : inputs) {
    ColumnSchema schema = input.schema;
    if (schema.type != batch::DataType::kFloat64) schema.type = batch::DataType::kFloat32;
    outputs.push_back(builder.Output("columns", std::move(schema)));
  }
  return std::make_unique<StandardizeOp>(std::move(inputs), std::move(outputs));
}

}  // namespace tidemill::transform
