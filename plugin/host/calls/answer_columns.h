// The columns of an answer: a plug-in writes its rows where the owner reads them.
//
//   AnswerColumns answer(memories.answers);
//   answer.Begin(rows);
//   ASSIGN_OR_RETURN(const std::span<double> scores, answer.Add<double>("score"));
//   ...                      // the plug-in fills them
//   return answer.ToJson(); // together with the other fields of the answer
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

  // Begins a new answer of `num_rows` rows at the beginning of the memory. It overwrites an earlier
  // one.
  void Begin(int64_t num_rows);

  // Adds a column of zeros for the caller to fill, with `shape` numbers in each row. T is int64_t,
  // int32_t, uint8_t, float or double. RESOURCE_EXHAUSTED when the memory has no room for it;
  // INVALID_ARGUMENT when the shape is not valid.
  template <typename T>
  absl::StatusOr<std::span<T>> Add(const std::string& name, std::vector<int64_t> shape = {}) {
    ASSIGN_OR_RETURN(const std::span<std::byte> bytes,
                     AddNumbers(name, TypeNameOf<T>(), sizeof(T), std::move(shape)));
    return std::span<T>(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T));
  }

  // Adds a column of byte strings, whose bytes the caller fills: row i has the bytes from
  // offsets[i] to offsets[i + 1]. `offsets` has one more entry than there are rows, ascends from 0,
  // and is copied.
  absl::StatusOr<std::span<std::byte>> AddBinary(const std::string& name,
                                                 std::span<const int64_t> offsets);

  // Adds the validity bits of an added column, all zeros, for the caller to fill: one bit per row,
  // least significant first, 1 for a row with a value. INVALID_ARGUMENT for an unknown column.
  absl::StatusOr<std::span<uint8_t>> AddValidity(const std::string& name);

  // Returns "rows" and "columns" as docs/formats/plugin_protocol.md defines them.
  nlohmann::json ToJson() const;

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
  // Returns `size` bytes of zeros that no other column uses. `at`: where they begin.
  absl::StatusOr<std::span<std::byte>> Place(const std::string& name, int64_t size, int64_t& at);

  const Memory& answers_;
  int64_t num_rows_ = 0;
  int64_t end_ = 0;
  nlohmann::json columns_ = nlohmann::json::array();
};

}  // namespace tidemill::plugin::host
