#include "supervisor/triggers/sealed_fields.h"

namespace tidemill::supervisor {
namespace {

absl::Status NoState(const std::string& name) {
  return DataLoss("the sealed state of a trigger policy has no valid field '{}'", name);
}

bool IsInteger(const nlohmann::json* field) { return field->is_number_integer(); }

}  // namespace

nlohmann::json SealCut(const std::optional<Cut>& cut) {
  if (!cut) return nullptr;
  return {cut->event_time.micros, cut->sample_key.value};
}

absl::StatusOr<const nlohmann::json*> SealedField(const nlohmann::json& state,
                                                  const std::string& name) {
  if (!state.is_object()) return NoState(name);
  const auto it = state.find(name);
  if (it == state.end()) return NoState(name);
  return &*it;
}

absl::StatusOr<const nlohmann::json*> SealedList(const nlohmann::json& state,
                                                 const std::string& name) {
  ASSIGN_OR_RETURN(const nlohmann::json* field, SealedField(state, name));
  if (!field->is_array()) return NoState(name);
  return field;
}

absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, int64_t& value) {
  ASSIGN_OR_RETURN(const nlohmann::json* field, SealedField(state, name));
  if (!IsInteger(field)) return NoState(name);
  value = field->get<int64_t>();
  return absl::OkStatus();
}

absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, uint64_t& value) {
  ASSIGN_OR_RETURN(const nlohmann::json* field, SealedField(state, name));
  if (!IsInteger(field)) return NoState(name);
  value = field->get<uint64_t>();
  return absl::OkStatus();
}

absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, double& value) {
  ASSIGN_OR_RETURN(const nlohmann::json* field, SealedField(state, name));
  if (!field->is_number()) return NoState(name);
  value = field->get<double>();
  return absl::OkStatus();
}

absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, bool& value) {
  ASSIGN_OR_RETURN(const nlohmann::json* field, SealedField(state, name));
  if (!field->is_boolean()) return NoState(name);
  value = field->get<bool>();
  return absl::OkStatus();
}

absl::Status ReadSealed(const nlohmann::json& state, const std::string& name,
                        std::optional<Cut>& value) {
  ASSIGN_OR_RETURN(const nlohmann::json* field, SealedField(state, name));
  if (field->is_null()) {
    value.reset();
    return absl::OkStatus();
  }
  if (!field->is_array() || field->size() != 2 || !IsInteger(&(*field)[0]) ||
      !IsInteger(&(*field)[1])) {
    return NoState(name);
  }
  value = Cut{{(*field)[0].get<int64_t>()}, {(*field)[1].get<int64_t>()}};
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
