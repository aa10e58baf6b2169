#include "supervisor/statistics/sealed_state.h"

namespace tidemill::supervisor::statistics::internal {
namespace {

template <typename Value>
bool ReadAs(const nlohmann::json& sealed, bool is_of_type, Value& member) {
  if (is_of_type) member = sealed.get<Value>();
  return is_of_type;
}

template <typename Value>
bool ReadList(const nlohmann::json& sealed, std::vector<Value>& members) {
  if (!sealed.is_array()) return false;
  members.resize(sealed.size());
  for (size_t i = 0; i < members.size(); ++i) {
    if (!Read(sealed[i], members[i])) return false;
  }
  return true;
}

}  // namespace

nlohmann::json Seal(const std::optional<Cut>& member) {
  if (!member) return nullptr;
  return {member->event_time.micros, member->sample_key.value};
}

bool Read(const nlohmann::json& sealed, bool& member) {
  return ReadAs(sealed, sealed.is_boolean(), member);
}
bool Read(const nlohmann::json& sealed, int64_t& member) {
  return ReadAs(sealed, sealed.is_number_integer(), member);
}
bool Read(const nlohmann::json& sealed, uint64_t& member) {
  return ReadAs(sealed, sealed.is_number_integer(), member);
}
bool Read(const nlohmann::json& sealed, double& member) {
  return ReadAs(sealed, sealed.is_number(), member);
}
bool Read(const nlohmann::json& sealed, nlohmann::json& member) {
  return ReadAs(sealed, sealed.is_array(), member);
}
bool Read(const nlohmann::json& sealed, std::vector<int64_t>& member) {
  return ReadList(sealed, member);
}
bool Read(const nlohmann::json& sealed, std::vector<double>& member) {
  return ReadList(sealed, member);
}

bool Read(const nlohmann::json& sealed, std::optional<Cut>& member) {
  member.reset();
  if (sealed.is_null()) return true;
  std::vector<int64_t> numbers;
  if (!Read(sealed, numbers) || numbers.size() != 2) return false;
  member = Cut{{numbers[0]}, {numbers[1]}};
  return true;
}

}  // namespace tidemill::supervisor::statistics::internal
