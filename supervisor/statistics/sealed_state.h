// Converts state to JSON and back, exactly. The state of a policy between two samples is sealed
// with its run. A resumed run then continues as if it had not been interrupted.
//
// A state is a plain struct that lists its members:
//
//   struct DdmState {
//     int64_t num_values = 0;
//     double error_rate = 0;
//     void Fields(auto&& field) {
//       field("num_values", num_values);
//       field("error_rate", error_rate);
//     }
//     // Further conditions on a sealed state.
//     absl::Status Check() const { return absl::OkStatus(); }
//   };
//   const nlohmann::json sealed = SealState(state);
//   ASSIGN_OR_RETURN(state, RestoreState<DdmState>(sealed));
//
// Members are bool, int64_t, double, lists of the latter two, optional positions in a stream, and
// states. Numbers must be finite. The text of the JSON holds them to the last bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor::statistics {

template <typename State>
nlohmann::json SealState(State state);

namespace internal {

template <typename State>
concept IsState = requires(State state) {
  state.Fields([](auto&&...) {});
};

nlohmann::json SealMember(const std::optional<Cut>& member);
nlohmann::json SealMember(const IsState auto& member) { return SealState(member); }
// For numbers and lists of them.
nlohmann::json SealMember(const auto& member) { return member; }

}  // namespace internal

template <typename State>
nlohmann::json SealState(State state) {
  nlohmann::json sealed = nlohmann::json::object();
  state.Fields([&](std::string_view name, auto& member) {
    sealed[std::string(name)] = internal::SealMember(member);
  });
  return sealed;
}

// DATA_LOSS when `sealed` is not an object, when a member is missing or of another type, when a
// member does not belong to the state, or when the state fails its Check().
template <typename State>
absl::StatusOr<State> RestoreState(const nlohmann::json& sealed);

namespace internal {

absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name, bool& member);
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name, int64_t& member);
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name, double& member);
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name,
                        std::optional<Cut>& member);
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name,
                        std::vector<int64_t>& member);
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name,
                        std::vector<double>& member);
template <IsState State>
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name, State& member) {
  const auto found = sealed.find(std::string(name));
  if (found == sealed.end()) return DataLoss("sealed state has no '{}'", name);
  ASSIGN_OR_RETURN(member, RestoreState<State>(*found));
  return absl::OkStatus();
}

}  // namespace internal

template <typename State>
absl::StatusOr<State> RestoreState(const nlohmann::json& sealed) {
  if (!sealed.is_object()) return DataLoss("sealed state is not a JSON object");
  State state;
  absl::Status status;
  size_t num_members = 0;
  state.Fields([&](std::string_view name, auto& member) {
    ++num_members;
    if (status.ok()) status = internal::ReadMember(sealed, name, member);
  });
  RETURN_IF_ERROR(status);
  if (sealed.size() != num_members) {
    return DataLoss("sealed state has {} members, not {}", sealed.size(), num_members);
  }
  RETURN_IF_ERROR(state.Check());
  return state;
}

}  // namespace tidemill::supervisor::statistics
