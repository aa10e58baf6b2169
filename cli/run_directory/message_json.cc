#include "cli/run_directory/message_json.h"

#include <cmath>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/timestamp.pb.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using nlohmann::ordered_json;

ordered_json Finite(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

// One value of a field; `index` is -1 for a field that is not repeated.
ordered_json ValueOf(const Message& message, const FieldDescriptor& field, int index) {
  const auto& reflection = *message.GetReflection();
  const auto get = [&](auto single, auto repeated) {
    return index < 0 ? (reflection.*single)(message, &field)
                     : (reflection.*repeated)(message, &field, index);
  };
  using Reflection = google::protobuf::Reflection;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Finite(get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Finite(get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat));
    case FieldDescriptor::CPPTYPE_BOOL:
      return get(&Reflection::GetBool, &Reflection::GetRepeatedBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return get(&Reflection::GetEnum, &Reflection::GetRepeatedEnum)->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return get(&Reflection::GetString, &Reflection::GetRepeatedString);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageToJson(index < 0 ? reflection.GetMessage(message, &field)
                                     : reflection.GetRepeatedMessage(message, &field, index));
  }
  return nullptr;
}

ordered_json MapOf(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  std::map<std::string, ordered_json> sorted;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
    const auto key = ValueOf(entry, *entry.GetDescriptor()->map_key(), -1);
    sorted[key.is_string() ? key.get<std::string>() : key.dump()] =
        ValueOf(entry, *entry.GetDescriptor()->map_value(), -1);
  }
  ordered_json map = ordered_json::object();
  for (auto& [key, value] : sorted) map[key] = std::move(value);
  return map;
}

}  // namespace

ordered_json MessageToJson(const Message& message) {
  if (const auto* time = dynamic_cast<const google::protobuf::Timestamp*>(&message)) {
    return FormatTimestamp({time->seconds() * 1'000'000 + time->nanos() / 1000});
  }
  if (const auto* cut = dynamic_cast<const rpc::v1::Cut*>(&message)) {
    return {{"event_time", FormatTimestamp({cut->event_time()})},
            {"sample_key", cut->sample_key()}};
  }
  ordered_json json = ordered_json::object();
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.is_map()) {
      json[field.name()] = MapOf(message, field);
    } else if (field.is_repeated()) {
      json[field.name()] = ordered_json::array();
      for (int at = 0; at < reflection.FieldSize(message, &field); ++at) {
        json[field.name()].push_back(ValueOf(message, field, at));
      }
    } else if (!field.has_presence() || reflection.HasField(message, &field)) {
      json[field.name()] = ValueOf(message, field, -1);
    }
  }
  return json;
}

}  // namespace tidemill::cli
