// Messages between a service and the process of one of its jobs, over a UNIX socket.
//
//    +----------+---------------+----------+---------------+
//    | length   | message       | length   | message       | ...
//    | 4 bytes  | protobuf      |          |               |
//    +----------+---------------+----------+---------------+
//      little-endian
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "google/protobuf/message_lite.h"

#include "base/paths/local_socket.h"
#include "base/status.h"

namespace tidemill::rpc {

// One end of a connection. Thread-compatible.
class MessageSocket {
 public:
  // Whether the caller still waits.
  using Alive = std::function<bool()>;

  // The most bytes of one message.
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  // Listens at, or connects to, the socket `name` in `folder`, whose path may be longer than the
  // kernel's limit for sockets. Returns the errors of LocalSocket. NOT_FOUND when there is no such
  // folder.
  static absl::StatusOr<LocalSocket> Listen(const std::string& folder, const std::string& name);
  static absl::StatusOr<MessageSocket> Connect(const std::string& folder, const std::string& name);

  // `socket` is connected, of kind kStream.
  explicit MessageSocket(LocalSocket socket) : socket_(std::move(socket)) {}

  // Waits for space in the socket as long as the other end lives. UNAVAILABLE when the connection
  // is broken. INVALID_ARGUMENT for a message of more than kMaxBytes.
  absl::Status Send(const google::protobuf::MessageLite& message);

  // Waits for the next message. UNAVAILABLE when the other end has closed the connection or is
  // dead. DATA_LOSS when it sends anything but such a message. CANCELLED when `alive`, which is
  // called periodically, returns false.
  absl::Status Receive(google::protobuf::MessageLite& message, const Alive& alive = {});

 private:
  // Receives until `size` bytes have arrived.
  absl::Status Fill(size_t size, const Alive& alive);

  LocalSocket socket_;
  std::string bytes_;  // Received and not yet used, or about to be sent.
};

}  // namespace tidemill::rpc
