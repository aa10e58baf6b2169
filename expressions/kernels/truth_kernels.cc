#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_set.h"

#include "expressions/kernels.h"
#include "expressions/kernels/loops.h"

namespace tidemill::expressions {

namespace {

using Bits = std::underlying_type_t<Truth>;

Truth TruthOf(bool known, bool value) {
  const auto bits = static_cast<Bits>(value ? 2 : 0);
  return static_cast<Truth>(known ? bits : Bits{1});
}

template <Comparison kComparison, typename T>
bool Holds(const T& a, const T& b) {
  switch (kComparison) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kUnequal:
      return a != b;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessEqual:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterEqual:
      return a >= b;
  }
  return false;
}

// Without branches for numbers, so that the loop is vectorised.
template <Comparison kComparison, typename T>
Truth Compared(T a, T b) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return IsNull(a) || IsNull(b) ? Truth::kNull : TruthOf(true, Holds<kComparison>(a, b));
  } else {
    const int num_known = static_cast<int>(!IsNull(a)) + static_cast<int>(!IsNull(b));
    return TruthOf(num_known == 2, Holds<kComparison>(a, b));
  }
}

template <Comparison kComparison, typename T>
Step::Kernel ComparePairs(bool constant_right) {
  return constant_right ? &MapPairs<T, Truth, &Compared<kComparison, T>, true>
                        : &MapPairs<T, Truth, &Compared<kComparison, T>, false>;
}

template <typename T>
Step::Kernel CompareAs(Comparison comparison, bool constant_right) {
  switch (comparison) {
    case Comparison::kEqual:
      return ComparePairs<Comparison::kEqual, T>(constant_right);
    case Comparison::kUnequal:
      return ComparePairs<Comparison::kUnequal, T>(constant_right);
    case Comparison::kLess:
      return ComparePairs<Comparison::kLess, T>(constant_right);
    case Comparison::kLessEqual:
      return ComparePairs<Comparison::kLessEqual, T>(constant_right);
    case Comparison::kGreater:
      return ComparePairs<Comparison::kGreater, T>(constant_right);
    case Comparison::kGreaterEqual:
      return ComparePairs<Comparison::kGreaterEqual, T>(constant_right);
  }
  return nullptr;
}

template <typename T>
void ChooseRows(const Step& step, Registers& rows) {
  const Truth* const condition = rows.In<Truth>(step.from[0]);
  const T* const yes = rows.In<T>(step.from[1]);
  const T* const no = rows.In<T>(step.from[2]);
  T* const out = rows.Out<T>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i)
    out[i] = condition[i] == Truth::kTrue ? yes[i] : no[i];
}

template <typename T>
T NullOf() {
  if constexpr (std::is_same_v<T, double>) {
    return kNullNumber;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return kNullWhole;
  } else if constexpr (std::is_same_v<T, Truth>) {
    return Truth::kNull;
  } else {
    return T{};
  }
}

template <typename T>
T FirstKnown(T a, T b) {
  return IsNull(a) ? b : a;
}

template <typename T>
T NullIf(T a, T b) {
  return !IsNull(a) && !IsNull(b) && a == b ? NullOf<T>() : a;
}

template <typename T>
T Least(T a, T b) {
  return IsNull(a) || (!IsNull(b) && b < a) ? b : a;
}

template <typename T>
T Greatest(T a, T b) {
  return IsNull(a) || (!IsNull(b) && a < b) ? b : a;
}

template <typename T>
struct MembersSetting : Setting {
  explicit MembersSetting(Members<T> members)
      : values(members.values.begin(), members.values.end()), has_null(members.has_null) {}
  const absl::flat_hash_set<T> values;
  const bool has_null;
};

// Holds the texts of which `values` are views.
struct TextMembersSetting : MembersSetting<std::string_view> {
  explicit TextMembersSetting(std::shared_ptr<const Members<std::string>> members)
      : MembersSetting({.values = {members->values.begin(), members->values.end()},
                        .has_null = members->has_null}),
        texts(std::move(members)) {}
  const std::shared_ptr<const Members<std::string>> texts;
};

template <typename T>
void FindRows(const Step& step, Registers& rows) {
  const auto& members = static_cast<const MembersSetting<T>&>(*step.setting);
  const T* const in = rows.In<T>(step.from[0]);
  Truth* const out = rows.Out<Truth>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    const bool found = !IsNull(in[i]) && members.values.contains(in[i]);
    const bool known = found || (!IsNull(in[i]) && !members.has_null);
    out[i] = TruthOf(known, found);
  }
}

// Calls visit.operator()<T>() with the type of a value.
template <typename Visit>
Step::Kernel ForType(Type type, Visit visit) {
  switch (type) {
    case Type::kNumber:
      return visit.template operator()<double>();
    case Type::kWhole:
    case Type::kTime:
      return visit.template operator()<int64_t>();
    case Type::kTruth:
      return visit.template operator()<Truth>();
    case Type::kText:
      return visit.template operator()<std::string_view>();
  }
  return nullptr;
}

}  // namespace

Step::Kernel AndKernel() {
  return &MapPairs<Truth, Truth, [](Truth a, Truth b) { return a < b ? a : b; }>;
}
Step::Kernel OrKernel() {
  return &MapPairs<Truth, Truth, [](Truth a, Truth b) { return a < b ? b : a; }>;
}
Step::Kernel NotKernel() {
  return &MapRows<Truth, Truth,
                  [](Truth a) { return static_cast<Truth>(Bits{2} - static_cast<Bits>(a)); }>;
}

Step::Kernel TruthToNumber() {
  return &MapRows<Truth, double, [](Truth a) {
    return IsNull(a) ? kNullNumber : a == Truth::kTrue ? 1.0 : 0.0;
  }>;
}

Step::Kernel TruthToWhole() {
  return &MapRows<Truth, int64_t,
                  [](Truth a) { return IsNull(a) ? kNullWhole : int64_t{a == Truth::kTrue}; }>;
}

Step::Kernel CompareKernel(Comparison comparison, Type type, bool constant_right) {
  return ForType(type, [&]<typename T>() { return CompareAs<T>(comparison, constant_right); });
}

Step::Kernel IsNullKernel(Type type) {
  return ForType(type, []<typename T>() -> Step::Kernel {
    return &MapRows<T, Truth, [](T value) { return TruthOf(true, IsNull(value)); }>;
  });
}

Step::Kernel IfKernel(Type type) {
  return ForType(type, []<typename T>() -> Step::Kernel { return &ChooseRows<T>; });
}

Step::Kernel CoalesceKernel(Type type) {
  return ForType(type,
                 []<typename T>() -> Step::Kernel { return &MapPairs<T, T, &FirstKnown<T>>; });
}

Step::Kernel NullIfKernel(Type type) {
  return ForType(type, []<typename T>() -> Step::Kernel { return &MapPairs<T, T, &NullIf<T>>; });
}

Step::Kernel LeastKernel(Type type) {
  return ForType(type, []<typename T>() -> Step::Kernel { return &MapPairs<T, T, &Least<T>>; });
}

Step::Kernel GreatestKernel(Type type) {
  return ForType(type, []<typename T>() -> Step::Kernel { return &MapPairs<T, T, &Greatest<T>>; });
}

Step::Kernel MemberKernel(Type type) {
  switch (type) {
    case Type::kNumber:
      return &FindRows<double>;
    case Type::kWhole:
    case Type::kTime:
      return &FindRows<int64_t>;
    case Type::kText:
      return &FindRows<std::string_view>;
    case Type::kTruth:
      break;
  }
  return nullptr;
}

namespace {

template <typename T, typename Held = T>
Members<T> MembersIn(const Setting& setting) {
  const auto& members = static_cast<const MembersSetting<Held>&>(setting);
  return {.values = {members.values.begin(), members.values.end()}, .has_null = members.has_null};
}

}  // namespace

Members<double> NumbersIn(const Setting& members) { return MembersIn<double>(members); }
Members<int64_t> WholesIn(const Setting& members) { return MembersIn<int64_t>(members); }
Members<std::string> TextsIn(const Setting& members) {
  return MembersIn<std::string, std::string_view>(members);
}

std::shared_ptr<const Setting> MakeMembersSetting(Members<double> members) {
  return std::make_shared<MembersSetting<double>>(std::move(members));
}
std::shared_ptr<const Setting> MakeMembersSetting(Members<int64_t> members) {
  return std::make_shared<MembersSetting<int64_t>>(std::move(members));
}
std::shared_ptr<const Setting> MakeMembersSetting(Members<std::string> members) {
  return std::make_shared<TextMembersSetting>(
      std::make_shared<const Members<std::string>>(std::move(members)));
}

}  // namespace tidemill::expressions
