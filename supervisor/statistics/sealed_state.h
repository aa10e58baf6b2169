// Converts state to JSON and back, exactly. The state of a policy between two samples is sealed
// with its run. A resumed run then continues as if it had not been interrupted.
//
// A state lists its members:
//
//   struct DdmState {
//     int64_t num_values = 0;
//     double error_rate = 0;
//     void Fields(auto&& field) {
//       field("num_values", num_values);
//       field("error_rate", error_rate);
//     }
//     absl::Status Check() const;  // Further conditions on a sealed state, if there are any.
//   };
//   const nlohmann::json sealed = SealState(state);
//   ASSIGN_OR_RETURN(state, RestoreState<DdmState>(sealed));
//
// Members are bool, int64_t, uint64_t, double, lists of numbers, lists of JSON, optional positions
// in a stream, states, and objects with Seal() and Restore(). A member may be a variant of these, a
// pointer to one or an optional one, or a list of states; all of these are restored into what is
// there already. Numbers must be finite. The text of the JSON holds them to the last bit.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor::statistics {

template <typename State>
nlohmann::json SealState(const State& state);

// DATA_LOSS when `sealed` is not an object, when a member is missing or of another type, when a
// member does not belong to the state, or when the state fails its Check(). The state is then
// partly restored.
template <typename State>
absl::Status RestoreInto(const nlohmann::json& sealed, State& state);

template <typename State>
absl::StatusOr<State> RestoreState(const nlohmann::json& sealed) {
  State state;
  RETURN_IF_ERROR(RestoreInto(sealed, state));
  return state;
}

namespace internal {

template <typename Member>
concept IsSealed = requires(Member& member, const nlohmann::json& sealed) {
  member.Seal();
  member.Restore(sealed);
};
template <typename Member>
concept IsState = requires(Member& member) {
  member.Fields([](auto&&...) {});
};
template <typename Member>
concept IsVariant = requires {
  std::variant_size<Member>::value;
};
template <typename Member>
concept IsStates = IsState<typename Member::value_type> && requires(Member& member) {
  member[0];
};
template <typename Member>
concept MayBeAbsent = !std::same_as<Member, std::optional<Cut>> && requires(Member & member) {
  *member;
  !member;
};

nlohmann::json Seal(const std::optional<Cut>& member);
nlohmann::json Seal(const auto& member) { return member; }

bool Read(const nlohmann::json& sealed, bool& member);
bool Read(const nlohmann::json& sealed, int64_t& member);
bool Read(const nlohmann::json& sealed, uint64_t& member);
bool Read(const nlohmann::json& sealed, double& member);
bool Read(const nlohmann::json& sealed, std::optional<Cut>& member);
bool Read(const nlohmann::json& sealed, std::vector<int64_t>& member);
bool Read(const nlohmann::json& sealed, std::vector<double>& member);
bool Read(const nlohmann::json& sealed, nlohmann::json& member);

template <typename Member>
nlohmann::json SealMember(const Member& member) {
  if constexpr (IsSealed<Member>) {
    return member.Seal();
  } else if constexpr (IsState<Member>) {
    return SealState(member);
  } else if constexpr (IsVariant<Member>) {
    return std::visit([](const auto& held) { return SealMember(held); }, member);
  } else if constexpr (MayBeAbsent<Member>) {
    return member ? SealMember(*member) : nullptr;
  } else if constexpr (IsStates<Member>) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& state : member) list.push_back(SealState(state));
    return list;
  } else {
    return Seal(member);
  }
}

template <typename Member>
absl::Status RestoreMember(const nlohmann::json& sealed, std::string_view name, Member& member) {
  const auto other_type = [&] { return DataLoss("'{}' of sealed state is of another type", name); };
  if constexpr (IsSealed<Member>) {
    return member.Restore(sealed);
  } else if constexpr (IsState<Member> && std::semiregular<Member>) {
    ASSIGN_OR_RETURN(member, RestoreState<Member>(sealed));
  } else if constexpr (IsState<Member>) {
    return RestoreInto(sealed, member);
  } else if constexpr (IsVariant<Member>) {
    return std::visit([&](auto& held) { return RestoreMember(sealed, name, held); }, member);
  } else if constexpr (MayBeAbsent<Member>) {
    if (member) return RestoreMember(sealed, name, *member);
    if (!sealed.is_null()) return other_type();
  } else if constexpr (IsStates<Member>) {
    if (!sealed.is_array() || sealed.size() != member.size()) return other_type();
    for (size_t i = 0; i < member.size(); ++i) RETURN_IF_ERROR(RestoreInto(sealed[i], member[i]));
  } else {
    if (!Read(sealed, member)) return other_type();
  }
  return absl::OkStatus();
}

}  // namespace internal

template <typename State>
nlohmann::json SealState(const State& state) {
  nlohmann::json sealed = nlohmann::json::object();
  // Fields() is not const, because it lists members to be restored, too.
  const_cast<State&>(state).Fields([&](std::string_view name, const auto& member) {
    sealed[std::string(name)] = internal::SealMember(member);
  });
  return sealed;
}

template <typename State>
absl::Status RestoreInto(const nlohmann::json& sealed, State& state) {
  if (!sealed.is_object()) return DataLoss("sealed state is not a JSON object");
  absl::Status status;
  size_t num_members = 0;
  state.Fields([&](std::string_view name, auto& member) {
    ++num_members;
    if (!status.ok()) return;
    const auto found = sealed.find(std::string(name));
    status = found == sealed.end() ? DataLoss("sealed state has no '{}'", name)
                                   : internal::RestoreMember(*found, name, member);
  });
  RETURN_IF_ERROR(status);
  if (sealed.size() != num_members) {
    return DataLoss("sealed state has {} members, not {}", sealed.size(), num_members);
  }
  if constexpr (requires { state.Check(); }) return state.Check();
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor::statistics
