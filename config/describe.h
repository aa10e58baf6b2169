// TypeOf<T>() turns a C++ type into the table that describes it, once. Templates here only visit
// fields and alternatives.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "base/times/clock_time.h"
#include "config/choice.h"
#include "config/type.h"

namespace tidemill::config::internal {

template <typename T>
const Type& TypeOf();

// The `field` that Fields() gets. It passes each member on without its type.
struct MemberForwarder {
  const MemberVisitor& visit;

  template <typename T>
  void operator()(std::string_view key, T& value, std::string_view doc,
                  const Limits& limits = {}) const {
    ForwardMember(visit, {key, &value, &TypeOf<T>, doc, limits});
  }
};

template <typename T>
concept Struct = requires(T value, const MemberForwarder& field) {
  value.Fields(field);
};
template <typename T>
concept Named = requires {
  EnumNames<T>::kNames;
};

template <template <typename...> typename Template, typename T>
constexpr bool kIs = false;
template <template <typename...> typename Template, typename... Args>
constexpr bool kIs<Template, Template<Args...>> = true;

// Returns the kind of a type whose value is one YAML scalar (or NameList, NamePairs or OpenValue),
// else kNoScalar.
constexpr Kind kNoScalar = Kind::kStruct;
template <typename T>
constexpr Kind kScalar = kNoScalar;
template <>
inline constexpr Kind kScalar<bool> = Kind::kBool;
template <>
inline constexpr Kind kScalar<int> = Kind::kInt32;
template <>
inline constexpr Kind kScalar<int64_t> = Kind::kInt64;
template <>
inline constexpr Kind kScalar<float> = Kind::kFloat;
template <>
inline constexpr Kind kScalar<double> = Kind::kDouble;
template <>
inline constexpr Kind kScalar<std::string> = Kind::kString;
template <>
inline constexpr Kind kScalar<Duration> = Kind::kDuration;
template <>
inline constexpr Kind kScalar<Timestamp> = Kind::kTimestamp;
template <>
inline constexpr Kind kScalar<ClockTime> = Kind::kClockTime;
template <>
inline constexpr Kind kScalar<ByteSize> = Kind::kByteSize;
template <>
inline constexpr Kind kScalar<Count> = Kind::kCount;
template <>
inline constexpr Kind kScalar<DeviceChoice> = Kind::kDevice;
template <>
inline constexpr Kind kScalar<NameList> = Kind::kNameList;
template <>
inline constexpr Kind kScalar<NamePairs> = Kind::kNamePairs;
template <>
inline constexpr Kind kScalar<OpenValue> = Kind::kOpenValue;

template <Struct T>
void DescribeStruct(Type& type) {
  if constexpr (requires { T::kType; }) type.tag = T::kType;
  if constexpr (requires { T::kDoc; }) type.doc = T::kDoc;
  type.create = []() -> void* { return new T(); };
  type.destroy = [](void* value) { delete static_cast<T*>(value); };
  type.members = [](void* value, const MemberVisitor& visit) {
    const MemberForwarder field{visit};
    As<T>(value).Fields(field);
  };
  if constexpr (requires(const T& value, Problems& problems) { value.Check(problems); }) {
    type.check = [](const void* value, Problems& problems) { As<T>(value).Check(problems); };
  }
  if constexpr (requires(T & value, const std::string& zone) { value.TakeClock(zone); }) {
    type.take_clock = [](void* value, const std::string& zone) { As<T>(value).TakeClock(zone); };
  }
}

template <typename T>
void DescribeEnum(Type& type) {
  static_assert(Named<T>, "Specialise tidemill::config::EnumNames for this enum.");
  for (const auto& [value, name] : EnumNames<T>::kNames) AddName(type, name);
  type.name_index = [](const void* value) {
    size_t i = 0;
    while (i + 1 < std::size(EnumNames<T>::kNames) && EnumNames<T>::kNames[i].first != As<T>(value))
      ++i;
    return i;
  };
  type.set_name = [](void* value, size_t i) { As<T>(value) = EnumNames<T>::kNames[i].first; };
}

template <typename T>
void DescribeOptional(Type& type) {
  type.element = &TypeOf<typename T::value_type>;
  type.size = [](const void* value) -> size_t { return As<T>(value).has_value() ? 1 : 0; };
  type.at = [](void* value, size_t) -> void* { return &*As<T>(value); };
  type.append = [](void* value) -> void* { return &As<T>(value).emplace(); };
  type.clear = [](void* value) { As<T>(value).reset(); };
}

template <typename T>
void DescribeList(Type& type) {
  static_assert(!std::same_as<typename T::value_type, bool>, "Use a vector of an enum instead.");
  type.element = &TypeOf<typename T::value_type>;
  type.size = [](const void* value) -> size_t { return As<T>(value).size(); };
  type.at = [](void* value, size_t i) -> void* { return &As<T>(value)[i]; };
  type.append = [](void* value) -> void* { return &As<T>(value).emplace_back(); };
  type.clear = [](void* value) { As<T>(value).clear(); };
}

template <typename T>
void DescribeMap(Type& type) {
  static_assert(std::same_as<typename T::key_type, std::string>, "Keys are texts.");
  type.element = &TypeOf<typename T::mapped_type>;
  type.size = [](const void* value) -> size_t { return As<T>(value).size(); };
  type.clear = [](void* value) { As<T>(value).clear(); };
  type.entries = [](void* value, const EntryVisitor& visit) {
    for (auto& entry : As<T>(value)) visit(entry.first, &entry.second);
  };
  type.insert = [](void* value, const std::string& key) -> void* { return &As<T>(value)[key]; };
}

// A Keyed has its variant or its choice at offset 0, so one table serves both.
template <typename... Alternatives>
void DescribeAlternatives(Type& type, std::type_identity<std::variant<Alternatives...>>) {
  static_assert((requires { Alternatives::kType; } && ...), "Alternatives need a kType.");
  static_assert((Struct<Alternatives> && ...), "Alternatives need Fields().");
  using Variant = std::variant<Alternatives...>;
  static constexpr TypeGetter kAlternatives[] = {&TypeOf<Alternatives>...};
  type.alternatives = kAlternatives;
  type.index = [](const void* value) { return As<Variant>(value).index(); };
  type.held = [](void* value) -> void* {
    void* held = nullptr;
    (void)(((held = std::get_if<Alternatives>(static_cast<Variant*>(value))) != nullptr) || ...);
    return held;
  };
  type.emplace = [](void* value, size_t i) -> void* {
    using Maker = void* (*)(Variant&);
    static constexpr Maker kMakers[] = {
        [](Variant& variant) -> void* { return &variant.template emplace<Alternatives>(); }...};
    return kMakers[i](As<Variant>(value));
  };
}

// A Choice is read, printed and documented like a variant of the specs on its list.
template <typename Interface>
void DescribeChoice(Type& type, std::type_identity<Choice<Interface>>) {
  using T = Choice<Interface>;
  static const std::vector<TypeGetter>& alternatives = *[] {
    auto* getters = new std::vector<TypeGetter>;
    for (const auto& alternative : Interface::Alternatives()) getters->push_back(alternative.type);
    return getters;
  }();
  type.alternatives = alternatives;
  type.index = [](const void* value) { return As<T>(value).index(); };
  type.held = [](void* value) -> void* { return As<T>(value).mutable_spec(); };
  type.emplace = [](void* value, size_t i) -> void* { return As<T>(value).Emplace(i); };
}

template <typename T>
constexpr Kind KindOf() {
  if constexpr (kScalar<T> != kNoScalar) return kScalar<T>;
  if constexpr (std::is_enum_v<T>) return Kind::kEnum;
  if constexpr (kIs<std::optional, T>) return Kind::kOptional;
  if constexpr (kIs<std::vector, T>) return Kind::kList;
  if constexpr (kIs<std::map, T>) return Kind::kMap;
  if constexpr (kIs<std::variant, T> || kIs<Choice, T>) return Kind::kVariant;
  if constexpr (kIs<Keyed, T>) return Kind::kKeyed;
  return Kind::kStruct;
}

template <typename T>
void Describe(Type& type) {
  constexpr Kind kKind = KindOf<T>();
  if constexpr (kKind == Kind::kEnum) {
    DescribeEnum<T>(type);
  } else if constexpr (kKind == Kind::kOptional) {
    DescribeOptional<T>(type);
  } else if constexpr (kKind == Kind::kList) {
    DescribeList<T>(type);
  } else if constexpr (kKind == Kind::kMap) {
    DescribeMap<T>(type);
  } else if constexpr (kIs<Choice, T>) {
    DescribeChoice(type, std::type_identity<T>());
  } else if constexpr (kKind == Kind::kVariant) {
    DescribeAlternatives(type, std::type_identity<T>());
  } else if constexpr (kKind == Kind::kKeyed) {
    if constexpr (kIs<Choice, decltype(T::value)>) {
      DescribeChoice(type, std::type_identity<decltype(T::value)>());
    } else {
      DescribeAlternatives(type, std::type_identity<decltype(T::value)>());
    }
  } else if constexpr (kKind == Kind::kStruct) {
    static_assert(Struct<T>, "A config field needs a known type or a struct with Fields().");
    DescribeStruct<T>(type);
  }
}

// Not inline: a type of TIDEMILL_EXTERN_CONFIG_TYPE is described in one file only.
template <typename T>
const Type& TypeOf() {
  static const Type& type = NewType(KindOf<T>(), &Describe<T>);
  return type;
}

}  // namespace tidemill::config::internal

// For a type that many files read and whose tables are large. The tables of a pipeline cost 8 s of
// compilation in each file that made them. Both macros go at global scope: the first after the type
// in its header, the second in one source of the same library.
#define TIDEMILL_EXTERN_CONFIG_TYPE(...)                  \
  extern template const tidemill::config::internal::Type& \
  tidemill::config::internal::TypeOf<__VA_ARGS__>()
#define TIDEMILL_CONFIG_TYPE(...) \
  template const tidemill::config::internal::Type& tidemill::config::internal::TypeOf<__VA_ARGS__>()
