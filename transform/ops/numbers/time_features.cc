#include "transform/ops/numbers/time_features.h"

#include <cmath>
#include <numbers>
#include <set>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

#include "base/times/zone_database.h"
#include "config/documents/problems.h"
#include "transform/engine/numbers.h"
#include "transform/ops/numbers/calendar_steps.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kEventTime = "event_time";
// The period of a part that does not return.
constexpr double kNoPeriod = 0;

double PeriodOf(TimePart part) {
  switch (part) {
    case TimePart::kMinute:
      return 60;
    case TimePart::kHour:
      return 24;
    case TimePart::kWeekday:
      return 7;
    case TimePart::kDay:
      return 31;
    case TimePart::kMonth:
      return 12;
    case TimePart::kYearFraction:
      return 1;
    case TimePart::kYear:
      return kNoPeriod;
  }
  return kNoPeriod;
}

double YearFraction(absl::Time time, const absl::TimeZone& zone, int64_t year) {
  const absl::Time begin = absl::FromCivil(absl::CivilYear(year), zone);
  const absl::Time end = absl::FromCivil(absl::CivilYear(year + 1), zone);
  return absl::FDivDuration(time - begin, end - begin);
}

double ValueOf(TimePart part, absl::Time time, const absl::TimeZone& zone,
               const absl::CivilSecond& civil) {
  switch (part) {
    case TimePart::kMinute:
      return civil.minute();
    case TimePart::kHour:
      return civil.hour();
    case TimePart::kWeekday:
      return static_cast<double>(absl::GetWeekday(civil));
    case TimePart::kDay:
      return civil.day();
    case TimePart::kMonth:
      return civil.month();
    case TimePart::kYearFraction:
      return YearFraction(time, zone, civil.year());
    case TimePart::kYear:
      return static_cast<double>(civil.year());
  }
  return 0;
}

class TimeFeaturesOp final : public Op {
 public:
  // `input`: absent for the samples' event time.
  TimeFeaturesOp(TimeFeaturesSpec spec, absl::TimeZone zone, std::optional<BoundColumn> input,
                 BoundColumn output)
      : spec_(std::move(spec)), zone_(zone), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const batch::Column* times = nullptr;
    if (input_.has_value()) {
      times = &frame.Get(input_->slot);
    } else {
      ASSIGN_OR_RETURN(times,
                       frame.samples().Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    }
    batch::Column column =
        NewColumn<float>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    float* out = column.data.MutableAs<float>().data();
    const int64_t width = output_.schema.Width();
    VisitNumbers(*times, [&](auto values) {
      for (int64_t row = 0; row < frame.num_rows(); ++row) {
        if (!frame.IsBad(row)) RunRow(static_cast<int64_t>(values[row]), out + row * width);
      }
    });
    frame.Set(output_.slot, std::move(column));
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const StepId micros = input_.has_value()
                              ? graph.Cast(graph.Get(*input_), batch::DataType::kInt64)
                              : graph.EventTime();
    const auto ahead = [this](int64_t at) {
      return int64_t{1'000'000} * zone_.At(absl::FromUnixMicros(at)).offset;
    };
    CalendarSteps calendar(graph, micros, ahead);
    std::vector<StepId> numbers;
    for (const TimePart part : spec_.parts) WritePart(part, calendar, graph, numbers);
    graph.Set(output_, graph.Concatenate(std::move(numbers), /*dimension=*/0));
    return absl::OkStatus();
  }

 private:
  static StepId StepOf(TimePart part, CalendarSteps& calendar) {
    switch (part) {
      case TimePart::kMinute:
        return calendar.Minute();
      case TimePart::kHour:
        return calendar.Hour();
      case TimePart::kWeekday:
        return calendar.Weekday();
      case TimePart::kDay:
        return calendar.Day();
      case TimePart::kMonth:
        return calendar.Month();
      case TimePart::kYearFraction:
        return calendar.YearFraction();
      case TimePart::kYear:
        break;
    }
    return calendar.Year();
  }

  void WritePart(TimePart part, CalendarSteps& calendar, PortableGraph& graph,
                 std::vector<StepId>& numbers) const {
    using batch::DataType;
    const StepId value = StepOf(part, calendar);
    const auto add = [&](StepId step) {
      numbers.push_back(graph.Reshape(graph.Cast(step, DataType::kFloat32), {1}));
    };
    const double period = PeriodOf(part);
    if (!spec_.cyclic || period == kNoPeriod) return add(value);
    const StepId angle = graph.WithNumber(
        StepKind::kMultiply, graph.Cast(value, DataType::kFloat64), 2 * std::numbers::pi / period);
    add(graph.Apply(StepKind::kSine, angle));
    // The cosine.
    add(graph.Apply(StepKind::kSine,
                    graph.WithNumber(StepKind::kAdd, angle, std::numbers::pi / 2)));
  }

  void RunRow(int64_t micros, float* out) const {
    const absl::Time time = absl::FromUnixMicros(micros);
    const absl::CivilSecond civil = absl::ToCivilSecond(time, zone_);
    for (const TimePart part : spec_.parts) {
      const double value = ValueOf(part, time, zone_, civil);
      const double period = PeriodOf(part);
      if (!spec_.cyclic || period == kNoPeriod) {
        *out++ = static_cast<float>(value);
        continue;
      }
      const double angle = 2 * std::numbers::pi * value / period;
      *out++ = static_cast<float>(std::sin(angle));
      *out++ = static_cast<float>(std::cos(angle));
    }
  }

  const TimeFeaturesSpec spec_;
  const absl::TimeZone zone_;
  const std::optional<BoundColumn> input_;
  const BoundColumn output_;
};

void CheckTimes(OpBuilder& builder, const ColumnSchema& schema) {
  if (IsInteger(schema.type) && schema.shape.empty()) return;
  builder.Problem(
      "from", fmt::format("column {} does not hold times", schema.name),
      "give event_time, or a column with one whole number in each row, in microseconds");
}

}  // namespace

void TimeFeaturesSpec::Check(config::Problems& problems) const {
  if (std::set<TimePart>(parts.begin(), parts.end()).size() != parts.size()) {
    problems.Add("parts", "names a part twice", "");
  }
}

std::unique_ptr<Op> TimeFeaturesSpec::Build(OpBuilder& builder) const {
  std::optional<BoundColumn> input;
  if (from != kEventTime) {
    input = builder.Input("from", from);
    if (input.has_value()) CheckTimes(builder, input->schema);
  }
  const absl::StatusOr<absl::TimeZone> zone = LoadZone(time_zone.empty() ? "UTC" : time_zone);
  if (!zone.ok()) {
    builder.Problem("time_zone", std::string(zone.status().message()),
                    "write a name such as Europe/Zurich, or an offset such as +08:00");
  }
  int64_t width = 0;
  for (const TimePart part : parts) width += cyclic && PeriodOf(part) != kNoPeriod ? 2 : 1;
  BoundColumn output =
      builder.Output("into", {.name = into, .type = batch::DataType::kFloat32, .shape = {width}});
  return std::make_unique<TimeFeaturesOp>(*this, zone.value_or(absl::UTCTimeZone()),
                                          std::move(input), std::move(output));
}

}  // namespace tidemill::transform
