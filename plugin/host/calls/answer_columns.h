// The columns of an answer: a plug-in writes its rows where the owner reads them.
//
//   AnswerColumns answer(memories.answers);
//   answer.Begin(rows);
//   ASSIGN_OR_RETURN(const std::span<double> scores, answer.Add<double>("score"));
//   ...                      // the plug-in fills them
//   return answer.Said();    // beside what else the answer says
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/host/calls/memory.h"

namespace tidemill::plugin::host {

// Thread-compatible.
class AnswerColumns {
 public:
  // `answers` was mapped for writing, and outlives it.
  explicit AnswerColumns(const Memory& answers) : answers_(answers) {}

  // A new answer of so many rows, from the beginning of the memory: what an earlier one said is
  // no longer there.
  void Begin(int64_t num_rows);

  // A column of numbers, `shape` of them in a row, for the caller to fill: all zeros. T is int64_t,
  // int32_t, uint8_t, float or double. RESOURCE_EXHAUSTED where the memory has no room for it;
  // INVALID_ARGUMENT for a shape that is none.
  template <typename T>
  absl::StatusOr<std::span<T>> Add(const std::string& name, std::vector<int64_t> shape = {}) {
    ASSIGN_OR_RETURN(const std::span<std::byte> bytes,
                     AddNumbers(name, TypeNameOf<T>(), sizeof(T), std::move(shape)));
    return std::span<T>(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T));
  }

  // A column of byte strings: row i has the bytes from offsets[i] to offsets[i + 1] of what the
  // caller fills. `offsets`, one more than there are rows, ascend from 0; they are copied.
  absl::StatusOr<std::span<std::byte>> AddBinary(const std::string& name,
                                                 std::span<const int64_t> offsets);

  // Which rows of a column that was added have a value: one bit a row, least significant first.
  // All zeros, for the caller to fill. INVALID_ARGUMENT for a column that there is none of.
  absl::StatusOr<std::span<uint8_t>> AddValidity(const std::string& name);

  // "rows" and "columns" as docs/formats/plugin_protocol.md has them.
  nlohmann::json Said() const;

 private:
  template <typename T>
  static constexpr const char* TypeNameOf() {
    if constexpr (std::same_as<T, int64_t>) return "int64";
    if constexpr (std::same_as<T, int32_t>) return "int32";
    if constexpr (std::same_as<T, uint8_t>) return "uint8";
    if constexpr (std::same_as<T, float>) return "float32";
    if constexpr (std::same_as<T, double>) return "float64";
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 8 || sizeof(T) == 4 || sizeof(T) == 1),
                  "columns have numbers of the types above");
  }

  absl::StatusOr<std::span<std::byte>> AddNumbers(const std::string& name, const char* type,
                                                  int64_t bytes_of_value,
                                                  std::vector<int64_t> shape);
  // `size` bytes that no other column has, all zeros. `at`: where they begin.
  absl::StatusOr<std::span<std::byte>> Place(const std::string& name, int64_t size, int64_t& at);

  const Memory& answers_;
  int64_t num_rows_ = 0;
  int64_t end_ = 0;
  nlohmann::json columns_ = nlohmann::json::array();
};

}  // namespace tidemill::plugin::host
