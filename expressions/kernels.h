// The loops that compute functions of whole columns. Each returns a Step::Kernel, which computes
// null wherever a value that it needs is null, unless it says otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/written_number.h"
#include "base/status.h"
#include "base/times/time_zone.h"
#include "expressions/program.h"
#include "expressions/type.h"

namespace tidemill::expressions {

enum class Arithmetic : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo, kPower };
enum class Comparison : uint8_t { kEqual, kUnequal, kLess, kLessEqual, kGreater, kGreaterEqual };

// For numbers. The result of a division by zero, and NaN, is null. `constant_right`: all rows of
// the second operand are equal.
Step::Kernel NumberArithmetic(Arithmetic operation, bool constant_right);
Step::Kernel NumberFunction(std::string_view name);  // abs sqrt exp log log1p floor round negate
Step::Kernel NumberClip();
Step::Kernel RoundToDigits();  // Setting: WholeSetting.
Step::Kernel FloatToNumber();
Step::Kernel FiniteNumber();  // Infinite numbers become null.

// For whole numbers; an overflow is null. nullptr for kDivide and kPower, which only numbers
// support.
Step::Kernel WholeArithmetic(Arithmetic operation);
Step::Kernel WholeFunction(std::string_view name);  // abs negate
Step::Kernel WholeToNumber();
Step::Kernel NumberToWhole();  // Rounds.

Step::Kernel AndKernel();
Step::Kernel OrKernel();
Step::Kernel NotKernel();
Step::Kernel TruthToNumber();
Step::Kernel TruthToWhole();

// For each type.
Step::Kernel CompareKernel(Comparison comparison, Type type, bool constant_right);
Step::Kernel IsNullKernel(Type type);    // Never null.
Step::Kernel IfKernel(Type type);        // A condition that is null counts as false.
Step::Kernel CoalesceKernel(Type type);  // The first of two that is not null.
Step::Kernel NullIfKernel(Type type);
// The least or greatest of two; a null is ignored.
Step::Kernel LeastKernel(Type type);
Step::Kernel GreatestKernel(Type type);
// Whether a value is among literals. Setting: MembersSetting<T>.
Step::Kernel MemberKernel(Type type);

Step::Kernel TextFunction(std::string_view name);   // lower upper trim
Step::Kernel TextLength();                          // In characters.
Step::Kernel TextPredicate(std::string_view name);  // contains starts_with ends_with
Step::Kernel MatchesKernel();                       // Setting: RegexSetting.
Step::Kernel ConcatKernel();                        // Leaves out nulls.
Step::Kernel SplitKernel();                         // Setting: SplitSetting.
Step::Kernel HashText();                            // Setting: WholeSetting, the number of buckets.
Step::Kernel HashWhole();

Step::Kernel NumberToText();
Step::Kernel WholeToText();
Step::Kernel TruthToText();
Step::Kernel TimeToText();
// A text that is not a number is null.
Step::Kernel TextToNumber();
Step::Kernel TextToNumberAsSet();  // In the notation of its NotationSetting.
Step::Kernel TextToWhole();
Step::Kernel TextToTime();  // Setting: TimeSetting.

// year month day weekday (1 to 7 from Monday) hour minute day_of_year. Setting: none for UTC, or
// ZoneSetting.
Step::Kernel TimePart(std::string_view name);
Step::Kernel TimeToEpoch();
Step::Kernel EpochToTime();
Step::Kernel TimeMinusTime();
Step::Kernel TimePlusSeconds();
Step::Kernel TimeMinusSeconds();

struct WholeSetting : Setting {
  explicit WholeSetting(int64_t whole) : value(whole) {}
  const int64_t value;
};

struct NotationSetting : Setting {
  NumberNotation notation = {};
};

struct SplitSetting : Setting {
  SplitSetting(std::string by, int64_t part) : separator(std::move(by)), index(part) {}
  const std::string separator;
  const int64_t index;  // Negative: from the end.
};

// INVALID_ARGUMENT, with a message to follow "the regular expression", when there is a mistake.
absl::StatusOr<std::shared_ptr<const Setting>> MakeRegexSetting(const std::string& pattern);
// INVALID_ARGUMENT when format or zone are unknown.
absl::StatusOr<std::shared_ptr<const Setting>> MakeTimeSetting(const std::string& format,
                                                               const std::string& zone);
absl::StatusOr<std::shared_ptr<const Setting>> MakeZoneSetting(const std::string& zone);
// The zone of a setting of TimePart(): UTC for none.
TimeZone ZoneIn(const Setting* zone);

template <typename T>
struct Members {
  std::vector<T> values;
  bool has_null = false;
};
// For kTime as for kWhole.
std::shared_ptr<const Setting> MakeMembersSetting(Members<double> members);
std::shared_ptr<const Setting> MakeMembersSetting(Members<int64_t> members);
std::shared_ptr<const Setting> MakeMembersSetting(Members<std::string> members);
// The literals of such a setting, in any order.
Members<double> NumbersIn(const Setting& members);
Members<int64_t> WholesIn(const Setting& members);
Members<std::string> TextsIn(const Setting& members);

}  // namespace tidemill::expressions
