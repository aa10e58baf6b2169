// Converts protobuf messages to JSON for people and for jq.
#pragma once

#include "nlohmann/json_fwd.hpp"

namespace google::protobuf {
class Message;
}

namespace tidemill::cli {

// Every field has its name in the proto. It differs from protobuf's own JSON: 64-bit integers are
// numbers; timestamps and the time of a cut are RFC 3339; numbers that are not finite are null; an
// absent field with presence is left out.
nlohmann::ordered_json MessageToJson(const google::protobuf::Message& message);

}  // namespace tidemill::cli
