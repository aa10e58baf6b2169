#include "expressions/functions.h"

#include <algorithm>

#include "expressions/kernels.h"

namespace tidemill::expressions {

namespace {

using BadLiteral = Overload::BadLiteral;
using SettingPtr = std::shared_ptr<const Setting>;
using enum Type;

constexpr std::string_view kNumbers = "Numbers";
constexpr std::string_view kTexts = "Texts";
constexpr std::string_view kTimes = "Times";
constexpr std::string_view kChoices = "Nulls and choices";
constexpr std::string_view kConversions = "Conversions";

SettingPtr TakeDigits(std::span<const Literal> literals, BadLiteral& bad) {
  constexpr int64_t kMax = 15;
  const auto* const digits = std::get_if<int64_t>(&literals[0]);
  if (digits != nullptr && *digits >= -kMax && *digits <= kMax) {
    return std::make_shared<WholeSetting>(*digits);
  }
  bad = {0, "the digits are a whole number from -15 to 15"};
  return nullptr;
}

SettingPtr TakeBuckets(std::span<const Literal> literals, BadLiteral& bad) {
  const auto* const buckets = std::get_if<int64_t>(&literals[0]);
  if (buckets != nullptr && *buckets > 0) return std::make_shared<WholeSetting>(*buckets);
  bad = {0, "the number of buckets is a whole number from 1 on"};
  return nullptr;
}

SettingPtr TakePattern(std::span<const Literal> literals, BadLiteral& bad) {
  const auto* const pattern = std::get_if<std::string>(&literals[0]);
  if (pattern == nullptr) {
    bad = {0, "the pattern is a text in quotes"};
    return nullptr;
  }
  auto setting = MakeRegexSetting(*pattern);
  if (setting.ok()) return *std::move(setting);
  bad = {0, fmt::format("the pattern is not a regular expression: {}",
                        std::string(setting.status().message()))};
  return nullptr;
}

SettingPtr TakeSplit(std::span<const Literal> literals, BadLiteral& bad) {
  constexpr int64_t kMax = 1'000'000;
  const auto* const separator = std::get_if<std::string>(&literals[0]);
  const auto* const index = std::get_if<int64_t>(&literals[1]);
  if (separator == nullptr || separator->empty()) {
    bad = {0, "what separates the parts is a text in quotes, and not empty"};
    return nullptr;
  }
  if (index == nullptr || *index > kMax || *index < -kMax) {
    bad = {1, "the number of a part is a whole number: 0 is the first, -1 the last"};
    return nullptr;
  }
  return std::make_shared<SplitSetting>(*separator, *index);
}

SettingPtr TakeZone(std::span<const Literal> literals, BadLiteral& bad) {
  const auto* const zone = std::get_if<std::string>(&literals[0]);
  if (zone == nullptr) {
    bad = {0, "the zone is a text in quotes, such as 'Europe/Zurich'"};
    return nullptr;
  }
  auto setting = MakeZoneSetting(*zone);
  if (setting.ok()) return *std::move(setting);
  bad = {0, std::string(setting.status().message())};
  return nullptr;
}

SettingPtr TakeTimeFormat(std::span<const Literal> literals, BadLiteral& bad) {
  std::string texts[2] = {"", "UTC"};
  for (size_t i = 0; i < literals.size(); ++i) {
    const auto* const text = std::get_if<std::string>(&literals[i]);
    if (text == nullptr) {
      bad = {i, i == 0 ? "the format is a text in quotes, such as '%d.%m.%Y'"
                       : "the zone is a text in quotes, such as 'Europe/Zurich'"};
      return nullptr;
    }
    texts[i] = *text;
  }
  auto setting = MakeTimeSetting(texts[0], texts[1]);
  if (setting.ok()) return *std::move(setting);
  bad = {texts[1] == "UTC" ? 0U : 1U, std::string(setting.status().message())};
  return nullptr;
}

Overload Plain(std::vector<Type> parameters, Type result, Step::Kernel kernel) {
  return {.parameters = std::move(parameters), .result = result, .kernel = kernel};
}

Overload With(Overload::Prepare prepare, size_t num_literals, Overload overload) {
  overload.num_literals = num_literals;
  overload.prepare = prepare;
  return overload;
}

Function OperatorOf(std::string_view name, Arithmetic operation) {
  Function function{.name = name, .is_operator = true};
  if (const Step::Kernel kernel = WholeArithmetic(operation)) {
    function.overloads.push_back(Plain({kWhole, kWhole}, kWhole, kernel));
  }
  function.overloads.push_back({.parameters = {kNumber, kNumber},
                                .result = kNumber,
                                .kernel = NumberArithmetic(operation, false),
                                .constant_kernel = NumberArithmetic(operation, true)});
  if (operation == Arithmetic::kAdd) {
    function.overloads.push_back(Plain({kTime, kNumber}, kTime, TimePlusSeconds()));
  }
  if (operation == Arithmetic::kSubtract) {
    function.overloads.push_back(Plain({kTime, kNumber}, kTime, TimeMinusSeconds()));
    function.overloads.push_back(Plain({kTime, kTime}, kNumber, TimeMinusTime()));
  }
  return function;
}

Function OfNumber(std::string_view name, std::string_view doc, std::string_view example) {
  return {.name = name,
          .form = {},
          .doc = doc,
          .example = example,
          .group = kNumbers,
          .overloads = {Plain({kNumber}, kNumber, NumberFunction(name))}};
}

Function OfText(std::string_view name, std::string_view doc, std::string_view example) {
  return {.name = name,
          .form = {},
          .doc = doc,
          .example = example,
          .group = kTexts,
          .overloads = {Plain({kText}, kText, TextFunction(name))}};
}

Function OfTexts(std::string_view name, std::string_view form, std::string_view doc,
                 std::string_view example) {
  return {.name = name,
          .form = form,
          .doc = doc,
          .example = example,
          .group = kTexts,
          .overloads = {Plain({kText, kText}, kTruth, TextPredicate(name))}};
}

Function OfTime(std::string_view name, std::string_view form, std::string_view doc,
                std::string_view example) {
  const Overload plain = Plain({kTime}, kWhole, TimePart(name));
  Overload on_clock = plain;
  on_clock.prepare_on_clock = &TakeZone;
  return {.name = name,
          .form = form,
          .doc = doc,
          .example = example,
          .group = kTimes,
          .overloads = {on_clock, With(&TakeZone, 1, plain)}};
}

// For arguments of one type.
Function Choice(std::string_view name, std::string_view form, std::string_view doc,
                std::string_view example, std::string_view group = kChoices) {
  return {.name = name, .form = form, .doc = doc, .example = example, .group = group};
}

void AddOperators(std::vector<Function>& functions) {
  functions.push_back(OperatorOf("+", Arithmetic::kAdd));
  functions.push_back(OperatorOf("-", Arithmetic::kSubtract));
  functions.push_back(OperatorOf("*", Arithmetic::kMultiply));
  functions.push_back(OperatorOf("/", Arithmetic::kDivide));
  functions.push_back(OperatorOf("%", Arithmetic::kModulo));
  functions.push_back(OperatorOf("^", Arithmetic::kPower));
  functions.push_back({.name = "negate",
                       .overloads = {Plain({kWhole}, kWhole, WholeFunction("negate")),
                                     Plain({kNumber}, kNumber, NumberFunction("negate"))},
                       .is_operator = true});
  functions.push_back({.name = "and",
                       .overloads = {Plain({kTruth, kTruth}, kTruth, AndKernel())},
                       .is_operator = true});
  functions.push_back({.name = "or",
                       .overloads = {Plain({kTruth, kTruth}, kTruth, OrKernel())},
                       .is_operator = true});
  functions.push_back(
      {.name = "not", .overloads = {Plain({kTruth}, kTruth, NotKernel())}, .is_operator = true});
  for (const std::string_view name :
       {"=", "!=", "<", "<=", ">", ">=", "in", "between", "is null"}) {
    functions.push_back({.name = name, .is_operator = true});
  }
}

void AddNumbers(std::vector<Function>& functions) {
  functions.push_back({.name = "abs",
                       .doc = "the amount of a number without its sign",
                       .example = "abs(delay) < 5",
                       .group = kNumbers,
                       .overloads = {Plain({kWhole}, kWhole, WholeFunction("abs")),
                                     Plain({kNumber}, kNumber, NumberFunction("abs"))}});
  functions.push_back(OfNumber("sqrt", "the square root; null below 0", "sqrt(area)"));
  functions.push_back(OfNumber("exp", "e to the power of x", "exp(-distance)"));
  functions.push_back(OfNumber("log", "the natural logarithm; null from 0 down", "log(price)"));
  functions.push_back(
      OfNumber("log1p", "log(1 + x), exact near 0; null from -1 down", "log1p(num_clicks)"));
  functions.push_back(OfNumber("floor", "the next whole number below", "floor(age / 10)"));
  functions.push_back(
      {.name = "round",
       .form = "round(x, digits)",
       .doc = "the nearest number with this many digits after the point, by default 0; halves away "
              "from 0",
       .example = "round(price, 2)",
       .group = kNumbers,
       .overloads = {Plain({kNumber}, kNumber, NumberFunction("round")),
                     With(&TakeDigits, 1, Plain({kNumber}, kNumber, RoundToDigits()))}});
  functions.push_back({.name = "clip",
                       .form = "clip(x, low, high)",
                       .doc = "x, but not less than low and not more than high",
                       .example = "clip(age, 0, 100)",
                       .group = kNumbers,
                       .overloads = {Plain({kNumber, kNumber, kNumber}, kNumber, NumberClip())}});
  functions.push_back(Choice("min", "min(a, b, ...)",
                             "the least of its arguments that are not null", "min(bid, 100)",
                             kNumbers));
  functions.push_back(Choice("max", "max(a, b, ...)",
                             "the greatest of its arguments that are not null", "max(bid, 0)",
                             kNumbers));
  functions.push_back({.name = "hash",
                       .form = "hash(x, n)",
                       .doc = "a whole number from 0 to n - 1 that is the same for the same text "
                              "or whole number, as the op hash_buckets makes it",
                       .example = "hash(user, 100) < 10",
                       .group = kNumbers,
                       .overloads = {With(&TakeBuckets, 1, Plain({kText}, kWhole, HashText())),
                                     With(&TakeBuckets, 1, Plain({kWhole}, kWhole, HashWhole()))}});
}

void AddTexts(std::vector<Function>& functions) {
  functions.push_back(OfText("lower", "small letters", "lower(country) = 'de'"));
  functions.push_back(OfText("upper", "capital letters", "upper(code)"));
  functions.push_back(OfText("nfc",
                             "the text with composed letters (NFC): a letter and its mark are one, "
                             "however they were typed",
                             "nfc(name) = 'Zoë'"));
  functions.push_back(OfText("trim", "the text without blanks at its ends", "trim(name)"));
  functions.push_back({.name = "length",
                       .doc = "the number of characters",
                       .example = "length(title) > 20",
                       .group = kTexts,
                       .overloads = {Plain({kText}, kWhole, TextLength())}});
  functions.push_back(
      OfTexts("contains", "contains(x, part)", "whether part is in x", "contains(title, 'graph')"));
  functions.push_back(OfTexts("starts_with", "starts_with(x, part)", "whether x begins with part",
                              "starts_with(code, 'Q')"));
  functions.push_back(OfTexts("ends_with", "ends_with(x, part)", "whether x ends with part",
                              "ends_with(file, '.png')"));
  functions.push_back(
      {.name = "matches",
       .form = "matches(x, 'pattern')",
       .doc = "whether some part of x matches a regular expression of RE2",
       .example = "matches(tail_number, '^N[0-9]+')",
       .group = kTexts,
       .overloads = {With(&TakePattern, 1, Plain({kText}, kTruth, MatchesKernel()))}});
  functions.push_back(Choice(
      "concat", "concat(a, b, ...)",
      "the concatenation of the texts; null is left out, and other types are written as text",
      "concat(title, ' ', abstract)", kTexts));
  functions.push_back(
      {.name = "split",
       .form = "split(x, 'separator')[n]",
       .doc = "the part of x with the number n: 0 is the first, -1 the last; null when there are "
              "fewer",
       .example = "split(categories, ' ')[0]",
       .group = kTexts,
       .overloads = {With(&TakeSplit, 2, Plain({kText}, kText, SplitKernel()))}});
}

void AddTimes(std::vector<Function>& functions) {
  functions.push_back(
      OfTime("year", "year(t, 'zone')",
             "the year; the zone is that of the dataset by default, as of all that follows",
             "year(@time) = 2020"));
  functions.push_back(OfTime("month", "month(t, 'zone')", "1 to 12", "month(@time) in (6, 7, 8)"));
  functions.push_back(
      OfTime("day", "day(t, 'zone')", "the day of the month, from 1", "day(t) = 1"));
  functions.push_back(
      OfTime("weekday", "weekday(t, 'zone')", "1 for Monday to 7 for Sunday", "weekday(t) >= 6"));
  functions.push_back(
      OfTime("hour", "hour(t, 'zone')", "0 to 23", "hour(@time, 'Europe/Zurich') < 6"));
  functions.push_back(OfTime("minute", "minute(t, 'zone')", "0 to 59", "minute(t)"));
  functions.push_back(
      OfTime("day_of_year", "day_of_year(t, 'zone')", "1 to 366", "day_of_year(@time)"));
  functions.push_back({.name = "epoch",
                       .form = "epoch(t)",
                       .doc = "seconds since 1970-01-01 UTC",
                       .example = "epoch(@time) / 86400",
                       .group = kTimes,
                       .overloads = {Plain({kTime}, kNumber, TimeToEpoch())}});
}

void AddChoices(std::vector<Function>& functions) {
  functions.push_back(Choice("if", "if(condition, a, b)",
                             "a where the condition is true, otherwise b",
                             "if(age < 18, 'minor', 'adult')"));
  functions.push_back(Choice("coalesce", "coalesce(a, b, ...)",
                             "the first of its arguments that is not null", "coalesce(price, 0)"));
  functions.push_back(
      Choice("nullif", "nullif(a, b)", "null where a = b, otherwise a", "nullif(pressure, -999)"));
}

void AddConversions(std::vector<Function>& functions) {
  functions.push_back(
      {.name = "number",
       .form = "number(x)",
       .doc = "a text, whole number or boolean as a number; null for a text that is not a number",
       .example = "number(split(size, ' ')[0])",
       .group = kConversions,
       .overloads = {Plain({kNumber}, kNumber, nullptr), Plain({kText}, kNumber, TextToNumber()),
                     Plain({kTruth}, kNumber, TruthToNumber())}});
  functions.push_back(
      {.name = "whole",
       .form = "whole(x)",
       .doc = "a whole number; a number is rounded",
       .example = "whole(user) = 9007199254740993",
       .group = kConversions,
       .overloads = {Plain({kWhole}, kWhole, nullptr), Plain({kNumber}, kWhole, NumberToWhole()),
                     Plain({kText}, kWhole, TextToWhole()),
                     Plain({kTruth}, kWhole, TruthToWhole())}});
  functions.push_back(
      {.name = "text",
       .form = "text(x)",
       .doc = "anything as text",
       .example = "text(zip) = '01234'",
       .group = kConversions,
       .overloads = {Plain({kText}, kText, nullptr), Plain({kWhole}, kText, WholeToText()),
                     Plain({kNumber}, kText, NumberToText()), Plain({kTruth}, kText, TruthToText()),
                     Plain({kTime}, kText, TimeToText())}});
  const Overload from_text = Plain({kText}, kTime, TextToTime());
  Overload on_clock = from_text;
  on_clock.prepare_on_clock = &TakeTimeFormat;
  on_clock.zone_place = 1;
  functions.push_back(
      {.name = "time",
       .form = "time(x, 'format', 'zone')",
       .doc = "a text as a time, in a way of docs/guides/times.md; or seconds "
              "since 1970-01-01 UTC",
       .example = "time(concat(y, '-', m, '-', d), '%Y-%m-%d')",
       .group = kConversions,
       .overloads = {Plain({kTime}, kTime, nullptr), With(&TakeTimeFormat, 0, on_clock),
                     With(&TakeTimeFormat, 1, on_clock), With(&TakeTimeFormat, 2, from_text),
                     Plain({kNumber}, kTime, EpochToTime())}});
}

std::vector<Function> MakeFunctions() {
  std::vector<Function> functions;
  AddOperators(functions);
  AddNumbers(functions);
  AddTexts(functions);
  AddTimes(functions);
  AddChoices(functions);
  AddConversions(functions);
  return functions;
}

}  // namespace

std::span<const Function> Functions() {
  static const std::vector<Function> functions = MakeFunctions();
  return functions;
}

const Function* FindFunction(std::string_view name) {
  const auto found = std::ranges::find(Functions(), name, &Function::name);
  return found == Functions().end() ? nullptr : &*found;
}

std::string FormOf(const Function& function) {
  return function.form.empty() ? fmt::format("{}(x)", function.name) : std::string(function.form);
}

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const Function& function : Functions()) {
    if (!function.is_operator) names.emplace_back(function.name);
  }
  return names;
}

}  // namespace tidemill::expressions
