#include "transform/ops/numbers/expression_steps.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "expressions/kernels.h"
#include "transform/ops/numbers/calendar_steps.h"
#include "transform/ops/numbers/step_values.h"

// How a value of each type is kept in steps. `null` is another step: a truth, absent when the
// value is never null.
//
//   type      step             null
//   number    float64          in the same step, as NaN
//   whole     int64            a truth
//   time      int64, micros    a truth
//   truth     a truth          a truth
//   text      a column's step; a literal has none

namespace tidemill::transform {
namespace {

using batch::DataType;
using expressions::Arithmetic;
using expressions::Comparison;
using expressions::Type;
using Kernel = expressions::Step::Kernel;
using Value = StepValue;

class Writer : private StepValues {
 public:
  Writer(const expressions::Program& program, PortableGraph& graph)
      : StepValues(graph), program_(program), graph_(graph) {
    AddArithmetic();
    AddFunctions();
    AddComparisons();
    AddTruths();
    AddChoices();
    AddConversions();
    AddTimes();
  }

  absl::StatusOr<ExpressionSteps> Write(const std::vector<StepId>& inputs) {
    if (inputs.empty()) return FailedPrecondition("reads no column");
    for (size_t i = 0; i < inputs.size(); ++i) SetInput(i, inputs[i]);
    for (const expressions::Constant& constant : program_.constants) {
      RETURN_IF_ERROR(SetConstant(constant));
    }
    for (const auto* steps : {&program_.constant_steps, &program_.steps}) {
      for (const expressions::Step& step : *steps) RETURN_IF_ERROR(Take(step));
    }
    const Value& result = registers_[program_.result];
    if (result.type == Type::kText) return FailedPrecondition("makes a text");
    if (!HasRows(result.step)) return FailedPrecondition("has the same value for each row");
    return ExpressionSteps{.value = result.step, .is_null = result.null};
  }

 private:
  using Values = std::vector<Value>;
  using Make = std::function<Value(const Values& from, const expressions::Setting* setting)>;

  void SetInput(size_t input, StepId step) {
    const Type type = program_.inputs[input].type;
    Value value{.type = type, .step = step};
    if (type == Type::kNumber) value.step = graph_.Cast(step, DataType::kFloat64);
    if (type == Type::kWhole || type == Type::kTime) {
      value.step = graph_.Cast(step, DataType::kInt64);
    }
    registers_[static_cast<int>(input)] = std::move(value);
  }

  // Whether it depends on a column. Inputs of a step come before it.
  bool HasRows(StepId result) const {
    std::vector<bool> is_needed(static_cast<size_t>(result) + 1);
    is_needed.back() = true;
    for (StepId id = result; id >= 0; --id) {
      if (!is_needed[static_cast<size_t>(id)]) continue;
      const Step& step = graph_.step(id);
      if (step.kind == StepKind::kRead) return true;
      for (const StepId input : step.inputs) is_needed[static_cast<size_t>(input)] = true;
    }
    return false;
  }

  // Constants of a graph are kept as float64.
  static absl::Status CheckExact(int64_t whole) {
    if (std::abs(static_cast<double>(whole)) <= 0x1p53) return absl::OkStatus();
    return FailedPrecondition("has a whole number of more than 53 bits");
  }

  absl::Status SetConstant(const expressions::Constant& constant) {
    Value value;
    if (const auto* number = std::get_if<double>(&constant.value)) {
      value.step = graph_.Number(DataType::kFloat64, *number);
    } else if (const auto* whole = std::get_if<int64_t>(&constant.value)) {
      value = {.type = Type::kWhole,
               .step = graph_.Number(DataType::kInt64, static_cast<double>(*whole))};
      if (expressions::IsNull(*whole)) {
        value.null = True();
      } else {
        RETURN_IF_ERROR(CheckExact(*whole));
      }
    } else if (const auto* truth = std::get_if<expressions::Truth>(&constant.value)) {
      value = {.type = Type::kTruth,
               .step = *truth == expressions::Truth::kTrue ? True() : False()};
      if (expressions::IsNull(*truth)) value.null = True();
    } else {
      value = {.type = Type::kText, .text = std::get<std::string>(constant.value)};
    }
    registers_[constant.into] = std::move(value);
    return absl::OkStatus();
  }

  absl::Status Take(const expressions::Step& step) {
    const auto made = made_.find(step.kernel);
    if (made == made_.end()) {
      return FailedPrecondition("calls a function that is not arithmetic");
    }
    Values from;
    for (const int number : step.from) from.push_back(registers_[number]);
    for (const Value& value : from) {
      if (value.type == Type::kText) return TakeOfText(step, from);
    }
    if (step.kernel == expressions::MemberKernel(Type::kWhole)) {
      for (const int64_t whole : expressions::WholesIn(*step.setting).values) {
        RETURN_IF_ERROR(CheckExact(whole));
      }
    }
    registers_[step.into] = made->second(from, step.setting.get());
    return absl::OkStatus();
  }

  // A column of texts beside literals: whether it is one of them. It is never null.
  absl::Status TakeOfText(const expressions::Step& step, const Values& from) {
    std::vector<std::string> words;
    if (step.kernel == expressions::MemberKernel(Type::kText)) {
      const auto members = expressions::TextsIn(*step.setting);
      if (!members.has_null) words = members.values;
    }
    const bool is_equal = IsComparison(step.kernel, Comparison::kEqual);
    const bool is_unequal = IsComparison(step.kernel, Comparison::kUnequal);
    const Value& column = from.front().text ? from.back() : from.front();
    const Value& literal = from.front().text ? from.front() : from.back();
    if ((is_equal || is_unequal) && literal.text) words = {*literal.text};
    if (words.empty() || column.text) {
      return FailedPrecondition("does more with a text than compare it with others");
    }
    const StepId place = graph_.PlaceOfText(column.step, std::move(words));
    const StepId is_one = graph_.WithNumber(StepKind::kGreaterOrEqual, place, 0);
    registers_[step.into] = {.type = Type::kTruth, .step = is_unequal ? Not(is_one) : is_one};
    return absl::OkStatus();
  }

  static bool IsComparison(Kernel kernel, Comparison comparison) {
    return kernel == expressions::CompareKernel(comparison, Type::kText, false) ||
           kernel == expressions::CompareKernel(comparison, Type::kText, true);
  }

  Value Number(StepId step) { return {.type = Type::kNumber, .step = step}; }

  void AddNumbers(Arithmetic operation, const std::function<StepId(StepId, StepId)>& make) {
    for (const bool constant : {false, true}) {
      made_[expressions::NumberArithmetic(operation, constant)] = [=, this](const Values& from,
                                                                            const auto*) {
        return Number(make(from[0].step, from[1].step));
      };
    }
  }
  void AddNumber(const std::string& name, const std::function<StepId(StepId)>& make) {
    made_[expressions::NumberFunction(name)] = [=, this](const Values& from, const auto*) {
      return Number(make(from[0].step));
    };
  }
  void AddWholes(Arithmetic operation, StepKind kind) {
    made_[expressions::WholeArithmetic(operation)] = [=, this](const Values& from, const auto*) {
      return Value{.type = Type::kWhole,
                   .step = graph_.Apply(kind, from[0].step, from[1].step),
                   .null = EitherNull(from[0], from[1])};
    };
  }

  void AddArithmetic() {
    const auto plain = [this](StepKind kind) {
      return [this, kind](StepId a, StepId b) { return graph_.Apply(kind, a, b); };
    };
    AddNumbers(Arithmetic::kAdd, plain(StepKind::kAdd));
    AddNumbers(Arithmetic::kSubtract, plain(StepKind::kSubtract));
    AddNumbers(Arithmetic::kMultiply, plain(StepKind::kMultiply));
    AddNumbers(Arithmetic::kDivide, [this](StepId a, StepId b) {
      const StepId is_zero = graph_.WithNumber(StepKind::kEqual, b, 0);
      return graph_.Apply(StepKind::kDivide, a, graph_.Where(is_zero, Nan(), b));
    });
    AddNumbers(Arithmetic::kModulo, plain(StepKind::kFloatRemainder));
    AddNumbers(Arithmetic::kPower, [this](StepId a, StepId b) {
      const StepId is_null =
          Or(graph_.Apply(StepKind::kIsMissing, a), graph_.Apply(StepKind::kIsMissing, b));
      return graph_.Where(is_null, Nan(), graph_.Apply(StepKind::kPower, a, b));
    });
    made_[expressions::WholeArithmetic(Arithmetic::kModulo)] =
        [this](const Values& from, const auto*) { return WholeRemainder(from[0], from[1]); };
    made_[expressions::RoundToDigits()] = [this](const Values& from,
                                                 const expressions::Setting* setting) {
      const auto digits = static_cast<const expressions::WholeSetting&>(*setting).value;
      const double scale = std::pow(10.0, static_cast<double>(digits));
      const StepId x = from[0].step;
      const StepId rounded = graph_.WithNumber(
          StepKind::kDivide, Rounded(graph_.WithNumber(StepKind::kMultiply, x, scale)), scale);
      return Number(graph_.Where(graph_.Apply(StepKind::kIsFinite, rounded), rounded, x));
    };
    AddWholes(Arithmetic::kAdd, StepKind::kAdd);
    AddWholes(Arithmetic::kSubtract, StepKind::kSubtract);
    AddWholes(Arithmetic::kMultiply, StepKind::kMultiply);
  }

  void AddFunctions() {
    const auto unary = [this](StepKind kind) {
      return [this, kind](StepId x) { return graph_.Apply(kind, x); };
    };
    AddNumber("abs", unary(StepKind::kAbsolute));
    AddNumber("exp", unary(StepKind::kExponential));
    AddNumber("floor", unary(StepKind::kFloor));
    AddNumber("sqrt", unary(StepKind::kSquareRoot));
    AddNumber("round", [this](StepId x) { return Rounded(x); });
    AddNumber("negate", [this](StepId x) { return graph_.WithNumber(StepKind::kMultiply, x, -1); });
    // Numbers without a logarithm are not passed to the function.
    AddNumber("log", [this](StepId x) {
      const StepId fits = graph_.Apply(StepKind::kLess, graph_.Number(DataType::kFloat64, 0), x);
      return graph_.Apply(StepKind::kLogarithm, WhereElseNan(fits, x));
    });
    AddNumber("log1p", [this](StepId x) {
      const StepId fits = graph_.Apply(StepKind::kLess, graph_.Number(DataType::kFloat64, -1), x);
      return graph_.Apply(StepKind::kLog1p, WhereElseNan(fits, x));
    });
    made_[expressions::NumberClip()] = [this](const Values& from, const auto*) {
      const StepId raised = graph_.Where(graph_.Apply(StepKind::kLess, from[0].step, from[1].step),
                                         from[1].step, from[0].step);
      const StepId clipped =
          graph_.Where(graph_.Apply(StepKind::kLess, from[2].step, raised), from[2].step, raised);
      return Number(graph_.Where(*EitherNull(from[1], from[2]), Nan(), clipped));
    };
    made_[expressions::FloatToNumber()] = [](const Values& from, const auto*) { return from[0]; };
    made_[expressions::FiniteNumber()] = [this](const Values& from, const auto*) {
      return Number(WhereElseNan(graph_.Apply(StepKind::kIsFinite, from[0].step), from[0].step));
    };
    made_[expressions::WholeFunction("abs")] = [this](const Values& from, const auto*) {
      return Value{.type = Type::kWhole, .step = SizeOfWhole(from[0].step), .null = from[0].null};
    };
    made_[expressions::WholeFunction("negate")] = [this](const Values& from, const auto*) {
      return Value{.type = Type::kWhole,
                   .step = graph_.WithNumber(StepKind::kMultiply, from[0].step, -1),
                   .null = from[0].null};
    };
  }

  void AddComparisons() {
    for (const Comparison comparison :
         {Comparison::kEqual, Comparison::kUnequal, Comparison::kLess, Comparison::kLessEqual,
          Comparison::kGreater, Comparison::kGreaterEqual}) {
      // TakeOfText() makes the comparisons of texts.
      for (const Type type : {Type::kNumber, Type::kWhole, Type::kText}) {
        for (const bool constant : {false, true}) {
          made_[expressions::CompareKernel(comparison, type, constant)] =
              [=, this](const Values& from, const auto*) {
                return Value{.type = Type::kTruth,
                             .step = Compare(comparison, from[0].step, from[1].step),
                             .null = EitherNull(from[0], from[1])};
              };
        }
      }
    }
    AddMembers<double>(Type::kNumber, DataType::kFloat64, &expressions::NumbersIn);
    AddMembers<int64_t>(Type::kWhole, DataType::kInt64, &expressions::WholesIn);
    made_[expressions::MemberKernel(Type::kText)] = nullptr;
  }

  template <typename T>
  void AddMembers(Type type, DataType made,
                  expressions::Members<T> (*members_in)(const expressions::Setting&)) {
    made_[expressions::MemberKernel(type)] = [=, this](const Values& from,
                                                       const expressions::Setting* setting) {
      const expressions::Members<T> members = members_in(*setting);
      StepId found = False();
      for (const T member : members.values) {
        const StepId number = graph_.Number(made, static_cast<double>(member));
        found = Or(found, graph_.Apply(StepKind::kEqual, from[0].step, number));
      }
      Value value{.type = Type::kTruth, .step = found, .null = NullOf(from[0])};
      // One that is not found may be the null.
      if (members.has_null) value.null = Not(found);
      return value;
    };
  }

  // Where a null is neither: the value is known when one of them decides.
  Value Join(const Value& a, const Value& b, bool decides) {
    const auto decided = [&](const Value& value) {
      const StepId known = value.null ? Not(*value.null) : True();
      return And(known, decides ? value.step : Not(value.step));
    };
    const StepId any = Or(decided(a), decided(b));
    Value made{.type = Type::kTruth, .step = decides ? any : Not(any)};
    if (const auto null = EitherNull(a, b)) made.null = And(*null, Not(any));
    return made;
  }

  void AddTruths() {
    made_[expressions::AndKernel()] = [this](const Values& from, const auto*) {
      return Join(from[0], from[1], /*decides=*/false);
    };
    made_[expressions::OrKernel()] = [this](const Values& from, const auto*) {
      return Join(from[0], from[1], /*decides=*/true);
    };
    made_[expressions::NotKernel()] = [this](const Values& from, const auto*) {
      return Value{.type = Type::kTruth, .step = Not(from[0].step), .null = from[0].null};
    };
    for (const Type type : {Type::kNumber, Type::kWhole, Type::kTruth}) {
      made_[expressions::IsNullKernel(type)] = [this](const Values& from, const auto*) {
        const auto null = NullOf(from[0]);
        return Value{.type = Type::kTruth, .step = null ? *null : False()};
      };
    }
  }

  void AddChoices() {
    for (const Type type : {Type::kNumber, Type::kWhole, Type::kTruth}) {
      made_[expressions::IfKernel(type)] = [this](const Values& from, const auto*) {
        const Value& condition = from[0];
        const StepId holds =
            condition.null ? And(condition.step, Not(*condition.null)) : condition.step;
        return Choose(holds, from[1], from[2]);
      };
      made_[expressions::CoalesceKernel(type)] = [this](const Values& from, const auto*) {
        const auto null = NullOf(from[0]);
        return null ? Choose(*null, from[1], from[0]) : from[0];
      };
    }
    for (const Type type : {Type::kNumber, Type::kWhole}) {
      made_[expressions::LeastKernel(type)] = [this](const Values& from, const auto*) {
        return ChooseBy(from, graph_.Apply(StepKind::kLess, from[1].step, from[0].step));
      };
      made_[expressions::GreatestKernel(type)] = [this](const Values& from, const auto*) {
        return ChooseBy(from, graph_.Apply(StepKind::kLess, from[0].step, from[1].step));
      };
      made_[expressions::NullIfKernel(type)] = [this](const Values& from, const auto*) {
        StepId equal = graph_.Apply(StepKind::kEqual, from[0].step, from[1].step);
        if (const auto null = EitherNull(from[0], from[1])) equal = And(equal, Not(*null));
        if (from[0].type == Type::kNumber) {
          return Number(graph_.Where(equal, Nan(), from[0].step));
        }
        return Value{.type = from[0].type,
                     .step = from[0].step,
                     .null = from[0].null ? Or(*from[0].null, equal) : equal};
      };
    }
  }

  // The second one where the first one is null, or where `wins` holds and the second one is not.
  Value ChooseBy(const Values& from, StepId wins) {
    StepId second = wins;
    if (const auto null = NullOf(from[1])) second = And(second, Not(*null));
    if (const auto null = NullOf(from[0])) second = Or(second, *null);
    return Choose(second, from[1], from[0]);
  }

  void AddConversions() {
    made_[expressions::WholeToNumber()] = [this](const Values& from, const auto*) {
      return Number(NumberOrNan(graph_.Cast(from[0].step, DataType::kFloat64), from[0].null));
    };
    made_[expressions::TruthToNumber()] = made_[expressions::WholeToNumber()];
    made_[expressions::TruthToWhole()] = [this](const Values& from, const auto*) {
      return Value{.type = Type::kWhole,
                   .step = graph_.Cast(from[0].step, DataType::kInt64),
                   .null = from[0].null};
    };
    made_[expressions::NumberToWhole()] = [this](const Values& from, const auto*) {
      return WholeOf(Rounded(from[0].step), Type::kWhole);
    };
  }

  void AddTimes() {
    using Part = StepId (CalendarSteps::*)();
    const std::pair<std::string_view, Part> parts[] = {{"year", &CalendarSteps::Year},
                                                       {"month", &CalendarSteps::Month},
                                                       {"day", &CalendarSteps::Day},
                                                       {"weekday", &CalendarSteps::WeekdayFrom1},
                                                       {"hour", &CalendarSteps::Hour},
                                                       {"minute", &CalendarSteps::Minute},
                                                       {"day_of_year", &CalendarSteps::DayOfYear}};
    for (const auto& [name, part] : parts) {
      made_[expressions::TimePart(name)] =
          [this, part = part](const Values& from, const expressions::Setting* setting) {
            const TimeZone zone = expressions::ZoneIn(setting);
            const auto ahead = [&zone](int64_t micros) { return zone.ToLocal({micros}) - micros; };
            CalendarSteps calendar(graph_, from[0].step, ahead);
            return Value{.type = Type::kWhole, .step = (calendar.*part)(), .null = from[0].null};
          };
    }
    made_[expressions::TimeToEpoch()] = [this](const Values& from, const auto*) {
      const StepId micros = graph_.Cast(from[0].step, DataType::kFloat64);
      return Number(NumberOrNan(graph_.WithNumber(StepKind::kDivide, micros, 1e6), from[0].null));
    };
    made_[expressions::EpochToTime()] = [this](const Values& from, const auto*) {
      return Micros(from[0].step);
    };
    made_[expressions::TimeMinusTime()] = [this](const Values& from, const auto*) {
      const StepId apart =
          graph_.Apply(StepKind::kSubtract, graph_.Cast(from[0].step, DataType::kFloat64),
                       graph_.Cast(from[1].step, DataType::kFloat64));
      return Number(NumberOrNan(graph_.WithNumber(StepKind::kDivide, apart, 1e6),
                                EitherNull(from[0], from[1])));
    };
    for (const bool adds : {true, false}) {
      const Kernel kernel = adds ? expressions::TimePlusSeconds() : expressions::TimeMinusSeconds();
      made_[kernel] = [=, this](const Values& from, const auto*) {
        const Value by = Micros(from[1].step);
        return Value{.type = Type::kTime,
                     .step = graph_.Apply(adds ? StepKind::kAdd : StepKind::kSubtract, from[0].step,
                                          by.step),
                     .null = EitherNull(from[0], by)};
      };
    }
  }

  Value Micros(StepId seconds) {
    return WholeOf(Rounded(graph_.WithNumber(StepKind::kMultiply, seconds, 1e6)), Type::kTime);
  }

  const expressions::Program& program_;
  PortableGraph& graph_;
  std::map<int, Value> registers_;
  // The steps of a program's loops, by the loops' addresses. Null for loops that only texts have.
  std::map<Kernel, Make> made_;
};

}  // namespace

absl::StatusOr<ExpressionSteps> WriteExpression(const expressions::Program& program,
                                                const std::vector<StepId>& inputs,
                                                PortableGraph& graph) {
  return Writer(program, graph).Write(inputs);
}

}  // namespace tidemill::transform
