#include "transform/ops/numbers/fill_missing.h"

#include <cmath>

#include "config/documents/problems.h"
#include "transform/engine/float_columns.h"
#include "transform/engine/number_sample.h"
#include "transform/engine/portable_graph.h"

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
  // For an even number of values, the mean of the two in the middle.
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

class FillMissingOp final : public BlockOp {
 public:
  // `outputs`: one for each input, then, where `spec` asks for it, the indicator of each.
  FillMissingOp(FillMissingSpec spec, std::vector<BoundColumn> inputs,
                std::vector<BoundColumn> outputs)
      : BlockOp(std::move(inputs), std::move(outputs)), spec_(std::move(spec)) {}

  bool InPlace() const override { return true; }

  // For each column, what to fill its places with.
  absl::StatusOr<LearnedNumbers> Prepare(std::span<const Learned> learned) const override {
    LearnedNumbers numbers;
    if (spec_.with == Filling::kNumber) return numbers;
    for (size_t i = 0; i < inputs().size(); ++i) {
      const ColumnSchema& schema = outputs()[i].schema;
      ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, schema.name, kFilling));
      if (std::ssize(entry->numbers) != OutputWidth(i)) {
        return InvalidArgument("the fitted state has {} numbers for column {}, which has {}",
                               entry->numbers.size(), schema.name, OutputWidth(i));
      }
      numbers.push_back(entry->numbers);
    }
    return numbers;
  }

  absl::Status RunBlock(const Block& block) const override {
    for (size_t i = 0; i < inputs().size(); ++i) {
      // Before the column is replaced, which may happen in its own memory.
      if (spec_.indicator) Indicate(block, i);
      VisitFloats(block, i, [&](auto in, auto out) {
        if (spec_.with == Filling::kNumber) {
          Fill(in, &spec_.number, 1, out);
        } else {
          Fill(in, block.learned[i].data(), block.learned[i].size(), out);
        }
      });
    }
    return absl::OkStatus();
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    switch (spec_.with) {
      case Filling::kNumber:
        return nullptr;
      case Filling::kMean:
        return std::make_unique<FillingFitter<RunningMean>>(inputs());
      case Filling::kMedian:
        return std::make_unique<FillingFitter<Median>>(inputs());
    }
    return nullptr;
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    if (spec_.with != Filling::kNumber) return {.obstacle = {}};
    OpEffect effect{.obstacle = {}, .keeps_zero = true};
    if (!spec_.indicator) effect.kind = OpKind::kEachNumber;
    bool is_idle = !spec_.indicator;
    for (size_t i = 0; i < inputs().size(); ++i) {
      const NumberRange range = numbers.Of(inputs()[i]);
      is_idle &= range.is_finite && inputs()[i].schema == outputs()[i].schema;
      NumberRange made = RangeOfType(outputs()[i].schema.type);
      if (range.is_finite && IsFloat(inputs()[i].schema.type)) made = range;
      effect.made.push_back(made);
    }
    effect.made.resize(outputs().size(), {0, 1, true});
    if (is_idle) effect.idle = "no number is missing in a sample that is good here";
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned> learned, PortableGraph& graph) const override {
    ASSIGN_OR_RETURN(const LearnedNumbers numbers, Prepare(learned));
    for (size_t i = 0; i < inputs().size(); ++i) {
      if (!graph.Has(inputs()[i])) continue;
      const ColumnSchema& schema = outputs()[i].schema;
      const StepId from = graph.Get(inputs()[i]);
      const StepId given = graph.Cast(from, schema.type);
      const StepId missing = graph.Apply(StepKind::kIsMissing, given);
      const StepId filling =
          numbers.empty() ? graph.Number(schema.type, spec_.number)
                          : graph.Constant(schema.name + "_filling", schema.type, schema.shape,
                                           {numbers[i].begin(), numbers[i].end()});
      graph.Set(outputs()[i], graph.Where(missing, filling, given));
      if (!spec_.indicator) continue;
      graph.Set(outputs()[inputs().size() + i], graph.Cast(missing, batch::DataType::kFloat32));
    }
    return absl::OkStatus();
  }

 private:
  template <typename T>
  static bool IsMissing(T value) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
    return false;
  }

  // Row after row, or number after number, is filled with `numbers`.
  template <typename From, typename To>
  static void Fill(std::span<const From> in, const double* numbers, size_t width,
                   std::span<To> out) {
    const auto fill = [](From value, To filling) {
      return IsMissing(value) ? filling : static_cast<To>(value);
    };
    if (width == 1) {
      const auto filling = static_cast<To>(*numbers);
      MapNumbers(in, out, [&](From value, size_t) { return fill(value, filling); });
    } else {
      MapRows(in, out, width,
              [&](From value, size_t i) { return fill(value, static_cast<To>(numbers[i])); });
    }
  }

  void Indicate(const Block& block, size_t index) const {
    const std::span<float> out = OutputOf<float>(block, inputs().size() + index);
    VisitInput(block, index, [&]<typename T>(std::span<const T> in) {
      MapNumbers(in, out, [](T value, size_t) { return IsMissing(value) ? 1.0F : 0.0F; });
    });
  }

  const FillMissingSpec spec_;
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
  for (size_t i = 0; indicator && i < inputs.size(); ++i) {
    outputs.push_back(builder.Output("indicator", {.name = inputs[i].schema.name + "_missing",
                                                   .type = batch::DataType::kFloat32,
                                                   .shape = inputs[i].schema.shape}));
  }
  return std::make_unique<FillMissingOp>(*this, std::move(inputs), std::move(outputs));
}

}  // namespace tidemill::transform
