#include "transform/ops/fill_missing.h"

#include <cmath>

#include "base/config_problems.h"
#include "transform/engine/float_columns.h"
#include "transform/engine/number_sample.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kFilling = "filling";

// The mean of the numbers given, updated number by number.
class RunningMean {
 public:
  explicit RunningMean(int64_t /*width*/) {}

  void Add(double value) { mean_ += (value - mean_) / static_cast<double>(++count_); }
  int64_t count() const { return count_; }
  double Value() const { return mean_; }

 private:
  int64_t count_ = 0;
  double mean_ = 0;
};

class Median {
 public:
  explicit Median(int64_t width) : numbers_(width) {}

  void Add(double value) { numbers_.Add(value); }
  int64_t count() const { return numbers_.count(); }
  // Of an even number of numbers, the middle between the two in the middle.
  double Value() const {
    const std::vector<double> sorted = numbers_.Sorted();
    if (sorted.empty()) return 0;
    const size_t middle = sorted.size() / 2;
    if (sorted.size() % 2 == 1) return sorted[middle];
    return sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
  }

 private:
  NumberSample numbers_;
};

// Learns one number for each place in the rows of the columns.
template <typename Statistic>
class FillingFitter final : public OpFitter {
 public:
  explicit FillingFitter(std::vector<BoundColumn> columns) : columns_(std::move(columns)) {
    for (const BoundColumn& column : columns_) {
      const int64_t width = column.schema.Width();
      statistics_.emplace_back(width, Statistic(width));
    }
  }

  absl::Status Add(const Frame& frame) override {
    for (int64_t row = 0; row < frame.num_rows(); ++row) num_rows_ += frame.IsBad(row) ? 0 : 1;
    for (size_t i = 0; i < columns_.size(); ++i) {
      VisitNumbers(frame.Get(columns_[i].slot),
                   [&](auto values) { AddGood(values, frame, statistics_[i]); });
    }
    return absl::OkStatus();
  }

  absl::StatusOr<FitResult> Finish() override {
    if (num_rows_ == 0) return FailedPrecondition("there is no good sample to learn from");
    FitResult result;
    for (size_t i = 0; i < columns_.size(); ++i) {
      Learned& learned = result.learned.emplace_back();
      learned.column = columns_[i].schema.name;
      learned.statistic = kFilling;
      int64_t num_unknown = 0;
      for (const Statistic& statistic : statistics_[i]) {
        num_unknown += statistic.count() == 0 ? 1 : 0;
        learned.numbers.push_back(statistic.Value());
      }
      if (num_unknown == 0) continue;
      result.warnings.push_back(
          fmt::format("{} of {} numbers of column {} are missing in every sample; they become 0",
                      num_unknown, learned.numbers.size(), learned.column));
    }
    return result;
  }

 private:
  template <typename T>
  static void AddGood(std::span<const T> values, const Frame& frame,
                      std::vector<Statistic>& statistics) {
    const size_t width = statistics.size();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      for (size_t i = 0; i < width; ++i) {
        const auto value = static_cast<double>(values[row * width + i]);
        if (std::isfinite(value)) statistics[i].Add(value);
      }
    }
  }

  const std::vector<BoundColumn> columns_;
  std::vector<std::vector<Statistic>> statistics_;
  int64_t num_rows_ = 0;
};

class FillMissingOp final : public Op {
 public:
  // `indicators`: none, or one for each input.
  FillMissingOp(FillMissingSpec spec, std::vector<BoundColumn> inputs,
                std::vector<BoundColumn> outputs, std::vector<BoundColumn> indicators)
      : spec_(std::move(spec)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        indicators_(std::move(indicators)) {}

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const ColumnSchema& schema = outputs_[i].schema;
      std::vector<double> numbers(schema.Width(), spec_.number);
      if (spec_.with != Filling::kNumber) {
        ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, schema.name, kFilling));
        if (std::ssize(entry->numbers) != schema.Width()) {
          return InvalidArgument("the fitted state has {} numbers for column {}, which has {}",
                                 entry->numbers.size(), schema.name, schema.Width());
        }
        numbers = entry->numbers;
      }
      // Before the column is replaced, which may be in the same slot.
      if (!indicators_.empty()) Indicate(inputs_[i], indicators_[i], frame);
      RunFloats(inputs_[i], outputs_[i], frame,
                [&](auto in, auto out) { Fill(in, numbers, out.data()); });
    }
    return absl::OkStatus();
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    switch (spec_.with) {
      case Filling::kNumber:
        return nullptr;
      case Filling::kMean:
        return std::make_unique<FillingFitter<RunningMean>>(inputs_);
      case Filling::kMedian:
        return std::make_unique<FillingFitter<Median>>(inputs_);
    }
    return nullptr;
  }

 private:
  static bool IsMissing(auto value) { return std::isnan(static_cast<double>(value)); }

  template <typename From, typename To>
  static void Fill(std::span<const From> in, std::span<const double> numbers, To* out) {
    const size_t width = numbers.size();
    for (size_t begin = 0; begin < in.size(); begin += width) {
      for (size_t i = 0; i < width; ++i) {
        const From value = in[begin + i];
        out[begin + i] = IsMissing(value) ? static_cast<To>(numbers[i]) : static_cast<To>(value);
      }
    }
  }

  static void Indicate(const BoundColumn& input, const BoundColumn& indicator, Frame& frame) {
    const ColumnSchema& schema = indicator.schema;
    batch::Column column = NewColumn<float>(schema.name, frame.num_rows(), schema.shape);
    float* out = column.data.MutableAs<float>().data();
    VisitNumbers(frame.Get(input.slot), [&](auto in) {
      for (const auto value : in) *out++ = IsMissing(value) ? 1.0F : 0.0F;
    });
    frame.Set(indicator.slot, std::move(column));
  }

  const FillMissingSpec spec_;
  const std::vector<BoundColumn> inputs_;
  const std::vector<BoundColumn> outputs_;
  const std::vector<BoundColumn> indicators_;
};

}  // namespace

void FillMissingSpec::Check(config::Problems& problems) const {
  if (!std::isfinite(number)) problems.Add("number", "is not finite", "");
  if (with != Filling::kNumber && number != 0) {
    problems.Add("number", "has no effect", "leave it out, or write with: number");
  }
}

std::unique_ptr<Op> FillMissingSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kFloats);
  if (with != Filling::kNumber) builder.MarkFitted();
  std::vector<BoundColumn> outputs = ReplaceByFloats(builder, "columns", inputs);
  std::vector<BoundColumn> indicators;
  for (size_t i = 0; indicator && i < inputs.size(); ++i) {
    indicators.push_back(builder.Output("indicator", {.name = inputs[i].schema.name + "_missing",
                                                      .type = batch::DataType::kFloat32,
                                                      .shape = inputs[i].schema.shape}));
  }
  return std::make_unique<FillMissingOp>(*this, std::move(inputs), std::move(outputs),
                                         std::move(indicators));
}

}  // namespace tidemill::transform
