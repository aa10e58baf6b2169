// Descriptions of configuration types at run time: a table of small functions per type. Reading,
// printing and documenting are ordinary code over these tables. describe.h makes them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/documents/problems.h"
#include "config/types.h"

namespace tidemill::config::internal {

enum class Kind {
  kBool,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kString,
  kDuration,
  kTimestamp,
  kClockTime,
  kByteSize,
  kCount,
  kDevice,
  kNameList,
  kNamePairs,
  kOpenValue,
  kEnum,
  kOptional,
  kList,
  kMap,
  kStruct,
  kVariant,
  kKeyed,
};

struct Type;
using TypeGetter = const Type& (*)();

// One field of a live struct.
struct Member {
  std::string_view key;
  void* value;
  TypeGetter type;
  std::string_view doc;
  Limits limits;
};

using MemberVisitor = std::function<void(const Member&)>;
using EntryVisitor = std::function<void(const std::string& key, void* value)>;

// A type, as functions over pointers to its values. Functions that its kind does not need are null.
struct Type {
  Kind kind;

  // kStruct
  void* (*create)() = nullptr;  // A default value.
  void (*destroy)(void*) = nullptr;
  std::string_view tag = {};  // T::kType
  std::string_view doc = {};  // T::kDoc
  void (*members)(void*, const MemberVisitor&) = nullptr;
  void (*check)(const void*, Problems&) = nullptr;               // nullptr without T::Check.
  void (*take_clock)(void*, const std::string& zone) = nullptr;  // nullptr without T::TakeClock.

  // kEnum
  std::vector<std::string> names = {};
  size_t (*name_index)(const void*) = nullptr;
  void (*set_name)(void*, size_t) = nullptr;

  // kOptional (as a list of at most one), kList, kMap
  TypeGetter element = nullptr;
  size_t (*size)(const void*) = nullptr;
  void* (*at)(void*, size_t) = nullptr;
  void* (*append)(void*) = nullptr;
  void (*clear)(void*) = nullptr;
  void (*entries)(void*, const EntryVisitor&) = nullptr;
  void* (*insert)(void*, const std::string&) = nullptr;

  // kVariant, kKeyed
  std::span<const TypeGetter> alternatives = {};
  size_t (*index)(const void*) = nullptr;
  void* (*held)(void*) = nullptr;
  void* (*emplace)(void*, size_t) = nullptr;
};

// The name of an enum's value that YAML's null stands for.
inline constexpr std::string_view kNullName = "null";

// Makes a description that lives as long as the program.
const Type& NewType(Kind kind, void (*describe)(Type&));
void AddName(Type& type, std::string_view name);
void ForwardMember(const MemberVisitor& visit, const Member& member);

// Makes a default value of a struct type.
std::shared_ptr<void> MakeDefault(const Type& type);

template <typename T>
T& As(void* value) {
  return *static_cast<T*>(value);
}
template <typename T>
const T& As(const void* value) {
  return *static_cast<const T*>(value);
}

}  // namespace tidemill::config::internal
