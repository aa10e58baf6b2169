// TypeOf<T>() turns a C++ type into the table that describes it, once. Templates here only visit
// fields and alternatives.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/config_type.h"
#include "base/time.h"

namespace tidemill::config::internal {

template <typename T>
const Type& TypeOf();

struct FieldProbe {
  template <typename Member>
  void operator()(std::string_view, Member&&, std::string_view, const Limits& = {}) const {}
};

template <typename T>
concept Struct = requires(T value, FieldProbe probe) {
  value.Fields(probe);
};
template <typename T>
concept Named = requires {
  EnumNames<T>::kNames;
};

template <template <typename...> typename Template, typename T>
constexpr bool kIs = false;
template <template <typename...> typename Template, typename... Args>
constexpr bool kIs<Template, Template<Args...>> = true;

// The kind of a type whose value is one YAML scalar (or NameList), else kNoScalar.
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
inline constexpr Kind kScalar<ByteSize> = Kind::kByteSize;
template <>
inline constexpr Kind kScalar<Count> = Kind::kCount;
template <>
inline constexpr Kind kScalar<NameList> = Kind::kNameList;

template <Struct T>
Type DescribeStruct() {
  Type type{.kind = Kind::kStruct};
  if constexpr (requires { T::kType; }) type.tag = T::kType;
  if constexpr (requires { T::kDoc; }) type.doc = T::kDoc;
  type.members = [](void* value, const MemberVisitor& visit) {
    As<T>(value).Fields([&visit]<typename M>(std::string_view key, M& member, std::string_view doc,
                                             const Limits& limits = {}) {
      visit(Member{key, &member, &TypeOf<M>, doc, limits});
    });
  };
  if constexpr (requires(const T& value, Problems& problems) { value.Check(problems); }) {
    type.check = [](const void* value, Problems& problems) { As<T>(value).Check(problems); };
  }
  return type;
}

template <typename T>
Type DescribeEnum() {
  static_assert(Named<T>, "Specialise tidemill::config::EnumNames for this enum.");
  Type type{.kind = Kind::kEnum};
  for (const auto& [value, name] : EnumNames<T>::kNames) type.names.emplace_back(name);
  type.name_index = [](const void* value) {
    size_t i = 0;
    while (i + 1 < std::size(EnumNames<T>::kNames) && EnumNames<T>::kNames[i].first != As<T>(value))
      ++i;
    return i;
  };
  type.set_name = [](void* value, size_t i) { As<T>(value) = EnumNames<T>::kNames[i].first; };
  return type;
}

template <typename T>
Type DescribeOptional() {
  Type type{.kind = Kind::kOptional};
  type.element = &TypeOf<typename T::value_type>;
  type.size = [](const void* value) -> size_t { return As<T>(value).has_value() ? 1 : 0; };
  type.at = [](void* value, size_t) -> void* { return &*As<T>(value); };
  type.append = [](void* value) -> void* { return &As<T>(value).emplace(); };
  type.clear = [](void* value) { As<T>(value).reset(); };
  return type;
}

template <typename T>
Type DescribeList() {
  static_assert(!std::same_as<typename T::value_type, bool>, "Use a vector of an enum instead.");
  Type type{.kind = Kind::kList};
  type.element = &TypeOf<typename T::value_type>;
  type.size = [](const void* value) -> size_t { return As<T>(value).size(); };
  type.at = [](void* value, size_t i) -> void* { return &As<T>(value)[i]; };
  type.append = [](void* value) -> void* { return &As<T>(value).emplace_back(); };
  type.clear = [](void* value) { As<T>(value).clear(); };
  return type;
}

template <typename T>
Type DescribeMap() {
  static_assert(std::same_as<typename T::key_type, std::string>, "Keys are texts.");
  Type type{.kind = Kind::kMap};
  type.element = &TypeOf<typename T::mapped_type>;
  type.size = [](const void* value) -> size_t { return As<T>(value).size(); };
  type.clear = [](void* value) { As<T>(value).clear(); };
  type.entries = [](void* value, const EntryVisitor& visit) {
    for (auto& entry : As<T>(value)) visit(entry.first, &entry.second);
  };
  type.insert = [](void* value, const std::string& key) -> void* { return &As<T>(value)[key]; };
  return type;
}

// A Keyed is its variant at offset 0, so one table serves both.
template <typename... Alternatives>
Type DescribeAlternatives(Kind kind, std::type_identity<std::variant<Alternatives...>>) {
  static_assert((requires { Alternatives::kType; } && ...), "Alternatives need a kType.");
  static_assert((Struct<Alternatives> && ...), "Alternatives need Fields().");
  using Variant = std::variant<Alternatives...>;
  Type type{.kind = kind};
  type.alternatives = {&TypeOf<Alternatives>...};
  type.index = [](const void* value) { return As<Variant>(value).index(); };
  type.held = [](void* value) {
    return std::visit([](auto& held) -> void* { return &held; }, As<Variant>(value));
  };
  type.emplace = [](void* value, size_t i) -> void* {
    using Maker = void* (*)(Variant&);
    static constexpr Maker kMakers[] = {
        [](Variant& variant) -> void* { return &variant.template emplace<Alternatives>(); }...};
    return kMakers[i](As<Variant>(value));
  };
  return type;
}

template <typename T>
Type Describe() {
  if constexpr (kScalar<T> != kNoScalar) {
    return {.kind = kScalar<T>};
  } else if constexpr (std::is_enum_v<T>) {
    return DescribeEnum<T>();
  } else if constexpr (kIs<std::optional, T>) {
    return DescribeOptional<T>();
  } else if constexpr (kIs<std::vector, T>) {
    return DescribeList<T>();
  } else if constexpr (kIs<std::map, T>) {
    return DescribeMap<T>();
  } else if constexpr (kIs<std::variant, T>) {
    return DescribeAlternatives(Kind::kVariant, std::type_identity<T>());
  } else if constexpr (kIs<Keyed, T>) {
    return DescribeAlternatives(Kind::kKeyed, std::type_identity<decltype(T::value)>());
  } else {
    static_assert(Struct<T>, "A config field needs a known type or a struct with Fields().");
    return DescribeStruct<T>();
  }
}

template <typename T>
const Type& TypeOf() {
  static const Type* const kType = [] {
    auto* type = new Type(Describe<T>());  // Lives as long as the program.
    type->make = []() -> std::shared_ptr<void> { return std::make_shared<T>(); };
    return type;
  }();
  return *kType;
}

}  // namespace tidemill::config::internal
