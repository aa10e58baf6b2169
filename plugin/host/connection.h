// Messages of docs/formats/plugin_protocol.md on the owner's socket.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

namespace tidemill::plugin::host {

// Thread-compatible.
class Connection {
 public:
  // Uses `socket` and does not own it.
  explicit Connection(int socket) : socket_(socket) {}

  // Waits for the next message. Null for a message that is not JSON; std::nullopt when the owner is
  // gone.
  std::optional<nlohmann::json> Receive();
  // Returns false when the owner is gone. An answer that is too long becomes a fault.
  bool Send(const nlohmann::json& message);

 private:
  bool ReadAll(char* bytes, size_t size) const;

  const int socket_;
};

// An answer that is not ok.
nlohmann::json FaultOf(const std::string& what, const std::string& where);

}  // namespace tidemill::plugin::host
