#include "plugin/host/calls/answer_columns.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemill::plugin::host {

using nlohmann::json;

namespace {

constexpr auto kOffsetBytes = static_cast<int64_t>(sizeof(int64_t));

}  // namespace

void AnswerColumns::Begin(int64_t num_rows) {
  num_rows_ = num_rows;
  end_ = 0;
  columns_ = json::array();
}

absl::StatusOr<std::span<std::byte>> AnswerColumns::AddNumbers(const std::string& name,
                                                               const char* type,
                                                               int64_t bytes_of_value,
                                                               std::vector<int64_t> shape) {
  // Refuses what does not fit before a product of sizes overflows.
  const int64_t most = answers_.size();
  int64_t bytes = bytes_of_value;
  for (const int64_t size : shape) {
    if (size < 1) return InvalidArgument("the column {} has no valid shape", name);
    bytes = size > most / bytes ? most + 1 : bytes * size;
  }
  bytes = num_rows_ > most / std::max<int64_t>(bytes, 1) ? most + 1 : bytes * num_rows_;
  int64_t at = 0;
  ASSIGN_OR_RETURN(const std::span<std::byte> placed, Place(name, bytes, at));
  columns_.push_back({{"name", name}, {"type", type}, {"shape", std::move(shape)}, {"at", at}});
  return placed;
}

absl::StatusOr<std::span<std::byte>> AnswerColumns::AddBinary(const std::string& name,
                                                              std::span<const int64_t> offsets) {
  if (std::cmp_not_equal(offsets.size(), num_rows_ + 1) || offsets.front() != 0 ||
      !std::ranges::is_sorted(offsets)) {
    return InvalidArgument("the column {} needs {} offsets that ascend from 0", name,
                           num_rows_ + 1);
  }
  int64_t offsets_at = 0;
  ASSIGN_OR_RETURN(const std::span<std::byte> kept,
                   Place(name, (num_rows_ + 1) * kOffsetBytes, offsets_at));
  std::memcpy(kept.data(), offsets.data(), kept.size());
  int64_t at = 0;
  ASSIGN_OR_RETURN(const std::span<std::byte> placed, Place(name, offsets.back(), at));
  columns_.push_back({{"name", name},
                      {"type", "binary"},
                      {"shape", json::array()},
                      {"at", at},
                      {"offsets_at", offsets_at}});
  return placed;
}

absl::StatusOr<std::span<uint8_t>> AnswerColumns::AddValidity(const std::string& name) {
  const auto column =
      std::ranges::find_if(columns_, [&](const json& said) { return said["name"] == name; });
  if (column == columns_.end()) return InvalidArgument("the answer has no column {}", name);
  int64_t at = 0;
  ASSIGN_OR_RETURN(const std::span<std::byte> placed, Place(name, (num_rows_ + 7) / 8, at));
  (*column)["validity_at"] = at;
  return std::span<uint8_t>(reinterpret_cast<uint8_t*>(placed.data()), placed.size());
}

json AnswerColumns::ToJson() const { return {{"rows", num_rows_}, {"columns", columns_}}; }

absl::StatusOr<std::span<std::byte>> AnswerColumns::Place(const std::string& name, int64_t size,
                                                          int64_t& at) {
  at = (end_ + Memory::kAlignment - 1) / Memory::kAlignment * Memory::kAlignment;
  if (size > answers_.size() || at > answers_.size() - size) {
    return ResourceExhausted("the column {} does not fit in the {} bytes for answers", name,
                             answers_.size());
  }
  ASSIGN_OR_RETURN(std::byte* const first, answers_.WritableAt(at, size));
  // An earlier answer was here.
  std::memset(first, 0, static_cast<size_t>(size));
  end_ = at + size;
  return std::span(first, static_cast<size_t>(size));
}

}  // namespace tidemill::plugin::host
